"""Decides when a track that is driven and does not turn has stalled, and when it may be tried
again. Pure. The numbers are those of small brushed motors: half a second of full current is
harmless, half a minute is not.
"""

import math
from collections import deque
from dataclasses import dataclass, field
from enum import Enum

STALL_S = 0.5  # driven without turning
_HARD_DUTY = 0.4  # below, a motor may stand without harm (a turn on carpet that sticks)
_HARD_CURRENT = 0.5  # of the stall current, where it is measured
_STANDING = 0.03  # of the top speed
PAUSE_S = 1.0  # between a stall and the next try
MOST = 3  # stalls within FORGET_S: a person must look
FORGET_S = 60.0


@dataclass(slots=True)
class StallDetector:
    """Detects the stall of one track."""

    stall_current_a: float
    _since_s: float = math.inf

    def is_stalled(
        self, duty: float, speed_share: float | None, current_a: float | None, now_s: float
    ) -> bool:
        """Return whether the track has stalled. `speed_share` of the top speed is None without an
        encoder, `current_a` without a meter. Call this with every measurement."""
        is_high = current_a is not None and current_a >= _HARD_CURRENT * self.stall_current_a
        if speed_share is None:
            is_stuck = is_high  # all that can be known
        else:
            is_driven = is_high or abs(duty) >= _HARD_DUTY
            is_stuck = is_driven and speed_share * math.copysign(1.0, duty) < _STANDING
        if not is_stuck or duty == 0.0:
            self._since_s = math.inf
            return False
        self._since_s = min(self._since_s, now_s)
        return now_s - self._since_s >= STALL_S


class Verdict(Enum):
    """The consequence of a stall."""

    PAUSE = "pause"  # stop; another try after a neutral command
    STOP_ROBOT = "stop_robot"


@dataclass(slots=True)
class Retry:
    """After a stall the tracks stand until the stick was neutral and a pause is over."""

    is_blocked: bool = False
    _until_s: float = 0.0
    _was_neutral: bool = False
    _stalls: deque[float] = field(default_factory=lambda: deque(maxlen=MOST))

    def stalled(self, now_s: float) -> Verdict:
        """Record a stall; returns its consequence."""
        self.is_blocked, self._was_neutral = True, False
        self._until_s = now_s + PAUSE_S
        self._stalls.append(now_s)
        if len(self._stalls) == MOST and now_s - self._stalls[0] <= FORGET_S:
            self._stalls.clear()
            return Verdict.STOP_ROBOT
        return Verdict.PAUSE

    def may_drive(self, is_neutral: bool, now_s: float) -> bool:
        """Return whether a command may move the tracks."""
        if self.is_blocked:
            self._was_neutral |= is_neutral
            self.is_blocked = not (self._was_neutral and now_s >= self._until_s)
        return not self.is_blocked
