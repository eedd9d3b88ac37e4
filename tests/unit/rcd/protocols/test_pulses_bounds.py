"""Which pulses count, at the very bounds, to the nanosecond. All numbers are typed by hand."""

import pytest

from saint_services.rcd.protocols import RcFrame
from saint_services.rcd.protocols.pulses import PpmDecoder, PwmDecoder

US = 1000  # nanoseconds
FOUR = (1000, 1100, 1200, 1300)


class Ppm:
    """A transmitter: rising edges of frames with a gap of exactly 2.7 ms before each."""

    def __init__(self) -> None:
        self.decoder = PpmDecoder()
        self.now_ns = 5 * US
        self.frames: list[RcFrame] = []

    def edge(self, after_ns: int) -> None:
        self.now_ns += after_ns
        if frame := self.decoder.edge(18, True, self.now_ns):
            self.frames.append(frame)

    def send(self, *channels_ns: int, gap_ns: int = 2_700 * US) -> None:
        """The edge behind the gap, then one behind each channel."""
        self.edge(gap_ns)
        for length_ns in channels_ns:
            self.edge(length_ns)

    def agree(self, *channels_us: int) -> "Ppm":
        """Three frames: one was begun before, two agree on the number of channels."""
        self.edge(0)
        for _ in range(3):
            self.send(*(each * US for each in channels_us))
        self.edge(2_700 * US)
        assert [frame.raw for frame in self.frames[:1]] == [tuple(channels_us)]
        self.frames.clear()
        return self


@pytest.mark.parametrize("count", [4, 16])
def test_ppm_frames_of_4_to_16_channels_are_accepted(count: int) -> None:
    sender = Ppm().agree(*[1500] * count)
    assert sender.decoder.rejected == 0


@pytest.mark.parametrize("count", [3, 17])
def test_ppm_frames_of_other_sizes_never_are(count: int) -> None:
    sender = Ppm()
    sender.edge(0)
    for _ in range(40):
        sender.send(*[1500 * US] * count)
        assert sender.decoder.due_ns is None
    assert sender.frames == []
    assert (sender.decoder.frames, sender.decoder.rejected) == (0, 39)


@pytest.mark.parametrize(
    ("length_ns", "value"),
    [
        (699_500, 700), (700_499, 700), (700_500, 701), (2_299_499, 2299), (2_300_499, 2300),
    ],
)  # fmt: skip
def test_ppm_channel_is_rounded_to_the_microsecond(length_ns: int, value: int) -> None:
    sender = Ppm().agree(*FOUR)
    sender.decoder.edge(18, False, sender.now_ns + 300 * US)  # a fall says nothing
    for each in (length_ns, 1100 * US, 1200 * US, 1300 * US):
        sender.edge(each)
    sender.edge(2_700 * US)
    assert [frame.raw for frame in sender.frames] == [(value, 1100, 1200, 1300)]


@pytest.mark.parametrize("length_ns", [699_499, 2_300_500, 2_699_499])
def test_ppm_channel_out_of_range_spoils_its_frame_alone(length_ns: int) -> None:
    sender = Ppm().agree(*FOUR)
    rejected = sender.decoder.rejected
    for each in (1000 * US, 1100 * US, length_ns, 1300 * US):
        sender.edge(each)
    assert sender.decoder.due_ns is None
    sender.send(*(each * US for each in FOUR))
    assert sender.frames == []
    assert sender.decoder.rejected == rejected + 1
    sender.edge(2_700 * US)
    assert [frame.raw for frame in sender.frames] == [FOUR]


@pytest.mark.parametrize(("gap_ns", "frames"), [(2_699_500, 1), (2_699_499, 0)])
def test_ppm_gap_is_2700_us(gap_ns: int, frames: int) -> None:
    sender = Ppm().agree(*FOUR)
    for each in FOUR:
        sender.edge(each * US)
    sender.edge(gap_ns)
    assert len(sender.frames) == frames


