"""Whatever a receiver sends and whenever: what a robot may be driven by, checked against a short
model that is written again here, with its own numbers.
"""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from saint_services.rcd.channels import Normalizer
from saint_services.rcd.config import ArmSwitch, Failover, Failsafe
from saint_services.rcd.logic import Receiver, SignalChange
from saint_services.rcd.protocols import CrsfFrame, RcFrame
from saint_services.rcd.protocols.frames import ELEVEN_BIT
from saint_services.rcd.selection import Arming, Selection, failsafe_content

GOOD, MARKED, LOST, LINK_DOWN, LINK_UP, TIME = "good", "failsafe", "lost", "down", "up", "time"
KINDS = st.sampled_from([GOOD] * 6 + [MARKED, LOST, LINK_DOWN, LINK_UP, TIME])
# Multiples of 7 ms: no pause is exactly a limit, where a float and a whole number may disagree.
PAUSES = st.integers(1, 43).map(lambda sevens: 7 * sevens)
EVENTS = st.lists(st.tuples(KINDS, PAUSES, st.integers(0, 2047)), max_size=150)
TIMEOUT_MS, LOST_FRAMES, RECOVERY_MS = 120, 10, 200


def link(quality: int) -> CrsfFrame:
    return CrsfFrame(0, 0xC8, 0x14, bytes([60, 60, quality, 5, 0, 2, 3, 60, 99, 5]))


def frame_of(kind: str, raw: int) -> RcFrame | CrsfFrame:
    if kind in (LINK_DOWN, LINK_UP):
        return link(0 if kind == LINK_DOWN else 90)
    return RcFrame(0, (raw,) * 16, ELEVEN_BIT, failsafe=kind == MARKED, frame_lost=kind == LOST)


@dataclass
class Model:
    """In milliseconds. Says whether a frame may drive, not how that is worked out."""

    good_since: int | None = None  # the first of an unbroken row of good frames
    row: int = 0
    last_good: int = -10_000
    is_live: bool = False
    was_live: bool = False
    lost_row: int = 0
    down_at: int | None = None
    last_seen: int = -10_000

    def may_drive(self, kind: str, now: int) -> bool:
        if self.is_live and now - self.last_good >= TIMEOUT_MS:
            self.lose()
        if kind == LINK_DOWN:
            self.down_at = now
        elif kind == LINK_UP:
            self.down_at = None
        if kind == LOST:
            self.lost_row += 1
        elif kind == GOOD:
            self.lost_row = 0
        if kind in (MARKED, LINK_DOWN) or self.lost_row >= LOST_FRAMES:
            self.lose()
        if kind == LOST:
            self.row = 0
        is_down = self.down_at is not None and now - self.down_at < 2000
        if kind != GOOD or is_down:
            return False
        if not self.is_live:
            if self.row == 0 or now - self.last_seen > TIMEOUT_MS:
                self.row, self.good_since = 0, now
            self.row += 1
            self.last_seen = now
            assert self.good_since is not None
            if self.was_live and (self.row < 3 or now - self.good_since < RECOVERY_MS):
                return False
        self.is_live = self.was_live = True
        self.last_good = now
        return True

    def lose(self) -> None:
        self.is_live = False
        self.row = 0


@given(events=EVENTS)
def test_only_good_recent_and_steady_frames_drive(events: list[tuple[str, int, int]]) -> None:
    receiver, model, now = Receiver(Normalizer([]), Failsafe(), False), Model(), 0
    for kind, pause, raw in events:
        now += pause
        receiver.check(now / 1000)
        expected = model.may_drive(kind, now)
        outcome = SignalChange.NOTHING
        if kind != TIME:
            outcome = receiver.take(frame_of(kind, raw), now / 1000)
        assert (outcome is SignalChange.LIVE) == expected, (kind, now)
        assert receiver.failsafe is not model.is_live
        assert all(-1.0 <= value <= 1.0 for value in receiver.values)


@given(events=EVENTS)
def test_every_loss_is_published_exactly_once(events: list[tuple[str, int, int]]) -> None:
    receiver, now, was_live = Receiver(Normalizer([]), Failsafe(), False), 0, False
    for kind, pause, raw in events:
        now += pause
        outcomes = [receiver.check(now / 1000)]
        if kind != TIME:
            outcomes.append(receiver.take(frame_of(kind, raw), now / 1000))
        for outcome in outcomes:
            assert (outcome is SignalChange.LOST) <= was_live
            was_live = (
                was_live and outcome is not SignalChange.LOST
            ) or outcome is SignalChange.LIVE
        assert was_live is not receiver.failsafe


@given(
    events=st.lists(st.tuples(st.integers(0, 1), KINDS, st.integers(1, 200)), max_size=150),
    after_ms=st.integers(0, 1000),
    return_ms=st.integers(0, 1000),
)
def test_in_charge_is_one_that_lives_if_any_lives_long_enough(
    events: list[tuple[int, str, int]], after_ms: int, return_ms: int
) -> None:
    receivers = [Receiver(Normalizer([]), Failsafe(), False) for _ in range(2)]
    rules = Failover.model_validate({"after_ms": after_ms, "return_ms": return_ms})
    selection, now = Selection(receivers, rules), 0.0
    for which, kind, pause in events:
        now += pause / 1000
        for each in receivers:
            each.check(now)
        if kind != TIME:
            receivers[which].take(frame_of(kind, 992), now)
        before = selection.in_charge
        assert selection.decide(now) == (before != selection.in_charge)
        first, second = receivers
        if selection.in_charge == 1 and before == 0:
            assert first.failsafe and not second.failsafe
            assert now - first.good_s >= after_ms / 1000 - 1e-3
        if selection.in_charge == 0 and before == 1:
            assert not first.failsafe
        if selection.in_charge == 1:
            assert first.failsafe or now - first.live_since_s < return_ms / 1000
        assert selection.is_lost == (first.failsafe and second.failsafe)


@given(positions=st.lists(st.none() | st.sampled_from([988, 1500, 1700, 1701, 2012]), max_size=60))
def test_armed_needs_off_then_on_since_the_last_loss(positions: list[int | None]) -> None:
    arming, was_off, is_on = Arming(ArmSwitch(number=5)), False, False
    for us in positions:
        if us is None:
            arming.lose()
            was_off = is_on = False
            continue
        arming.update({5: float(us)})
        is_on = us > 1700 and was_off
        was_off = was_off or us <= 1700
        assert arming.is_armed == is_on


@given(raw=st.lists(st.integers(0, 2047), min_size=1, max_size=16))
def test_failsafe_samples_hold_neutral_or_nothing(raw: list[int]) -> None:
    receiver = Receiver(Normalizer([]), Failsafe(), False)
    receiver.take(RcFrame(0, tuple(raw), ELEVEN_BIT), 1.0)
    receiver.lose("test")
    names, values = failsafe_content("hold", receiver)
    assert len(names) == len(values) == len(raw) and values == receiver.values
    assert set(failsafe_content("neutral", receiver)[1]) == {0.0}
    assert failsafe_content("passthrough", receiver) == ((), ())
    assert failsafe_content("estop", receiver) == (("estop",), (1.0,))
