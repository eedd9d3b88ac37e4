"""What is known of each subject: order and loss by frame numbers, rate, age, tracking.

Pure: time comes in. Frame numbers give order and loss only; staleness is judged by receive time.
"""

import math
from collections import deque
from dataclasses import dataclass, field

from .protocols import Frame, Refused
from .protocols.llf import SHAPES

MAX_SUBJECTS = 64
FORGET_S = 60.0  # a silent subject makes room for a new one after this
RESTART_S = 10.0  # a longer jump of the frame number is a restart, not loss
LATE_S = 1.0  # a frame that is older by less than this came late or twice,
LATE_RUN = 5  # unless so many in rising order say that the sender has set its clock back
DAY_S = 86_400  # the phone counts frames since midnight
MAX_MISSING = 64  # remembered, in case they only come late
RATE_FRAMES = 60  # the measured rate looks back so far
FRAME_PERIOD_S = 0.1  # of the message with all properties, per subject

LATE = Refused("it came late or twice")
FULL = Refused("there are too many subjects")


@dataclass(slots=True)
class Loss:
    """Counts missing frames of one stream by their numbers."""

    lost: int = 0
    _last: int | None = None
    _late_last: int = 0
    _late_run: int = 0
    _missing: deque[int] = field(default_factory=lambda: deque(maxlen=MAX_MISSING))

    def is_late(self, frame: Frame) -> bool:
        """Take the frame into account; True when it is not newer than the last one.

        A late frame is not used, but it was not lost either.
        """
        if self._last is None:
            self._last = frame.number
            return False
        per_second = frame.rate[0] / frame.rate[1]
        step = frame.number - self._last
        if step < 0:
            over_midnight = step + round(DAY_S * per_second)
            step = over_midnight if 0 < over_midnight < RESTART_S * per_second else step
        if -LATE_S * per_second < step <= 0 and not self._is_set_back(frame.number):
            self._found(frame.number)
            return True
        if 0 < step <= RESTART_S * per_second:
            self.lost += step - 1
            self._missing.extend(range(frame.number - min(step - 1, MAX_MISSING), frame.number))
        self._last = frame.number
        self._late_run = 0
        return False

    def _is_set_back(self, number: int) -> bool:
        """True when late frames keep rising one by one: they are a stream of their own."""
        self._late_run = self._late_run + 1 if number == self._late_last + 1 else 1
        self._late_last = number
        return self._late_run >= LATE_RUN

    def _found(self, number: int) -> None:
        if number in self._missing:
            self._missing.remove(number)
            self.lost -= 1

    def restart(self) -> None:
        """Another sender: its numbers have nothing to do with those before."""
        self._last = None


@dataclass(slots=True)
class Subject:
    """One subject as the last frame left it."""

    frame: Frame
    address: tuple[str, int]
    received_s: float  # monotonic
    source: str  # as in input samples
    frames: int = 0
    sequence: int = 0
    loss: Loss = field(default_factory=Loss)
    names: tuple[str, ...] = ()  # of the last frame that was tracked
    times_s: deque[float] = field(default_factory=lambda: deque(maxlen=RATE_FRAMES))
    published_s: float = float("-inf")  # the message with all properties

    def rate_hz(self, now_s: float) -> float:
        """Measured over the last frames; falls when they stop."""
        if len(self.times_s) < 2:
            return 0.0
        return (len(self.times_s) - 1) / max(now_s - self.times_s[0], 1e-3)

    def is_due(self, now_s: float) -> bool:
        """True at most every FRAME_PERIOD_S: time for the message with all properties."""
        if now_s - self.published_s < FRAME_PERIOD_S:
            return False
        self.published_s = now_s
        return True


class Registry:
    """All subjects, bounded: names come from the network."""

    def __init__(self) -> None:
        self.subjects: dict[str, Subject] = {}

    def take(self, frame: Frame, address: tuple[str, int], now_s: float) -> Subject | Refused:
        """The frame's subject, brought up to date; or why the frame is not used."""
        subject = self.subjects.get(frame.subject)
        if subject is None:
            if not self._has_room(now_s):
                return FULL
            # Sequences rise over restarts too: a new life must not look like repeated samples.
            first = int(now_s * 1_000_000)
            subject = Subject(frame, address, now_s, f"livelink:{frame.subject}", sequence=first)
            self.subjects[frame.subject] = subject
        elif subject.address != address or subject.frame.device != frame.device:
            subject.loss.restart()
        if subject.loss.is_late(frame):
            return LATE
        subject.frame, subject.address, subject.received_s = frame, address, now_s
        subject.frames += 1
        subject.sequence += 1
        subject.names = frame.names or subject.names
        subject.times_s.append(now_s)
        return subject

    def _has_room(self, now_s: float) -> bool:
        if len(self.subjects) < MAX_SUBJECTS:
            return True
        oldest = min(self.subjects.values(), key=lambda subject: subject.received_s)
        if now_s - oldest.received_s < FORGET_S:
            return False
        del self.subjects[oldest.frame.subject]
        return True


class SenderLimit:
    """A token bucket per sender's address, bounded: addresses can be forged."""

    def __init__(self, per_second: float, max_senders: int = 256) -> None:
        self._per_second = per_second
        self._max_senders = max_senders
        self._buckets: dict[str, tuple[float, float]] = {}  # tokens left, at

    def allows(self, ip: str, now_s: float) -> bool:
        """Whether one more datagram of this sender may be looked at."""
        tokens, then_s = self._buckets.pop(ip, (self._per_second, now_s))
        tokens = min(tokens + (now_s - then_s) * self._per_second, self._per_second)
        allowed = tokens >= 1.0
        if len(self._buckets) >= self._max_senders:
            del self._buckets[next(iter(self._buckets))]  # the one not heard for longest
        self._buckets[ip] = (tokens - allowed, now_s)
        return allowed


def bounded(frame: Frame) -> tuple[float, ...]:
    """The frame's values for the router: shapes 0 to 1, angles within half a turn."""
    values = frame.values
    if frame.type != "face" or not values:
        return values
    if min(values) >= 0.0 and max(values) <= 1.0:
        return values
    shapes = [min(max(value, 0.0), 1.0) for value in values[:SHAPES]]
    angles = [min(max(value, -math.pi), math.pi) for value in values[SHAPES:]]
    return (*shapes, *angles)
