"""Timers of a role, on any clock that works like an event loop's."""

from collections.abc import Callable
from typing import Any, Protocol


class Handle(Protocol):
    """A timer that can be cancelled."""

    def cancel(self) -> None: ...


class Clock(Protocol):
    """The part of asyncio's loop that a role needs, so that tests can control the time."""

    def time(self) -> float: ...

    def call_at(self, when: float, callback: Callable[..., Any], /, *args: Any) -> Handle: ...

    def call_soon_threadsafe(self, callback: Callable[..., Any], /, *args: Any) -> object: ...


_EARLY, _LATE = 0.1, 0.2  # of a period: events may come so much early or late


class Ticker:
    """Calls back at a fixed rate until closed. Missed ticks are skipped."""

    def __init__(self, clock: Clock, period_s: float, callback: Callable[[], None]) -> None:
        self._clock = clock
        self._period_s = period_s
        self._callbacks = [callback]
        self._is_coinciding = False
        self._ticked_s = clock.time()
        self._due_s = self._ticked_s + period_s
        self._timer = clock.call_at(self._due_s, self._tick)

    def add(self, callback: Callable[[], None]) -> None:
        """Call this back too, after those that came before."""
        self._callbacks.append(callback)

    def coincide(self) -> None:
        """Tick in this wake-up of the process, after what is handled now, if a tick is near; else
        shift the next one towards the next such event. Call this for events of the same rate: they
        then need no wake-ups beside their own. Without them the timer goes on.
        """
        if self._is_coinciding or not self._callbacks:
            return  # once per tick: a flood of events must not put it off
        self._timer.cancel()
        now_s = self._clock.time()
        if now_s - self._ticked_s < (1.0 - _EARLY) * self._period_s:
            self._due_s = self._ticked_s + (1.0 + _LATE) * self._period_s
            self._timer = self._clock.call_at(self._due_s, self._tick)
            return
        self._is_coinciding = True
        self._due_s = now_s + _LATE * self._period_s
        self._timer = self._clock.call_at(now_s, self._tick)

    def close(self) -> None:
        """Make no more calls."""
        self._timer.cancel()
        self._callbacks.clear()

    def _tick(self) -> None:
        self._is_coinciding = False
        self._ticked_s = self._clock.time()
        self._due_s = max(self._due_s + self._period_s, self._ticked_s)
        self._timer = self._clock.call_at(self._due_s, self._tick)
        for callback in self._callbacks:
            callback()


class Motion:
    """Calls back every `period_s` for as long as the callback returns True. A late call does not
    delay those after it; missed ones are skipped.
    """

    def __init__(self, clock: Clock, period_s: float, step: Callable[[float], bool]) -> None:
        self._clock = clock
        self._period_s = period_s
        self._step = step
        self._due_s = 0.0
        self._timer: Handle | None = None

    @property
    def is_running(self) -> bool:
        """True while a call is scheduled."""
        return self._timer is not None

    def start(self, now_s: float) -> None:
        """Call back after one period, unless a call is scheduled already."""
        if self._timer is None:
            self._schedule(now_s + self._period_s)

    def close(self) -> None:
        """Cancel the scheduled call."""
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _schedule(self, due_s: float) -> None:
        self._due_s = due_s
        self._timer = self._clock.call_at(due_s, self._tick)

    def _tick(self) -> None:
        self._timer = None
        now_s = self._clock.time()
        next_s = self._due_s + self._period_s
        if self._step(now_s):
            self.close()  # the step may have started it too
            self._schedule(next_s if next_s > now_s else now_s + self._period_s)
