"""Decides how many bits a camera's stream may have, and with that its size and rate. Pure: times
come in as arguments. Not here: the encoder (picture.py), who measured (feedback.py), whether a link
is full (link_load.py).

The stream is encoded once, so one link decides for all: the operator's. Without an operator who
watches it is the slowest viewer's. What its receiver estimates (REMB) counts, less a margin, a fall
only where the link is full; a loss above 10 % takes as much off as it says, and growth is 8 % a
second (as Google's congestion control does, draft-ietf-rmcat-gcc-02, section 6), more where the
reports say that the link is not full. A viewer whose link is slower loses pictures, and begins
again with the next key picture.

A stream opens with what most links have, or with what the last one had where that was less, half of
it where that one was full at its end, and doubles with each report of its link until one says that
it is too much: what a narrow link cannot carry would take reports, commands and the link itself
with it.

An estimate after a narrow link only creeps up, as nobody sends more, or sticks for good. While the
link is not full the rate goes ahead of it in steps, which double it where the estimate sticks; a
step that was too much makes the next one wait longer.
"""

from dataclasses import dataclass, field
from typing import Final

from .link_load import MUCH_LOSS, LinkLoad

LEAST_KBPS: Final = 60.0
OPENING_KBPS: Final = 500.0
_MARGIN = 0.85  # of the estimate: sound, state and headers need the rest
_LITTLE_LOSS = 0.02
_GROWTH_PER_S = 1.08
_CALM_GROWTH_PER_S = 1.5  # where the link is known not to be full: steps may go as far
_LOSS_PAUSE_S = 1.0  # between two reductions
_DOWN, _UP = 0.87, 1.15  # smaller changes are not worth a new encoder
_UP_PAUSE_S = 2.0
_SIZE_PAUSE_S = 2.0  # so long a smaller or larger size must have been right
# Below it VP8 shows blocks rather than detail; half of the width and height look better.
_BITS_PER_PIXEL = 0.035
_RATE_HZ = 30.0
_STEP = 1.25  # ahead of an estimate that rises
_BLIND_STEP = 2.0  # ahead of one that does not, once a step was not too much
_RISING_S = 10.0  # after the estimate rose last: where no delay is known, it has to
_FALL = 0.97  # of the estimate before: the receiver saw its queue grow
_LEAST_CUT = 0.5  # at once, of what has arrived: an estimate may be stale
_STEP_PAUSE_S, _LONGEST_STEP_PAUSE_S = 5.0, 60.0  # after a fall
_CALM_S, _LONGEST_CALM_S = 1.5, 12.0  # after a full link that got wider: its queue went uncut
_FLOOR_KBPS = 1.3 * LEAST_KBPS  # a cut to no less is none
_LONGEST_SEEN_S = 10.0  # the same where the delay is known: too much is seen at once
_BELOW = 0.9  # of what was too much: so much may be enough
_ANSWER_S = 4.0  # a fall so soon after a step is the step's


@dataclass(frozen=True, slots=True)
class VideoTarget:
    """How a stream is to be encoded."""

    kbps: float
    divisor: int = 1  # of width and height
    is_half_rate: bool = False  # every second picture is left out


@dataclass(slots=True)
class _Link:
    estimate_kbps: float | None = None
    loss_s: float = float("-inf")
    rose_s: float = float("-inf")  # the estimate
    fell_s: float = float("-inf")  # while the link was full
    full_s: float = float("-inf")  # when it was full last; known where the delay is
    load: LinkLoad = field(default_factory=LinkLoad)

    def estimated(self, kbps: float, now_s: float) -> None:
        """Record an estimate."""
        before, self.estimate_kbps = self.estimate_kbps, kbps
        if before is not None and kbps > before:
            self.rose_s = now_s
        elif before is not None and kbps < _FALL * before and self.load.is_full:
            self.fell_s = now_s

    def known_kbps(self) -> float:
        """Return the estimate; browsers have none for the first seconds."""
        return float("inf") if self.estimate_kbps is None else self.estimate_kbps


