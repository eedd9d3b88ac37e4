"""Whether the signal may be believed: live, lost, or coming back. Pure: time comes in.

Channels drive only from a frame that is valid, not marked as failsafe or lost, and recent. A link
that comes back must be steady for a few frames before it counts again.
"""

from collections import deque
from dataclasses import dataclass, field
from enum import Enum

from .channels import Normalizer, names
from .protocols import Frame, RcFrame
from .protocols.crsf_telemetry import LinkStatistics, telemetry

STEADY_FRAMES = 3  # after a loss; at the start too where nothing checks a frame (SBUS)
HEARD_S = 1.0  # a receiver that is silent for longer is not connected
LINK_S = 2.0  # link statistics older than this say nothing
RATE_FRAMES = 100  # the measured rate looks back so far


class Outcome(Enum):
    """What a frame, or time, has changed."""

    NOTHING = 0
    LIVE = 1  # a new sample: publish it
    LOST = 2  # the signal was lost just now: say so


@dataclass(slots=True)
class Receiver:
    """The receiver's signal."""

    normalizer: Normalizer
    timeout_s: float
    needs_steady_start: bool
    neutral_when_lost: bool = False
    failsafe: bool = True
    reason: str = "nothing was heard yet"
    names: tuple[str, ...] = ()
    values: tuple[float, ...] = ()
    recent: dict[int, RcFrame] = field(default_factory=dict)  # newest, by first channel
    link: LinkStatistics | None = None
    good_s: float = float("-inf")  # the last frame that counted
    heard_s: float = float("-inf")  # the last valid frame of any kind
    _link_s: float = float("-inf")
    _steady: int = 0
    _steady_s: float = float("-inf")
    _was_live: bool = False
    _times_s: deque[float] = field(default_factory=lambda: deque(maxlen=RATE_FRAMES))

    def take(self, frame: Frame, now_s: float) -> Outcome:
        """One valid frame."""
        self.heard_s = now_s
        if not isinstance(frame, RcFrame):
            content = telemetry(frame)
            return self._take_link(content, now_s) if isinstance(content, LinkStatistics) else _NO
        self._times_s.append(now_s)
        if frame.failsafe:
            return self.lose("the receiver reports failsafe")
        if frame.frame_lost or self._is_link_down(now_s):
            return _NO  # its values are old ones: time decides
        if self.failsafe and not self._is_steady(now_s):
            return _NO
        self.failsafe, self._was_live = False, True
        self.good_s = now_s
        self._keep(frame)
        return Outcome.LIVE

    def check(self, now_s: float) -> Outcome:
        """Time has passed."""
        if not self.failsafe and now_s - self.good_s >= self.timeout_s:
            return self.lose("no new frame arrives")
        return _NO

    def lose(self, reason: str) -> Outcome:
        """The signal is lost."""
        self.reason = reason
        self._steady = 0
        if self.failsafe:
            return _NO
        self.failsafe = True
        if self.neutral_when_lost:
            self.values = (0.0,) * len(self.values)
        return Outcome.LOST

    def is_connected(self, now_s: float) -> bool:
        """The receiver itself is heard, with or without its transmitter."""
        return now_s - self.heard_s < HEARD_S

    def rate_hz(self, now_s: float) -> float:
        """Channel frames per second; falls when they stop."""
        times = self._times_s
        if len(times) < 2 or not self.is_connected(now_s):
            return 0.0
        return (len(times) - 1) / max(now_s - times[0], 1e-3)

    def _take_link(self, link: LinkStatistics, now_s: float) -> Outcome:
        self.link, self._link_s = link, now_s
        return self.lose("the link quality is 0") if link.uplink_lq_percent == 0 else _NO

    def _is_link_down(self, now_s: float) -> bool:
        link = self.link
        return link is not None and not link.uplink_lq_percent and now_s - self._link_s < LINK_S

    def _is_steady(self, now_s: float) -> bool:
        if now_s - self._steady_s > self.timeout_s:
            self._steady = 0
        self._steady_s = now_s
        self._steady += 1
        needed = STEADY_FRAMES if self._was_live or self.needs_steady_start else 1
        return self._steady >= needed

    def _keep(self, frame: RcFrame) -> None:
        values = self.normalizer.values(frame)
        if frame.first_channel is None:
            self.recent[0] = frame
            self.names, self.values = names(0, len(values)), values
        else:
            self._merge(frame, values)

    def _merge(self, frame: RcFrame, values: tuple[float, ...]) -> None:
        """A subset: the other channels keep what they have."""
        first = frame.first_channel or 0
        self.recent[first] = frame
        known = dict(zip(self.names, self.values, strict=True))
        known.update(zip(names(first, len(values)), values, strict=True))
        in_order = [name for name in names(0, 18) if name in known]
        if len(in_order) != len(self.names):
            self.names = tuple(in_order)
        self.values = tuple(known[name] for name in self.names)


_NO = Outcome.NOTHING
