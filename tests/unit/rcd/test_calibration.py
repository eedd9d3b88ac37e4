"""The guided calibration: an operator with a transmitter, in good and in bad order."""

from dataclasses import dataclass, field

import pytest

from saint_services.lib.errors import SaintError
from saint_services.rcd.calibration import Calibration
from saint_services.rcd.config import Channel

NAMED = (Channel(number=1, name="steering"), Channel(number=2, name="throttle"))


@dataclass
class Transmitter:
    """Sticks in microseconds, sent 50 times a second."""

    run: Calibration
    us: dict[int, float] = field(default_factory=lambda: {1: 1510.0, 2: 1490.0, 5: 1000.0})
    now_s: float = 0.0

    def hold(self, seconds: float = 0.6, **positions: float) -> None:
        for name, value in positions.items():
            self.us[int(name.removeprefix("ch"))] = value
        for _ in range(round(seconds * 50)):
            self.now_s += 0.02
            self.run.take(self.us, self.now_s)

    def rest(self) -> None:
        self.hold(ch1=1510, ch2=1490, ch5=1000)

    def to_ends(self, **ends: tuple[float, float]) -> None:
        self.rest()
        self.run.next()
        for name, (low, high) in ends.items():
            self.hold(0.1, **{name: low})
            self.hold(0.1, **{name: high})
        self.rest()
        self.run.next()


def transmitter(*channels: Channel) -> Transmitter:
    return Transmitter(Calibration(channels or NAMED))


def kinds(run: Calibration) -> list[tuple[int, str]]:
    return [(finding.channel, finding.kind) for finding in run.findings]


def test_good_transmitter_is_measured_and_nothing_is_found() -> None:
    hand = transmitter()
    hand.to_ends(ch1=(1000, 2005), ch2=(990, 1998), ch5=(1000, 2000))
    assert hand.run.info().channel == 1 and "steering" in hand.run.info().text
    hand.hold(ch1=2005)
    hand.rest()
    hand.hold(ch2=1998)
    assert hand.run.step == "done" and hand.run.findings == []
    assert hand.run.proposal() == [
        Channel(number=1, name="steering", min=1000, center=1510, max=2005),
        Channel(number=2, name="throttle", min=990, center=1490, max=1998),
        Channel(number=5, min=1000, center=1500, max=2000),  # a switch rests at its end
    ]
    assert hand.run.info().proposal[0].channel == 1


def test_ranges_are_reported_while_the_sticks_are_moved() -> None:
    hand = transmitter()
    hand.rest()
    first = hand.run.info().seen[0]
    assert (first.channel, first.us, first.center, first.low) == (1, 1510, None, None)
    hand.run.next()
    hand.hold(0.1, ch1=1000)
    hand.hold(0.1, ch1=1900)
    moved, still, *_ = hand.run.info().seen
    assert (moved.us, moved.center, moved.low, moved.high) == (1900, 1510, 1000, 1900)
    assert (still.low, still.high) == (1490, 1490)


def test_reversed_channel_is_found_and_turned() -> None:
    hand = transmitter()
    hand.to_ends(ch1=(1000, 2000), ch2=(1000, 2000))
    hand.hold(ch1=1000)
    hand.rest()
    hand.hold(ch2=2000)
    assert kinds(hand.run) == [(1, "reversed")]
    assert [channel.reversed for channel in hand.run.proposal()] == [True, False]


def test_channel_that_was_reversed_and_is_right_is_turned_back() -> None:
    hand = transmitter(Channel(number=1, name="steering", reversed=True))
    hand.to_ends(ch1=(1000, 2000))
    hand.hold(ch1=2000)
    assert [channel.reversed for channel in hand.run.proposal()] == [False]


def test_swapped_channels_are_found() -> None:
    hand = transmitter()
    hand.to_ends(ch1=(1000, 2000), ch2=(1000, 2000))
    hand.hold(ch2=2000)
    hand.rest()
    hand.hold(ch1=2000)
    assert kinds(hand.run) == [(1, "swapped"), (2, "swapped")]
    assert hand.run.findings[0].text.startswith("steering (CH 1) is on CH 2")


def test_unplugged_channel_is_found_and_skipped() -> None:
    hand = transmitter()
    hand.to_ends(ch2=(1000, 2000))
    assert kinds(hand.run) == [(1, "unplugged")]
    hand.run.skip()
    hand.hold(ch2=2000)
    assert hand.run.step == "done"
    assert [channel.number for channel in hand.run.proposal()] == [2]


def test_narrow_channel_is_found() -> None:
    hand = transmitter()
    hand.to_ends(ch1=(1300, 1700), ch2=(1000, 2000))
    assert kinds(hand.run) == [(1, "narrow")]


def test_sticks_that_move_are_no_center() -> None:
    hand = transmitter()
    hand.rest()
    hand.hold(0.2, ch2=1600)
    with pytest.raises(SaintError, match=r"throttle \(CH 2\) moves between 1490 and 1600"):
        hand.run.next()
    hand.rest()
    hand.run.next()
    assert hand.run.step == "ends"


def test_ends_that_were_not_moved_to_are_requested_again() -> None:
    hand = transmitter()
    hand.rest()
    hand.run.next()
    with pytest.raises(SaintError, match="no channel was moved"):
        hand.run.next()
    assert hand.run.step == "ends"


def test_missing_signal_is_reported() -> None:
    with pytest.raises(SaintError, match="no channel is received"):
        Calibration(NAMED).next()


def test_short_touch_does_not_count_and_stick_must_be_released() -> None:
    hand = transmitter()
    hand.to_ends(ch1=(1000, 2000), ch2=(1000, 2000))
    hand.hold(0.2, ch1=2000)
    hand.hold(0.2, ch1=1510)
    assert hand.run.info().channel == 1
    hand.hold(0.6, ch1=2000)
    assert (hand.run.info().channel, hand.run.info().text) == (2, "Release the stick.")
    hand.hold(2.0, ch2=2000)  # channel 1 is still held
    assert hand.run.info().channel == 2


def test_first_four_channels_are_requested_where_none_has_a_name() -> None:
    hand = Transmitter(Calibration([]))
    hand.to_ends(ch1=(1000, 2000))
    assert hand.run.info().channel == 1
    assert kinds(hand.run) == [(2, "unplugged"), (3, "unplugged"), (4, "unplugged")]
    for _ in range(4):
        hand.run.skip()
    assert hand.run.step == "done"


def test_next_and_skip_at_the_wrong_time_are_refused() -> None:
    hand = transmitter()
    with pytest.raises(SaintError, match="cannot be skipped"):
        hand.run.skip()
    hand.to_ends(ch1=(1000, 2000), ch2=(1000, 2000))
    with pytest.raises(SaintError, match="was not moved yet"):
        hand.run.next()