def test_ppm_counts_what_it_hands_out_and_says_when_it_ended() -> None:
    sender = Ppm().agree(*FOUR)
    before = sender.decoder.frames
    assert before == 2  # the second and the third
    for each in FOUR:
        sender.edge(each * US)
    last_ns = sender.now_ns
    sender.edge(9_000 * US)
    assert [frame.t_us for frame in sender.frames] == [last_ns // US]
    assert sender.decoder.frames == 3


def test_ppm_gap_that_is_the_very_first_thing_begins_a_frame() -> None:
    sender = Ppm()
    sender.edge(0)
    sender.send(*(each * US for each in FOUR))
    assert sender.frames == []
    sender.send(*(each * US for each in FOUR))
    assert sender.frames == []  # one of two
    sender.edge(2_700 * US)
    assert [frame.raw for frame in sender.frames] == [FOUR]


def test_ppm_frame_is_due_only_with_all_its_channels() -> None:
    sender = Ppm()
    assert sender.decoder.due_ns is None
    sender.edge(0)
    sender.edge(2_700 * US)
    assert sender.decoder.due_ns is None  # nothing was agreed on, nothing was sent
    sender = Ppm().agree(*FOUR)
    for each in FOUR:
        assert sender.decoder.due_ns is None
        sender.edge(each * US)
    assert sender.decoder.due_ns == sender.now_ns + 2_700 * US
    sender.edge(1500 * US)
    assert sender.decoder.due_ns is None  # one too many


def test_ppm_frame_ended_by_silence_is_followed_by_others_without_a_complaint() -> None:
    sender = Ppm().agree(*FOUR)
    for number in range(5):
        for each in FOUR:
            sender.edge(each * US)
        frame = sender.decoder.silence(sender.now_ns + 2_700 * US)
        assert frame is not None
        assert (frame.raw, frame.t_us) == (FOUR, sender.now_ns // US)
        assert sender.decoder.silence(sender.now_ns + 3_000 * US) is None
        sender.edge(3_000 * US)
        assert sender.decoder.frames == 3 + number
    assert (sender.decoder.rejected, sender.frames) == (0, [])


def test_ppm_edge_too_soon_after_silence_spoils_the_next_frame() -> None:
    sender = Ppm().agree(*FOUR)
    for each in FOUR:
        sender.edge(each * US)
    assert sender.decoder.silence(sender.now_ns + 2_700 * US)
    sender.edge(1_500 * US)  # its time is before that of the silence
    for each in FOUR:
        sender.edge(each * US)
    sender.edge(2_700 * US)
    assert sender.frames == []


def test_ppm_noise_without_a_gap_takes_bounded_memory() -> None:
    sender = Ppm().agree(*FOUR)
    for _ in range(1000):
        sender.edge(1500 * US)
    assert len(sender.decoder._us) == 16


def test_ppm_needs_two_frames_at_first_and_ten_to_change_its_mind() -> None:
    sender = Ppm().agree(*FOUR)
    for each in (1500,) * 5:
        sender.edge(each * US)
    for number in range(9):
        sender.send(*[1500 * US] * 5)
        assert sender.frames == [], number
    assert sender.decoder.rejected == 9
    sender.edge(2_700 * US)
    assert [frame.raw for frame in sender.frames] == [(1500,) * 5]


def test_ppm_that_was_reset_begins_again() -> None:
    sender = Ppm().agree(*FOUR)
    for each in FOUR[:2]:
        sender.edge(each * US)
    sender.decoder.reset()
    assert sender.decoder.due_ns is None
    sender.agree(*[1500] * 5)


def test_ppm_that_was_reset_after_a_silence_needs_as_many_frames_as_at_first() -> None:
    sender = Ppm().agree(*FOUR)
    for each in FOUR:
        sender.edge(each * US)
    assert sender.decoder.silence(sender.now_ns + 2_700 * US)
    sender.decoder.reset()
    for _ in range(3):  # the first was begun before
        sender.send(*(each * US for each in FOUR))
        assert sender.frames == []
    sender.edge(2_700 * US)
    assert [frame.raw for frame in sender.frames] == [FOUR]


def test_ppm_broken_frames_agree_on_nothing() -> None:
    sender = Ppm()
    sender.edge(0)
    for _ in range(3):
        sender.send(1500 * US)
    for _ in range(2):
        sender.send(*(each * US for each in FOUR))
    sender.edge(2_700 * US)
    assert [frame.raw for frame in sender.frames] == [FOUR]


# PWM


class Pwm:
    """Two pins."""

    def __init__(self) -> None:
        self.decoder = PwmDecoder([4, 5])
        self.now_ns = 7 * US

    def pulse(self, pin: int, high_ns: int, before_ns: int = 5_000 * US) -> list[RcFrame]:
        self.now_ns += before_ns
        found = [self.decoder.edge(pin, True, self.now_ns)]
        self.now_ns += high_ns
        found.append(self.decoder.edge(pin, False, self.now_ns))
        return [frame for frame in found if frame]


def test_pwm_frame_has_a_pulse_of_each_pin_and_is_due_after_a_pause() -> None:
    sender = Pwm()
    assert sender.decoder.due_ns is None
    assert sender.pulse(4, 1000 * US) == []
    assert sender.decoder.due_ns is None
    assert sender.pulse(5, 2000 * US, 0) == []
    assert sender.decoder.due_ns == sender.now_ns + 600 * US
    assert sender.decoder.silence(sender.now_ns + 600 * US - 1) is None
    frame = sender.decoder.silence(sender.now_ns + 600 * US)
    assert frame is not None
    assert (frame.raw, frame.t_us) == ((1000, 2000), sender.now_ns // US)
    assert frame.us == [1000, 2000]
    assert sender.decoder.due_ns is None
    assert (sender.decoder.frames, sender.decoder.rejected) == (1, 0)


def test_pwm_frame_comes_with_the_next_edge_without_a_timer() -> None:
    sender = Pwm()
    sender.pulse(4, 1000 * US)
    sender.pulse(5, 2000 * US)
    for _ in range(3):
        (first,) = sender.pulse(4, 1001 * US)
        assert sender.pulse(5, 2001 * US) == []
        assert first.us[0] in (1000, 1001)
    assert sender.decoder.frames == 3


@pytest.mark.parametrize(
    ("high_ns", "value"),
    [
        (699_499, None), (699_500, 700), (1_500_499, 1500), (1_500_500, 1501), (2_300_499, 2300),
        (2_300_500, None),
    ],
)  # fmt: skip
def test_pwm_pulse_is_rounded_and_has_its_range(high_ns: int, value: int | None) -> None:
    sender = Pwm()
    sender.pulse(5, 1000 * US)
    sender.pulse(4, high_ns)
    frame = sender.decoder.silence(sender.now_ns + 600 * US)
    assert (frame.us if frame else None) == ([value, 1000] if value else None)
    assert sender.decoder.rejected == (value is None)


@pytest.mark.parametrize(("pause_ns", "counts"), [(600_000, True), (599_999, False)])
def test_pwm_pulse_needs_a_pause_of_600_us_before_it(pause_ns: int, counts: bool) -> None:
    sender = Pwm()
    sender.pulse(4, 1000 * US)
    sender.pulse(4, 1100 * US, pause_ns)
    sender.pulse(5, 1200 * US)
    frame = sender.decoder.silence(sender.now_ns + 600 * US)
    assert (frame.us if frame else None) == ([1100, 1200] if counts else None)
    assert sender.decoder.rejected == (0 if counts else 1)


def test_pwm_pulse_that_a_spike_cuts_counts_as_none() -> None:
    sender = Pwm()
    sender.pulse(5, 1200 * US)
    sender.pulse(4, 1000 * US)
    sender.pulse(4, 900 * US, 10 * US)
    assert sender.decoder.due_ns is None
    assert sender.decoder.rejected == 1
    sender.pulse(4, 1000 * US)  # a whole one again
    assert sender.decoder.due_ns is not None


def test_pwm_pulse_out_of_range_takes_the_one_before_it_along() -> None:
    sender = Pwm()
    sender.pulse(4, 1000 * US)
    sender.pulse(4, 2_600 * US)
    sender.pulse(5, 1200 * US)
    assert sender.decoder.due_ns is None


@pytest.mark.parametrize("level", [True, False])
def test_pwm_edge_twice_the_same_way_spoils_the_pulse(level: bool) -> None:
    sender = Pwm()
    sender.pulse(5, 1200 * US)
    sender.decoder.edge(4, True, sender.now_ns + 9_000 * US)
    if not level:
        sender.decoder.edge(4, False, sender.now_ns + 10_000 * US)
    sender.decoder.edge(4, level, sender.now_ns + 10_500 * US)
    sender.decoder.edge(4, False, sender.now_ns + 11_000 * US)
    assert sender.decoder.due_ns is None
    assert sender.decoder.rejected == 1


def test_pwm_fall_without_a_rise_measures_nothing() -> None:
    sender = Pwm()
    sender.pulse(5, 1200 * US)
    assert sender.decoder.edge(4, False, sender.now_ns + 1_000 * US) is None
    assert sender.decoder.edge(4, False, sender.now_ns + 2_000 * US) is None
    assert (sender.decoder.due_ns, sender.decoder.rejected) == (None, 0)


def test_pwm_edge_of_another_pin_is_none_of_ours() -> None:
    sender = Pwm()
    sender.pulse(4, 1000 * US)
    sender.pulse(5, 1200 * US)
    assert sender.decoder.edge(6, True, sender.now_ns + 9_000 * US) is None
    assert sender.decoder.frames == 0


def test_pwm_that_was_reset_begins_again() -> None:
    sender = Pwm()
    sender.pulse(4, 1000 * US)
    sender.pulse(4, 1000 * US)
    sender.pulse(5, 1200 * US)
    sender.decoder.reset()
    assert sender.decoder.due_ns is None
    sender.pulse(5, 1300 * US)
    assert sender.decoder.due_ns is None
    sender.pulse(4, 1400 * US)
    frame = sender.decoder.silence(sender.now_ns + 600 * US)
    assert frame is not None
    assert frame.us == [1400, 1300]
