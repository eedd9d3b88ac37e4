"""Edges of input pins for asyncio, wherever they come from: the kernel (libgpiod), pigpiod, or a
recording. `EdgeLine` keeps them open as SerialLine does with bytes. Not here: what edges mean.
"""

import asyncio
import os
import stat
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic_ns
from typing import Any

import pydantic_core

from ..errors import Code, SaintError
from . import pigpio_pwm
from .gpiod_pins import GpiodPins, library
from .ports import EdgeCallback, EdgeInput
from .serial import PAUSES_S

RECORDING = "edges.jsonl"  # in the folder of simulated hardware
_WRAP_US = 1 << 32  # pigpio's clock
_READ_BYTES = 1 << 16


def open_edges(spec: str, pins: Sequence[int], used_by: str) -> EdgeInput:
    """The pins of SAINT_HW: "real" or "sim:<directory>". Raises SaintError."""
    kind, _, place = spec.partition(":")
    if kind == "sim" and place:
        return RecordedEdges(Path(place) / RECORDING)
    try:
        return GpiodPins(library()).edges(pins, used_by)
    except SaintError as err:
        daemon = pigpio_pwm.connect()
        if daemon is None:
            raise err
    return PigpioEdges(daemon, pins)


class PigpioEdges:
    """By pigpiod: sampled every 5 us by DMA. Its library calls from a thread of its own."""

    def __init__(self, daemon: Any, pins: Sequence[int]) -> None:
        self._daemon = daemon
        self._pins = tuple(pins)
        self._callbacks: list[Any] = []
        self._tick = daemon.get_current_tick()
        self._at_ns = monotonic_ns()

    def levels(self) -> dict[int, bool]:
        """The levels now."""
        return {pin: self._daemon.read(pin) == 1 for pin in self._pins}

    def listen(self, callback: EdgeCallback) -> None:
        """Report edges from now on."""
        loop = asyncio.get_running_loop()

        def report(pin: int, level: int, tick: int) -> None:
            if level < 2:  # else it is the daemon's own time-out
                loop.call_soon_threadsafe(self._report, callback, pin, level == 1, tick)

        for pin in self._pins:
            self._daemon.set_mode(pin, 0)  # input
            self._callbacks.append(self._daemon.callback(pin, 2, report))  # both edges

    def close(self) -> None:
        """No more edges."""
        for each in self._callbacks:
            each.cancel()
        self._callbacks.clear()
        self._daemon.stop()

    def _report(self, callback: EdgeCallback, pin: int, high: bool, tick: int) -> None:
        passed_us = (tick - self._tick) % _WRAP_US
        if passed_us > _WRAP_US // 2:
            passed_us -= _WRAP_US  # of several pins one may come a little late
        self._tick, self._at_ns = tick, self._at_ns + passed_us * 1000
        callback(pin, high, self._at_ns)


class RecordedEdges:
    """Lines of JSON `{"t_us": 0, "pin": 18, "high": true}` of a file or a FIFO, at their times."""

    def __init__(self, path: Path) -> None:
        flags = os.O_NONBLOCK | os.O_CLOEXEC
        try:
            self._descriptor = os.open(path, os.O_RDONLY | flags)
            self._is_fifo = stat.S_ISFIFO(os.fstat(self._descriptor).st_mode)
            if self._is_fifo:  # one that we could write to ourselves never ends
                os.close(self._descriptor)
                self._descriptor = os.open(path, os.O_RDWR | flags)
        except OSError as err:
            raise _missing(f"{path} cannot be opened: {err.strerror}") from err
        self._text = b""
        self._waiting: deque[tuple[int, int, bool]] = deque()
        self._start_ns: int | None = None  # when the recording's time 0 is
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def levels(self) -> dict[int, bool]:
        """Nothing is known before the first edge."""
        return {}

    def listen(self, callback: EdgeCallback) -> None:
        """Report edges from now on."""
        self._loop = asyncio.get_running_loop()
        if self._is_fifo:
            self._loop.add_reader(self._descriptor, self._read, callback)
        else:
            self._read(callback)

    def close(self) -> None:
        """No more edges."""
        if self._timer:
            self._timer.cancel()
        if self._loop and self._is_fifo:
            self._loop.remove_reader(self._descriptor)
        os.close(self._descriptor)

    def _read(self, callback: EdgeCallback) -> None:
        data = os.read(self._descriptor, _READ_BYTES)
        while data:
            *lines, self._text = (self._text + data).split(b"\n")
            self._waiting.extend(edge for edge in map(_edge, lines) if edge)
            try:
                data = os.read(self._descriptor, _READ_BYTES)
            except BlockingIOError:
                break
        self._play(callback)

    def _play(self, callback: EdgeCallback) -> None:
        now_ns = monotonic_ns()
        while self._waiting:
            t_us, pin, high = self._waiting[0]
            if self._start_ns is None:
                self._start_ns = now_ns - t_us * 1000
            at_ns = self._start_ns + t_us * 1000
            if at_ns > now_ns:
                assert self._loop
                if self._timer:
                    self._timer.cancel()
                self._timer = self._loop.call_later((at_ns - now_ns) * 1e-9, self._play, callback)
                return
            self._waiting.popleft()
            callback(pin, high, at_ns)


class EdgeLine:
    """Keeps pins open and hands on their edges; tries again when they cannot be had."""

    def __init__(
        self,
        open_pins: Callable[[], EdgeInput],
        on_edge: EdgeCallback,
        on_open: Callable[[], None],
        on_lost: Callable[[SaintError], None],
    ) -> None:
        self._open_pins = open_pins
        self._on_edge = on_edge
        self._on_open = on_open
        self._on_lost = on_lost
        self._loop = asyncio.get_running_loop()
        self._pins: EdgeInput | None = None
        self._retry: asyncio.TimerHandle | None = None
        self._failures = 0

    @property
    def is_open(self) -> bool:
        return self._pins is not None

    def start(self) -> None:
        """Open the pins now, or as soon as they can be had."""
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        if self._pins is not None:
            return
        try:
            pins = self._open_pins()
        except SaintError as err:
            pause_s = PAUSES_S[min(self._failures, len(PAUSES_S) - 1)]
            self._retry = self._loop.call_later(pause_s, self.start)
            self._failures += 1
            if self._failures == 1:
                self._on_lost(err)
            return
        self._failures = 0
        self._pins = pins
        self._on_open()
        pins.listen(self._on_edge)

    def close(self) -> None:
        """Close the pins and stay closed."""
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        if self._pins is not None:
            self._pins.close()
            self._pins = None
        self._failures = 0

    def write(self, data: bytes) -> bool:
        """Pins do not take bytes."""
        del data
        return False


def _edge(line: bytes) -> tuple[int, int, bool] | None:
    """None where the line holds none: a recording may have notes in it."""
    try:
        edge = pydantic_core.from_json(line)
        return int(edge["t_us"]), int(edge["pin"]), bool(edge["high"])
    except (ValueError, TypeError, LookupError):
        return None


def _missing(what: str) -> SaintError:
    return SaintError(
        Code.HARDWARE_MISSING, what, fix=f"Put lines of t_us, pin and high into {RECORDING}."
    )
