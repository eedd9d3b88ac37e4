"""Pins by pigpiod, against a daemon that reports edges from a thread, as the real one does."""

import asyncio
import sys
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.errors import SaintError
from saint_services.lib.hw.motors.quadrature import Quadrature
from saint_services.lib.hw.pi_board import PiBoard
from saint_services.lib.hw.pins.pigpio_pins import PigpioEdges, PigpioOutput
from saint_services.lib.hw.pwm import pigpio_pwm
from tests.waiting import turns


class Daemon:
    """pigpiod with its library."""

    def __init__(self) -> None:
        self.pins = dict.fromkeys(range(28), 0)
        self.modes: dict[int, int] = {}
        self.pulls: dict[int, int] = {}
        self.refuses = False
        self.tick = 0xFFFFFF00  # shortly before it goes round
        self.watches: dict[int, Callable[[int, int, int], None]] = {}

    def set_mode(self, pin: int, mode: int) -> int:
        self.modes[pin] = mode
        return -2 if self.refuses else 0

    def set_pull_up_down(self, pin: int, pull: int) -> int:
        self.pulls[pin] = pull
        return 0

    def get_mode(self, pin: int) -> int:
        return self.modes.get(pin, 0)

    def read_bank_1(self) -> int:
        return sum(level << pin for pin, level in self.pins.items())

    def read(self, pin: int) -> int:
        return self.pins[pin]

    def write(self, pin: int, level: int) -> int:
        self.pins[pin] = level
        return 0

    def get_current_tick(self) -> int:
        return self.tick

    def callback(self, pin: int, edge: int, callback: Callable[[int, int, int], None]) -> Any:
        assert edge == 2
        self.watches[pin] = callback

        class Watch:
            def cancel(watch) -> None:  # noqa: N805 - self is the daemon here
                self.watches.pop(pin)

        return Watch()

    def edges(self, *edges: tuple[int, int], apart_us: int = 100) -> None:
        """Report edges from another thread; return when all are reported."""

        def report() -> None:
            for pin, level in edges:
                self.tick = (self.tick + apart_us) & 0xFFFFFFFF
                self.pins[pin] = level
                self.watches[pin](pin, level, self.tick)

        thread = threading.Thread(target=report)
        thread.start()
        thread.join(5)


async def test_edges_arrive_in_order_with_stamps_that_rise_over_the_round() -> None:
    daemon = Daemon()
    edges = PigpioEdges(daemon, (5, 6), pull_up=False)
    seen: list[tuple[int, bool, int]] = []
    edges.listen(lambda *edge: seen.append(edge))
    await asyncio.to_thread(daemon.edges, (5, 1), (6, 1), (5, 0), (6, 0))
    await turns(1)
    assert [edge[:2] for edge in seen] == [(5, True), (6, True), (5, False), (6, False)]
    stamps = [edge[2] for edge in seen]
    assert [after - before for before, after in pairwise(stamps)] == [100_000] * 3
    edges.close()
    assert daemon.watches == {}


async def test_encoder_counts_over_pigpio() -> None:
    daemon = Daemon()
    encoder = Quadrature(PigpioEdges(daemon, (5, 6), pull_up=False), 5, 6)
    encoder.listen()
    turn = ((5, 1), (6, 1), (5, 0), (6, 0))
    await asyncio.to_thread(daemon.edges, *(turn * 100))
    await turns(1)
    assert (encoder.count, encoder.illegal) == (400, 0)
    encoder.close()


async def test_watchdog_of_the_library_is_no_edge() -> None:
    daemon = Daemon()
    edges = PigpioEdges(daemon, (5,), pull_up=True)
    seen: list[Any] = []
    edges.listen(lambda *edge: seen.append(edge))
    await asyncio.to_thread(daemon.edges, (5, 2))
    await turns(1)
    assert seen == []
    edges.close()


def test_pull_up_and_mode_are_set() -> None:
    daemon = Daemon()
    PigpioEdges(daemon, (5,), pull_up=True)
    PigpioOutput(daemon, 6).set(True)
    assert (daemon.pulls, daemon.modes, daemon.pins[6]) == ({5: 2}, {5: 0, 6: 1}, 1)


def test_report_has_levels_and_functions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    daemon = Daemon()
    daemon.pins.update({5: 1, 12: 1, 20: 1})
    daemon.modes.update({5: 1, 6: 0, 2: 4, 12: 4, 20: 4})
    monkeypatch.setitem(sys.modules, "gpiod", None)
    monkeypatch.setattr(pigpio_pwm, "connect", lambda: daemon)
    pins = PiBoard(devices=tmp_path).pins()
    assert [pin.pin_number for pin in pins] == list(range(28))
    shown = {pin: (pins[pin].direction, pins[pin].current_state) for pin in (2, 5, 6, 12, 20)}
    assert shown == {
        2: ("i2c", "low"),
        5: ("output", "high"),
        6: ("input", "low"),
        12: ("pwm", "high"),
        20: ("alternate", "high"),
    }


def test_refusal_is_an_os_error() -> None:
    daemon = Daemon()
    daemon.refuses = True
    with pytest.raises(OSError, match="refuses with -2"):
        PigpioOutput(daemon, 6)


def test_board_uses_pigpio_where_libgpiod_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    daemon = Daemon()
    monkeypatch.setitem(sys.modules, "gpiod", None)
    monkeypatch.setattr(pigpio_pwm, "connect", lambda: daemon)
    board = PiBoard(devices=tmp_path)
    assert isinstance(board.output(5, "enable"), PigpioOutput)
    assert board.edges((6,), "encoder").levels() == {6: False}


def test_board_without_either_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "gpiod", None)
    monkeypatch.setattr(pigpio_pwm, "connect", lambda: None)
    with pytest.raises(SaintError, match="gpiod is not installed"):
        PiBoard(devices=tmp_path).output(5, "enable")
