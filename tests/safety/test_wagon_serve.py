"""How a board's program runs and ends on its chip: watchdog, Ctrl-C, outputs, and a clock that does
not wrap. The chip's modules are objects of here.
"""

import importlib
import sys
import time
from typing import Any
from unittest.mock import Mock

import pytest

MACHINE = Mock()
sys.modules["machine"] = MACHINE  # no other module of the tests has this name
esp32: Any = importlib.import_module("image.boards.shared.esp32")


@pytest.fixture(autouse=True)
def machine() -> Any:
    MACHINE.reset_mock(return_value=True, side_effect=True)
    return MACHINE


class Program:
    """A board whose loop ends by itself; it notes what happens in which order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, armed: list[bool]) -> None:
        self.did: list[Any] = []
        self.armed = armed
        self.turns = 0
        self.error: BaseException = KeyboardInterrupt()
        monkeypatch.setattr(time, "sleep_ms", lambda ms: self.did.append(("sleep", ms)), False)
        MACHINE.WDT.side_effect = self._watchdog

    def _watchdog(self, timeout: int) -> "Program":
        self.did.append(("watchdog", timeout))
        return self

    def feed(self) -> None:
        self.did.append("feed")

    def now_ms(self) -> int:
        return 7

    def step(self, now_ms: int) -> None:
        if self.turns == len(self.armed):
            raise self.error
        self.did.append(("step", now_ms))
        self.turns += 1

    def is_armed(self) -> bool:
        return self.armed[self.turns - 1]

    def may_interrupt(self, may: bool) -> None:
        self.did.append(("ctrl-c", may))

    def off(self) -> None:
        self.did.append("off")


TURN = [("step", 7), "feed"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("a fault")])
def test_program_feeds_its_watchdog_each_turn_and_switches_off_at_its_end(
    monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    program = Program(monkeypatch, [False, False, True, True, False])
    program.error = error
    with pytest.raises(type(error)):
        esp32.serve(program, program, program, program.is_armed)
    pause = ("sleep", 1)
    assert program.did == [
        ("watchdog", 1000),
        *TURN, ("ctrl-c", True), pause,
        *TURN, pause,
        *TURN, ("ctrl-c", False), pause,
        *TURN, pause,
        *TURN, ("ctrl-c", True), pause,
        "off",
        ("watchdog", 600_000),
    ]  # fmt: skip


def test_program_that_is_armed_from_the_start_is_not_interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = Program(monkeypatch, [True])
    with pytest.raises(KeyboardInterrupt):
        esp32.serve(program, program, program, program.is_armed)
    assert ("ctrl-c", False) in program.did
    assert ("ctrl-c", True) not in program.did


def test_clock_counts_on_where_the_ticks_of_the_chip_wrap(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter([2**30 - 100, 2**30 - 40, 5, 5, 2**29])
    monkeypatch.setattr(time, "ticks_ms", lambda: next(ticks), False)
    monkeypatch.setattr(time, "ticks_diff", lambda now, then: (now - then) % 2**30, False)
    clock = esp32.Clock()
    assert [clock.now_ms() for _ in range(4)] == [60, 105, 105, 2**29 + 100]


def test_outputs_are_low_from_the_start(machine: Any) -> None:
    machine.Pin.OUT = 3
    esp32.OutputPin(21).value(1)
    machine.Pin.assert_called_once_with(21, 3, value=0)
    machine.Pin.return_value.value.assert_called_once_with(1)


@pytest.mark.parametrize(
    ("share", "duty"),
    [(0.0, 0), (0.5, 32767), (1.0, 65535), (1.5, 65535), (-0.5, 0), (0.00002, 1)],
)
def test_pulses_are_at_rest_from_the_start_and_stay_in_their_range(
    machine: Any, share: float, duty: int
) -> None:
    pin = esp32.PwmPin(4)
    machine.PWM.assert_called_once_with(machine.Pin(4), freq=20_000, duty_u16=0)
    pin.duty(share)
    machine.PWM.return_value.duty_u16.assert_called_once_with(duty)


def test_serial_line_never_waits(machine: Any) -> None:
    line = esp32.SerialLine(1, 460_800, 15, 16)
    machine.UART.assert_called_once_with(
        1, baudrate=460_800, tx=15, rx=16, rxbuf=1024, txbuf=1024, timeout=0
    )
    uart = machine.UART.return_value
    uart.read.return_value = None
    assert line.read() == b""
    uart.read.return_value = b"ab"
    assert line.read() == b"ab"
    line.write(b"cd")
    uart.write.assert_called_once_with(b"cd")


def test_terminal_reads_128_bytes_at_once_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    poll, source, sink = Mock(), Mock(), Mock()
    source.buffer.read.return_value = b"x"
    with monkeypatch.context() as patched:
        patched.setattr("select.poll", lambda: poll)
        patched.setattr("sys.stdin", source)
        patched.setattr("sys.stdout", sink)
        terminal = esp32.Terminal()
    poll.register.assert_called_once_with(source, 1)
    poll.poll.side_effect = lambda ms: [1] if ms == 0 else []
    assert terminal.read() == b"x" * 128
    source.buffer.read.assert_called_with(1)
    poll.poll.side_effect = [[1], [1], []]
    assert terminal.read() == b"xx"
    terminal.write(b"OK")
    sink.buffer.write.assert_called_once_with(b"OK")


@pytest.mark.parametrize(("may", "character"), [(True, 3), (False, -1)])
def test_terminal_is_interrupted_by_ctrl_c_or_not_at_all(
    monkeypatch: pytest.MonkeyPatch, may: bool, character: int
) -> None:
    micropython = Mock()
    monkeypatch.setitem(sys.modules, "micropython", micropython)
    esp32.Terminal.may_interrupt(None, may)
    micropython.kbd_intr.assert_called_once_with(character)
