"""Detects late and lost frames of one stream by frame numbers. Pure. Not here: staleness, which is
judged by receive time alone.
"""

from collections import deque
from dataclasses import dataclass, field

from .protocols import Frame

RESTART_S = 10.0  # a longer jump of the frame number is a restart, not loss
LATE_S = 1.0  # a frame that is older by less than this came late or twice,
LATE_RUN = 5  # unless so many in rising order say that the sender has set its clock back
DAY_S = 86_400  # the phone counts frames since midnight
MAX_MISSING = 64  # remembered, in case they only come late


@dataclass(slots=True)
class FrameLoss:
    """Counts missing frames of one stream by their numbers."""

    lost: int = 0
    _last: int | None = None
    _late_last: int = 0
    _late_run: int = 0
    _missing: deque[int] = field(default_factory=lambda: deque(maxlen=MAX_MISSING))

    def is_late(self, frame: Frame) -> bool:
        """Account for the frame; return True when it is not newer than the last one.

        A late frame is not used, but it was not lost either.
        """
        numerator, denominator = frame.rate
        if not numerator:
            return False  # the number is not the sender's
        if self._last is None:
            self._last = frame.number
            return False
        per_second = numerator / denominator
        step = frame.number - self._last
        if not -LATE_S * per_second < step <= RESTART_S * per_second:
            step = _over_midnight(step, per_second)
        if -LATE_S * per_second < step <= 0 and not self._is_set_back(frame.number):
            self._found(self._last + step)
            return True
        if 0 < step <= RESTART_S * per_second:
            self.lost += step - 1
            self._missing.extend(range(frame.number - min(step - 1, MAX_MISSING), frame.number))
        self._last = frame.number
        self._late_run = 0
        return False

    def _is_set_back(self, number: int) -> bool:
        """Return True when late frames keep rising one by one: the sender set its clock back."""
        self._late_run = self._late_run + 1 if number == self._late_last + 1 else 1
        self._late_last = number
        return self._late_run >= LATE_RUN

    def _found(self, number: int) -> None:
        if number in self._missing:
            self._missing.remove(number)
            self.lost -= 1

    def restart(self) -> None:
        """Start again with another sender, whose numbers are unrelated."""
        self._last = None


def _over_midnight(step: int, per_second: float) -> int:
    """Return the step across midnight, forward or back for a late frame; else the step as it is.

    At 30000/1001 a day may have 30 x 86400 numbers, as many as there are frames, or those of
    drop-frame time code (18 left out in ten minutes for 30): the nearest is assumed.
    """
    nominal = round(per_second)
    days = {nominal * DAY_S, round(per_second * DAY_S)}
    if nominal % 30 == 0:
        days.add(nominal * DAY_S - 144 * 18 * (nominal // 30))
    folded = [step + day if step < 0 else step - day for day in days]
    near = [s for s in folded if -LATE_S * per_second < s <= RESTART_S * per_second]
    return min(near, key=lambda s: (s <= 0, abs(s)), default=step)
