"""Digital pins by the pigpio daemon, for systems whose libgpiod is older than 2, such as Raspberry
Pi OS 12. It samples pins every 5 us and reports edges over a socket, in order.
"""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

from ...generated.saint_msgs import GPIOPin
from ..ports import EdgeCallback
from .header import ALTERNATES, PINS, function_of, pin_name

_INPUT, _OUTPUT, _EITHER_EDGE = 0, 1, 2
_PULL_OFF, _PULL_UP = 0, 2
_TICKS = 1 << 32  # us; the counter wraps every 72 minutes
_MOST_WAITING = 4096  # edges that the loop has not taken yet: a tenth of a second at full speed


def report(pi: Any) -> list[GPIOPin]:
    """Report all lines with their levels: pigpiod reads registers, which disturbs no user. It has
    no owners.
    """
    levels = _check(pi.read_bank_1())
    return [_line(pin, pi.get_mode(pin), levels >> pin & 1) for pin in range(PINS)]


def _line(pin: int, mode: int, level: int) -> GPIOPin:
    known = {_INPUT: "input", _OUTPUT: "output"}
    direction = known.get(mode) or function_of(pin)
    if direction == "input" and mode != _INPUT:
        direction = "pwm" if "PWM" in " ".join(ALTERNATES.get(pin, ())) else "alternate"
    return GPIOPin(pin, pin_name(pin), direction, "high" if level else "low")


class PigpioOutput:
    """A pin that is high or low."""

    def __init__(self, pi: Any, pin: int, *, high: bool = False) -> None:
        self._pi = pi
        self._pin = pin
        self.set(high)
        _check(pi.set_mode(pin, _OUTPUT))

    def set(self, high: bool) -> None:
        _check(self._pi.write(self._pin, int(high)))

    def close(self) -> None:
        """Do nothing: the level stays, and pigpiod has no owners."""


class PigpioEdges:
    """Input pins. Edges come in a thread of the library and are passed to the loop in batches."""

    def __init__(self, pi: Any, pins: Sequence[int], *, pull_up: bool) -> None:
        self._pi = pi
        self._pins = tuple(pins)
        self._watches: list[Any] = []
        self._waiting: deque[tuple[int, bool, int]] = deque(maxlen=_MOST_WAITING)
        self._is_scheduled = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._callback: EdgeCallback | None = None
        self._last_tick = 0
        self._stamp_ns = 0
        for pin in self._pins:
            _check(pi.set_mode(pin, _INPUT))
            _check(pi.set_pull_up_down(pin, _PULL_UP if pull_up else _PULL_OFF))

    def levels(self) -> dict[int, bool]:
        """Read the levels."""
        return {pin: _check(self._pi.read(pin)) == 1 for pin in self._pins}

    def listen(self, callback: EdgeCallback) -> None:
        """Report edges from now on."""
        self._loop = asyncio.get_running_loop()
        self._callback = callback
        self._last_tick, self._stamp_ns = self._pi.get_current_tick(), time.monotonic_ns()
        self._watches = [self._pi.callback(pin, _EITHER_EDGE, self._edge) for pin in self._pins]

    def close(self) -> None:
        """Stop reporting edges."""
        for watch in self._watches:
            watch.cancel()
        self._watches.clear()
        self._callback = None

    def _edge(self, pin: int, level: int, tick: int) -> None:
        """Queue an edge, in the library's thread."""
        if level > 1 or self._loop is None:
            return  # 2 is the library's own watchdog
        self._stamp_ns += (tick - self._last_tick) % _TICKS * 1000
        self._last_tick = tick
        self._waiting.append((pin, level == 1, self._stamp_ns))
        if not self._is_scheduled:
            self._is_scheduled = True
            with contextlib.suppress(RuntimeError):  # the loop has ended, and so has the role
                self._loop.call_soon_threadsafe(self._drain)

    def _drain(self) -> None:
        self._is_scheduled = False
        while self._waiting:
            edge = self._waiting.popleft()
            if self._callback:
                self._callback(*edge)


def _check(result: int) -> int:
    if result < 0:
        raise OSError(5, f"pigpiod refuses with {result}")
    return result
