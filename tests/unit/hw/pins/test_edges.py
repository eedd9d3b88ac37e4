"""Edges from a recording, a FIFO, pigpiod; pins that cannot be had are tried again."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.pins import edges
from saint_services.lib.hw.pins.edges import EdgeLine, PigpioEdgeReader, open_edges
from tools.sim.recorded_edges import RECORDING, RecordedEdges

Edge = tuple[int, bool, int]
LIMIT_S = 2.0


def line(t_us: int, pin: int, high: bool) -> str:
    return json.dumps({"t_us": t_us, "pin": pin, "high": high}) + "\n"


class EdgeCollector:
    """Collects edges; wait for so many."""

    def __init__(self) -> None:
        self.edges_seen: list[Edge] = []
        self._more = asyncio.Event()

    def __call__(self, pin: int, high: bool, t_ns: int) -> None:
        self.edges_seen.append((pin, high, t_ns))
        self._more.set()

    async def until(self, count: int) -> list[Edge]:
        async with asyncio.timeout(LIMIT_S):
            while len(self.edges_seen) < count:
                self._more.clear()
                await self._more.wait()
        return self.edges_seen


async def test_recording_is_played_in_its_times(tmp_path: Path) -> None:
    text = line(500, 18, True) + "a note\n" + line(800, 18, False) + line(20_500, 18, True)
    (tmp_path / RECORDING).write_text(text)
    pins = open_edges(f"sim:{tmp_path}", [18], "rcd")
    collector = EdgeCollector()
    start_s = asyncio.get_running_loop().time()
    pins.listen(collector)
    edges_seen = await collector.until(3)
    assert asyncio.get_running_loop().time() - start_s >= 0.019
    assert [edge[:2] for edge in edges_seen] == [(18, True), (18, False), (18, True)]
    assert [edge[2] - edges_seen[0][2] for edge in edges_seen] == [0, 300_000, 20_000_000]
    assert pins.levels() == {}
    pins.close()


async def test_fifo_is_played_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "edges"
    os.mkfifo(path)
    pins = RecordedEdges(path)
    collector = EdgeCollector()
    pins.listen(collector)
    with path.open("w") as writer:
        writer.write(line(0, 4, True)[:7])
        writer.flush()
        writer.write(line(0, 4, True)[7:])
        writer.flush()
        await collector.until(1)
        writer.write(line(900, 4, False))
        writer.flush()
        edges_seen = await collector.until(2)
        pins.close()
    assert edges_seen[1][2] - edges_seen[0][2] == 900_000


class Daemon:
    """A stand-in for pigpiod's library."""

    def __init__(self, tick: int = 0) -> None:
        self.tick = tick
        self.reports: dict[int, Any] = {}
        self.is_stopped = False

    def get_current_tick(self) -> int:
        return self.tick

    def set_mode(self, pin: int, mode: int) -> None:
        assert mode == 0

    def read(self, pin: int) -> int:
        return int(pin == 12)

    def callback(self, pin: int, kind: int, report: Any) -> "Daemon":
        self.reports[pin] = report
        return self

    def cancel(self) -> None:
        self.reports.clear()

    def stop(self) -> None:
        self.is_stopped = True


async def test_pigpio_clock_may_wrap_and_pins_may_be_late() -> None:
    daemon = Daemon(tick=(1 << 32) - 100)
    pins = PigpioEdgeReader(daemon, [12, 13])
    collector = EdgeCollector()
    pins.listen(collector)
    assert pins.levels() == {12: True, 13: False}
    daemon.reports[12](12, 1, (1 << 32) - 50)
    daemon.reports[12](12, 0, 950)  # the clock has wrapped
    daemon.reports[13](13, 1, 940)
    daemon.reports[12](12, 2, 2000)  # its time-out is no edge
    edges_seen = await collector.until(3)
    assert [edge[2] - edges_seen[0][2] for edge in edges_seen] == [0, 1_000_000, 990_000]
    assert [edge[:2] for edge in edges_seen] == [(12, True), (12, False), (13, True)]
    pins.close()
    assert daemon.is_stopped and not daemon.reports


def test_pigpio_stands_in_where_libgpiod_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise SaintError(Code.HARDWARE_MISSING, "no gpiod")

    monkeypatch.setattr(edges, "library", missing)
    monkeypatch.setattr(edges.pigpio_pwm, "connect", lambda: Daemon())
    assert isinstance(open_edges("real", [18], "rcd"), PigpioEdgeReader)
    monkeypatch.setattr(edges.pigpio_pwm, "connect", lambda: None)
    with pytest.raises(SaintError, match="no gpiod"):
        open_edges("real", [18], "rcd")


async def test_pins_that_cannot_be_had_are_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edges, "PAUSES_S", (0.01,))
    opened = asyncio.Event()
    lost: list[SaintError] = []
    pins = EdgeLine(
        lambda: open_edges(f"sim:{tmp_path}", [18], "rcd"),
        lambda pin, high, t_ns: None,
        opened.set,
        lost.append,
    )
    pins.start()
    assert not pins.is_open
    (tmp_path / RECORDING).write_text("")
    async with asyncio.timeout(LIMIT_S):
        await opened.wait()
    assert len(lost) == 1 and pins.is_open and not pins.write(b"x")
    pins.close()
    assert not pins.is_open