@dataclass(slots=True)
class RateRule:
    """Of one camera."""

    most_kbps: float
    pixels: int = 640 * 480  # of the camera's pictures
    _kbps: float = field(init=False)
    _by_loss: float = field(init=False)
    _is_opening: bool = True
    _doubled_s: float = float("-inf")  # the report that doubled the rate last
    _links: dict[str, _Link] = field(default_factory=dict)
    _last: LinkLoad = field(default_factory=LinkLoad)  # of the link that ended last
    _judged_s: float | None = None
    _reduced_s: float = float("-inf")
    _changed_s: float = float("-inf")
    _cut_s: float = float("-inf")
    _stepped_s: float = float("-inf")
    _judged_fall_s: float = float("-inf")
    _fell_kbps: float = float("inf")  # the rate that was too much last
    _step_pause_s: float = _STEP_PAUSE_S
    _calm_s: float = _CALM_S
    _size: tuple[int, bool] = (1, False)
    _size_since_s: float | None = None  # since when another size would be right

    def __post_init__(self) -> None:
        self._kbps = self._by_loss = min(self.most_kbps, OPENING_KBPS)

    def measured(
        self, session: str, now_s: float, *, estimate_kbps: float | None = None,
        loss: float | None = None, round_trip_ms: float | None = None,
    ) -> None:  # fmt: skip
        """Record what the receiver of a session has reported. `round_trip_ms`: of the newest report
        that it has answered.
        """
        link = self._links.get(session)
        if link is None:
            link = self._links[session] = _Link(load=self._last.successor())
        if round_trip_ms is not None:
            link.load.delayed(round_trip_ms, now_s)
        if estimate_kbps is not None:
            link.estimated(max(0.0, estimate_kbps), now_s)
        if loss is not None:
            link.load.loss, link.loss_s = min(1.0, max(0.0, loss)), now_s
        if link.load.round_trip_ms is not None and link.load.is_full:
            link.full_s = now_s

    def forget(self, session: str) -> None:
        """Drop what was measured; without viewers the next stream opens again."""
        link = self._links.pop(session, None)
        if link is not None:
            self._last = link.load
        if not self._links:
            share = 0.5 if self._last.is_full and self._last.round_trip_ms is not None else 1.0
            opening = max(LEAST_KBPS, share * min(self._kbps, OPENING_KBPS))
            self._kbps = self._by_loss = opening
            self._is_opening, self._doubled_s = True, float("-inf")
            self._size, self._size_since_s, self._judged_s = (1, False), None, None
            self._fell_kbps, self._step_pause_s = float("inf"), _STEP_PAUSE_S

    def target(self, operator: str, now_s: float) -> VideoTarget:
        """Return how to encode now."""
        link = self._deciding(operator)
        passed_s = now_s - self._judged_s if self._judged_s is not None else 0.0
        self._judged_s = now_s
        if link is not None:
            self._follow(link, now_s, passed_s)
        self._resize(now_s)
        return VideoTarget(self._kbps, *self._size)

    def _deciding(self, operator: str) -> _Link | None:
        if operator in self._links:
            return self._links[operator]
        return min(self._links.values(), key=_Link.known_kbps, default=None)

    def _follow(self, link: _Link, now_s: float, passed_s: float) -> None:
        loss, is_new = link.load.loss, link.loss_s > self._reduced_s
        if loss > MUCH_LOSS:
            if is_new and now_s - self._reduced_s >= _LOSS_PAUSE_S:
                self._by_loss = self._kbps * (1.0 - loss / 2.0)
                self._reduced_s = now_s
            self._is_opening = False
        elif self._is_opening:
            self._open(link)
        elif loss < _LITTLE_LOSS:
            is_calm = link.load.round_trip_ms is not None and not link.load.is_full
            self._by_loss *= (_CALM_GROWTH_PER_S if is_calm else _GROWTH_PER_S) ** passed_s
        self._by_loss = min(self.most_kbps, max(LEAST_KBPS, self._by_loss))
        allowed = self._allowed(link)
        stepped = self._step(link, now_s, allowed) * self._kbps
        is_step = stepped > allowed
        wanted = min(self.most_kbps, max(LEAST_KBPS, min(max(allowed, stepped), self._by_loss)))
        is_rise = wanted > _UP * self._kbps or wanted == self.most_kbps > self._kbps
        is_cut = wanted < _DOWN * self._kbps
        if is_cut or (is_rise and now_s - self._changed_s >= _UP_PAUSE_S):
            if is_step and wanted > self._kbps:
                self._stepped_s = now_s
            if is_cut:
                link.load.cut(now_s)
                self._cut_s = now_s
            self._kbps, self._changed_s = wanted, now_s

    def _allowed(self, link: _Link) -> float:
        """Return what the estimate allows; what the link carries well is not taken back."""
        if link.estimate_kbps is None:
            return self.most_kbps
        allowed = _MARGIN * link.estimate_kbps
        if allowed >= _DOWN * self._kbps:
            return allowed
        if not link.load.is_full:
            return self._kbps
        if link.load.round_trip_ms is None:
            return allowed
        return max(allowed, _LEAST_CUT * self._kbps * (1.0 - link.load.loss))

    def _open(self, link: _Link) -> None:
        """Double the rate, once for each report of the link."""
        if link.loss_s > self._doubled_s:
            self._by_loss, self._doubled_s = 2.0 * self._by_loss, link.loss_s
        self._is_opening = self._by_loss < self.most_kbps

    def _step(self, link: _Link, now_s: float, allowed: float) -> float:
        """Return by how much the rate may go ahead of the estimate; 0: not at all."""
        if link.fell_s > self._judged_fall_s:
            self._judged_fall_s, self._fell_kbps = link.fell_s, self._kbps
            if link.fell_s - self._stepped_s < _ANSWER_S:
                self._step_pause_s = min(2.0 * self._step_pause_s, _LONGEST_STEP_PAUSE_S)
                self._calm_s = min(2.0 * self._calm_s, _LONGEST_CALM_S)
        elif self._kbps > self._fell_kbps and now_s - self._changed_s > _ANSWER_S:
            self._step_pause_s = _STEP_PAUSE_S  # the link is wider now
        if self._kbps > 2.0 * _FLOOR_KBPS:
            self._calm_s = _CALM_S
        is_uncut = self._kbps <= _FLOOR_KBPS or link.full_s - self._cut_s >= _ANSWER_S
        is_wider = is_uncut and now_s - link.full_s >= self._calm_s
        has_stepped = link.load.round_trip_ms is not None and self._stepped_s > link.fell_s
        is_blind = (has_stepped or is_wider) and allowed <= self._kbps
        step = _BLIND_STEP if is_blind else _STEP
        is_known = step * self._kbps < _BELOW * self._fell_kbps
        longest_s = _LONGEST_STEP_PAUSE_S if link.load.round_trip_ms is None else _LONGEST_SEEN_S
        pause_s = _STEP_PAUSE_S if is_known else min(self._step_pause_s, longest_s)
        if is_wider:
            pause_s = self._calm_s
        is_rising = now_s - link.rose_s < _RISING_S
        is_calm = is_rising if link.load.round_trip_ms is None else not link.load.is_full
        may = is_calm and link.load.loss < _LITTLE_LOSS and now_s - link.fell_s >= pause_s
        return step if may else 0.0

    def _resize(self, now_s: float) -> None:
        right = self._fitting()
        if right == self._size:
            self._size_since_s = None
        elif self._size_since_s is None:
            self._size_since_s = now_s
        elif now_s - self._size_since_s >= _SIZE_PAUSE_S:
            self._size, self._size_since_s = right, None

    def _fitting(self) -> tuple[int, bool]:
        bits = self._kbps * 1000.0
        for divisor in (1, 2):
            if bits >= _BITS_PER_PIXEL * _RATE_HZ * self.pixels / divisor**2:
                return divisor, False
        return 2, True
