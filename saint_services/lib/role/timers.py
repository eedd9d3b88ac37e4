"""Timers of a role, on anything that keeps time like an event loop."""

from collections.abc import Callable
from typing import Any, Protocol


class Handle(Protocol):
    """A timer that may be taken back."""

    def cancel(self) -> None: ...


class Clock(Protocol):
    """What of asyncio's loop is needed here, so that tests may bring their own time."""

    def time(self) -> float: ...

    def call_at(self, when: float, callback: Callable[..., Any], /, *args: Any) -> Handle: ...

    def call_soon_threadsafe(self, callback: Callable[..., Any], /, *args: Any) -> object: ...


class Ticker:
    """Calls back at a fixed rate until it is closed. Ticks that were missed are left out."""

    def __init__(self, clock: Clock, period_s: float, callback: Callable[[], None]) -> None:
        self._clock = clock
        self._period_s = period_s
        self._callback = callback
        self._due_s = clock.time() + period_s
        self._timer = clock.call_at(self._due_s, self._tick)

    def close(self) -> None:
        """No more calls."""
        self._timer.cancel()

    def _tick(self) -> None:
        self._due_s = max(self._due_s + self._period_s, self._clock.time())
        self._timer = self._clock.call_at(self._due_s, self._tick)
        self._callback()


class Motion:
    """Calls back every `period_s` for as long as the callback says that there is more to do. What
    comes late does not shift what comes after it; what was missed is left out.
    """

    def __init__(self, clock: Clock, period_s: float, step: Callable[[float], bool]) -> None:
        self._clock = clock
        self._period_s = period_s
        self._step = step
        self._due_s = 0.0
        self._timer: Handle | None = None

    def start(self, now_s: float) -> None:
        """Go on after one period, unless that is already planned."""
        if self._timer is None:
            self._plan(now_s + self._period_s)

    def close(self) -> None:
        """Stop where it is."""
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _plan(self, due_s: float) -> None:
        self._due_s = due_s
        self._timer = self._clock.call_at(due_s, self._tick)

    def _tick(self) -> None:
        self._timer = None
        now_s = self._clock.time()
        next_s = self._due_s + self._period_s
        if self._step(now_s):
            self.close()  # the step may have asked for the same
            self._plan(next_s if next_s > now_s else now_s + self._period_s)
