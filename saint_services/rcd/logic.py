"""Judges whether a receiver's signal is valid: live, lost, or recovering. Pure: time comes in.

Channels drive only from a frame that is valid, not marked as failsafe or lost, and recent. A link
that recovers must be steady for a while before it counts again. Not here: which of two receivers
is in charge, and what a loss means to the robot (selection.py).
"""

from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise

from .channels import Normalizer, names
from .config import ROUTER_MARGIN_MS, Failsafe, Silence
from .protocols import Frame, LinkFrame, RcFrame
from .protocols.crsf_telemetry import LinkStatistics, telemetry

STEADY_FRAMES = 3  # after a loss; at the start too where nothing checks a frame (SBUS, PPM, PWM)
CONNECTED_S = 1.0  # a receiver without a valid frame for longer is not connected
LINK_S = 2.0  # link statistics older than this are ignored
RATE_FRAMES = 100  # the measured rate looks back so far
KNOWN_FRAMES = 10  # needed to measure a rate


class SignalChange(Enum):
    """Change of the signal by a frame, or by time."""

    NOTHING = 0
    LIVE = 1  # a new sample: publish it
    LOST = 2  # the signal was lost just now: publish that


@dataclass(slots=True)
class Receiver:
    """One receiver's signal. `normalizer` and `rules` may be replaced at any time."""

    normalizer: Normalizer
    rules: Failsafe
    needs_steady_start: bool
    silence: Silence = field(default_factory=Silence)
    failsafe: bool = True
    reason: str = "nothing was received yet"
    names: tuple[str, ...] = ()
    values: tuple[float, ...] = ()
    recent: dict[int, RcFrame] = field(default_factory=dict)  # newest, by first channel
    link: LinkStatistics | LinkFrame | None = None
    good_s: float = float("-inf")  # the last frame that counted
    received_s: float = float("-inf")  # the last valid frame of any kind
    live_since_s: float = float("-inf")
    lost_frames: int = 0  # marked as lost, ever
    losses: int = 0  # of the signal, ever
    _link_s: float = float("-inf")
    _lost_in_row: int = 0
    _steady: int = 0
    _steady_s: float = float("-inf")  # the last good frame
    _steady_since_s: float = float("-inf")
    _was_live: bool = False
    _times_s: deque[float] = field(default_factory=lambda: deque(maxlen=RATE_FRAMES))

    @property
    def timeout_s(self) -> float:
        return self.rules.timeout_ms / 1000

    @property
    def quiet_s(self) -> float:
        """Return after how many seconds without a frame the robot holds, before it is a loss. A
        slow link gets more time, as far as the router's own time-out permits.
        """
        rules = self.silence
        wanted_s = max(rules.at_least_ms / 1000, rules.frames * self._period_s())
        return min(wanted_s, (rules.router_ms - ROUTER_MARGIN_MS) / 1000, self.timeout_s)

    def take(self, frame: Frame, now_s: float) -> SignalChange:
        """Accept one valid frame."""
        self.received_s = now_s
        if not isinstance(frame, RcFrame):
            content = frame if isinstance(frame, LinkFrame) else telemetry(frame)
            if isinstance(content, (LinkStatistics, LinkFrame)):
                return self._take_link(content, now_s)
            return _NO
        self._times_s.append(now_s)
        if frame.failsafe:
            return self.lose("the receiver reports failsafe")
        if frame.frame_lost:
            return self._count_lost()
        self._lost_in_row = 0
        if self._is_preset(frame):
            return self.lose(f"CH {self._preset} is at its failsafe position")
        if self._is_link_down(now_s):
            return _NO  # the receiver repeats old values
        if self.failsafe:
            if not self._is_steady(now_s):
                return _NO
            self.live_since_s = now_s
        self.failsafe, self._was_live = False, True
        self.good_s = now_s
        self._keep(frame)
        return SignalChange.LIVE

    def check(self, now_s: float) -> SignalChange:
        """Detect a time-out."""
        if not self.failsafe and now_s - self.good_s >= self.timeout_s:
            return self.lose(f"no frame for {self.rules.timeout_ms} ms")
        return _NO

    def lose(self, reason: str) -> SignalChange:
        """Record the loss of the signal, with its reason."""
        self.reason = reason
        self._steady = 0
        if self.failsafe:
            return _NO
        self.failsafe = True
        self.losses += 1
        return SignalChange.LOST

    def is_connected(self, now_s: float) -> bool:
        """Return True while the receiver sends valid frames, with or without its transmitter."""
        return now_s - self.received_s < CONNECTED_S

    def rate_hz(self, now_s: float) -> float:
        """Return the channel frames per second; falls when they stop."""
        times = self._times_s
        if len(times) < 2 or not self.is_connected(now_s):
            return 0.0
        return (len(times) - 1) / max(now_s - times[0], 1e-3)

    def _period_s(self) -> float:
        """Return the median time between frames; 0 while it is not known."""
        times = self._times_s
        if len(times) < KNOWN_FRAMES:
            return 0.0
        return sorted(after - before for before, after in pairwise(times))[len(times) // 2 - 1]

    def apply(self, normalizer: Normalizer) -> None:
        """Use other ranges, for the newest values too."""
        self.normalizer = normalizer
        for frame in self.recent.values():
            self._keep(frame)

    @property
    def us(self) -> dict[int, float]:
        """Return the newest microseconds of every received channel, by number."""
        return {
            first + i + 1: frame.scale.exact[raw]
            for first, frame in self.recent.items()
            for i, raw in enumerate(frame.raw)
        }

    @property
    def _preset(self) -> int:
        return self.rules.channel.number if self.rules.channel else 0

    def _count_lost(self) -> SignalChange:
        """Count a frame that the receiver marks as lost; many in a row are a loss."""
        self.lost_frames += 1
        self._lost_in_row += 1
        self._steady = 0
        if self._lost_in_row >= self.rules.lost_frames:
            return self.lose(f"the receiver lost {self.rules.lost_frames} frames in a row")
        return _NO

    def _is_preset(self, frame: RcFrame) -> bool:
        rule = self.rules.channel
        if rule is None:
            return False
        index = rule.number - 1 - (frame.first_channel or 0)
        if not 0 <= index < len(frame.raw):
            return False
        return rule.is_met(frame.scale.exact[frame.raw[index]])

    def _take_link(self, link: LinkStatistics | LinkFrame, now_s: float) -> SignalChange:
        self.link, self._link_s = link, now_s
        return self.lose("the link quality is 0") if link.uplink_lq_percent == 0 else _NO

    def _is_link_down(self, now_s: float) -> bool:
        link = self.link
        return link is not None and not link.uplink_lq_percent and now_s - self._link_s < LINK_S

    def _is_steady(self, now_s: float) -> bool:
        if now_s - self._steady_s > self.timeout_s:
            self._steady = 0
        if not self._steady:
            self._steady_since_s = now_s
        self._steady_s = now_s
        self._steady += 1
        if self._was_live:
            is_long = now_s - self._steady_since_s >= self.rules.recovery_ms / 1000
            return is_long and self._steady >= STEADY_FRAMES
        return not self.needs_steady_start or self._steady >= STEADY_FRAMES

    def _keep(self, frame: RcFrame) -> None:
        values = self.normalizer.values(frame)
        if frame.first_channel is None:
            self.recent[0] = frame
            self.names, self.values = names(0, len(values)), values
        else:
            self._merge(frame, values)

    def _merge(self, frame: RcFrame, values: tuple[float, ...]) -> None:
        """Update a subset; the other channels keep their values."""
        first = frame.first_channel or 0
        self.recent[first] = frame
        known = dict(zip(self.names, self.values, strict=True))
        known.update(zip(names(first, len(values)), values, strict=True))
        in_order = [name for name in names(0, 18) if name in known]
        if len(in_order) != len(self.names):
            self.names = tuple(in_order)
        self.values = tuple(known[name] for name in self.names)


_NO = SignalChange.NOTHING
