"""Reports the edges of input pins to asyncio, from the kernel (libgpiod) or pigpiod. `EdgeLine`
keeps the pins open, as SerialLine does a serial port.
"""

import asyncio
from collections.abc import Callable, Sequence
from time import monotonic_ns
from typing import Any

from ...errors import SaintError
from ...simulation import load_simulation, simulated_directory
from ..buses.serial import PAUSES_S
from ..ports import EdgeCallback, EdgeInput
from ..pwm import pigpio_pwm
from .gpiod_pins import GpiodPins, library

_WRAP_US = 1 << 32  # pigpio's clock


def open_edges(spec: str, pins: Sequence[int], used_by: str) -> EdgeInput:
    """Open the pins of SAINT_HW: "real" or "sim:<directory>". Raises SaintError."""
    if directory := simulated_directory(spec):
        return load_simulation().open_edges(directory)
    try:
        return GpiodPins(library()).edges(pins, used_by)
    except SaintError as err:
        daemon = pigpio_pwm.connect()
        if daemon is None:
            raise err
    return PigpioEdgeReader(daemon, pins)


class PigpioEdgeReader:
    """Input pins by pigpiod, sampled every 5 us by DMA. The library calls from its own thread."""

    def __init__(self, daemon: Any, pins: Sequence[int]) -> None:
        self._daemon = daemon
        self._pins = tuple(pins)
        self._callbacks: list[Any] = []
        self._tick = daemon.get_current_tick()
        self._at_ns = monotonic_ns()

    def levels(self) -> dict[int, bool]:
        """Read the levels."""
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
        """Stop reporting edges."""
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


class EdgeLine:
    """Keeps pins open and passes on their edges; tries again when opening fails."""

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
        """Open the pins now, or as soon as that succeeds."""
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
        """Return False: pins send no bytes."""
        del data
        return False
