"""Decides how long a switch may stay on: at most so long at a time, and at most a share of a window
of time. Both protect what it switches (a solenoid burns, a pump runs dry), so the role enforces
them by its own clock. Pure: every call has its time.
"""

import math
from collections import deque

from ...role_config.model import PinSpec

_JUST_S = 1e-6  # a timer that is early by a rounding error has come in time
_ROOM = 0.1  # of the allowance must be free again before it is switched on once more


class OnTime:
    """The time that one switch was on. After a limit it stays off until it was commanded off."""

    __slots__ = ("_allowance_s", "_longest_s", "_past", "_since_s", "_window_s", "problem")

    def __init__(self, output: PinSpec) -> None:
        self._longest_s = math.inf if output.longest_on_s is None else output.longest_on_s
        share = 1.0 if output.most_duty is None else output.most_duty
        self._window_s = output.duty_window_s
        self._allowance_s = math.inf if output.most_duty is None else share * output.duty_window_s
        self._past: deque[tuple[float, float]] = deque()  # from, until
        self._since_s: float | None = None
        self.problem = ""  # why it is off although it is commanded on

    def command(self, is_on: bool, now_s: float) -> bool:
        """Follow a command; returns whether the switch is to be on now."""
        if not is_on:
            self.end(now_s)
            self.problem = ""
            return False
        if self.problem:
            return False
        if self._since_s is None:
            if self._used_s(now_s) > (1.0 - _ROOM) * self._allowance_s:
                self.problem = self._exhausted()
                return False
            self._since_s = now_s
        return self.is_within(now_s)

    def is_within(self, now_s: float) -> bool:
        """Return whether the switch is on and may stay so; a limit ends it."""
        since_s = self._since_s
        if since_s is None:
            return False
        if now_s - since_s >= self._longest_s - _JUST_S:
            self.problem = f"was on for {self._longest_s:g} s, its longest; release it"
        elif self._used_s(now_s) >= self._allowance_s - _JUST_S:
            self.problem = self._exhausted()
        else:
            return True
        self.end(now_s)
        return False

    def end(self, now_s: float) -> None:
        """Record that the switch is off."""
        if self._since_s is not None:
            self._past.append((self._since_s, now_s))
            self._since_s = None

    def due_s(self, now_s: float) -> float:
        """Return when a limit may be reached; inf while it is off or has none."""
        if self._since_s is None:
            return math.inf
        return min(self._since_s + self._longest_s, now_s + self._allowance_s - self._used_s(now_s))

    def _used_s(self, now_s: float) -> float:
        if self._allowance_s == math.inf:
            return 0.0
        begin_s, past = now_s - self._window_s, self._past
        while past and past[0][1] <= begin_s:
            past.popleft()
        used = sum(until - max(since, begin_s) for since, until in past)
        return used + (now_s - max(self._since_s, begin_s) if self._since_s is not None else 0.0)

    def _exhausted(self) -> str:
        allowed = f"{self._allowance_s:g} s within {self._window_s:g} s"
        return f"was on for as long as it may be, {allowed}; release it, then wait"
