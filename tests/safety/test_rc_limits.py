"""When an RC signal no longer counts, in numbers typed by hand: seconds, frames, microseconds."""

import pytest

from saint_services.rcd.channels import Normalizer
from saint_services.rcd.config import ArmSwitch, Config, Failover, Failsafe, Silence
from saint_services.rcd.logic import Receiver, SignalChange
from saint_services.rcd.protocols import CHECKED, CrsfFrame, RcFrame
from saint_services.rcd.protocols.frames import ELEVEN_BIT
from saint_services.rcd.protocols.pulses import PpmDecoder, PwmDecoder
from saint_services.rcd.selection import Arming, Selection
from saint_services.routerd.inputs.source_classes import TIMEOUTS_S

LIVE, LOST, NOTHING = SignalChange.LIVE, SignalChange.LOST, SignalChange.NOTHING


def signal(needs_steady_start: bool = False) -> Receiver:
    return Receiver(Normalizer([]), Failsafe(), needs_steady_start)


def frame(raw: int = 992, **marks: bool) -> RcFrame:
    return RcFrame(0, (raw,) * 16, ELEVEN_BIT, **marks)


def test_receiver_is_off_until_a_user_switches_it_on() -> None:
    assert Config().rc_receiver.enabled is False


def test_signal_is_lost_after_120_ms_without_a_frame() -> None:
    receiver = signal()
    receiver.take(frame(), 10.0)
    assert receiver.check(10.119) is NOTHING
    assert receiver.check(10.1201) is LOST


def at_rate(period_s: float, **silence: float) -> Receiver:
    """After 40 frames."""
    rules = Silence.model_validate(silence)
    receiver = Receiver(Normalizer([]), Failsafe(timeout_ms=1000), False, rules)
    for number in range(40):
        receiver.take(frame(), 10.0 + number * period_s)
    return receiver


def test_robot_is_to_hold_40_ms_before_the_router_lets_others_drive() -> None:
    assert signal().quiet_s == 0.08
    assert TIMEOUTS_S["rc"] == 0.12


@pytest.mark.parametrize(
    ("rate_hz", "quiet_s"),
    [(500, 0.08), (150, 0.08), (50, 0.08), (40, 0.0875), (25, 0.1), (10, 0.1)],
)
def test_slow_link_gets_more_time_but_20_ms_less_than_the_router(
    rate_hz: int, quiet_s: float
) -> None:
    assert at_rate(1 / rate_hz).quiet_s == pytest.approx(quiet_s)


def test_25_frames_a_second_may_lose_two_where_the_router_waits_for_220_ms() -> None:
    receiver = at_rate(0.04, router_ms=220)
    assert receiver.quiet_s == pytest.approx(0.14)  # two lost: a gap of 120 ms


def test_silence_of_101_ms_is_refused_where_others_take_over_after_120() -> None:
    assert Silence(at_least_ms=100).at_least_ms == 100
    with pytest.raises(ValueError, match="at_least_ms is 101, but others take over after 120 ms"):
        Silence(at_least_ms=101)


def test_frames_that_are_lost_now_and_then_change_nothing() -> None:
    receiver, at_s = at_rate(0.02), 11.0
    for number in range(100):
        at_s += 0.02 if number % 3 else 0.06
        receiver.take(frame(), at_s)
    assert receiver.quiet_s == 0.08


def test_robot_is_never_notified_later_than_the_loss_itself() -> None:
    receiver = at_rate(0.04, router_ms=5000)
    receiver.rules = Failsafe(timeout_ms=50)
    assert receiver.quiet_s == 0.05


def test_defaults_are_80_ms_or_three_and_a_half_frames_and_120_ms_of_the_router() -> None:
    rules = Silence()
    assert (rules.at_least_ms, rules.frames, rules.router_ms) == (80, 3.5, 120)


def test_signal_that_comes_back_counts_after_200_ms_and_three_frames() -> None:
    receiver = signal()
    receiver.take(frame(), 10.0)
    receiver.check(10.2)
    assert receiver.take(frame(), 11.0) is NOTHING
    assert receiver.take(frame(), 11.1) is NOTHING
    assert receiver.take(frame(), 11.199) is NOTHING
    assert receiver.take(frame(), 11.201) is LIVE


@pytest.mark.parametrize("protocol", ["sbus", "dsm", "ppm", "pwm"])
def test_line_without_check_sums_needs_three_frames_at_the_start(protocol: str) -> None:
    assert protocol not in CHECKED
    receiver = signal(needs_steady_start=True)
    outcomes = [receiver.take(frame(), 10.0 + i / 100) for i in range(3)]
    assert outcomes == [NOTHING, NOTHING, LIVE]


def test_failsafe_flag_counts_at_once() -> None:
    receiver = signal()
    receiver.take(frame(), 10.0)
    assert receiver.take(frame(failsafe=True), 10.01) is LOST


def test_tenth_lost_frame_in_a_row_is_a_loss() -> None:
    receiver = signal()
    receiver.take(frame(), 10.0)
    outcomes = [receiver.take(frame(frame_lost=True), 10.0 + i / 1000) for i in range(1, 11)]
    assert outcomes == [NOTHING] * 9 + [LOST]


def test_link_quality_zero_counts_at_once_and_for_two_seconds() -> None:
    receiver = signal()
    receiver.take(frame(), 10.0)
    down = CrsfFrame(0, 0xC8, 0x14, bytes([90, 90, 0, 0, 0, 2, 3, 90, 0, 0]))
    assert receiver.take(down, 10.01) is LOST
    steps = [receiver.take(frame(), 10.05 + i / 20) for i in range(39)]  # to 11.95
    assert steps == [NOTHING] * 39


def test_link_quality_that_is_not_reported_any_more_says_nothing_after_two_seconds() -> None:
    receiver = signal()
    receiver.take(frame(), 10.0)
    receiver.take(CrsfFrame(0, 0xC8, 0x14, bytes([90, 90, 0, 0, 0, 2, 3, 90, 0, 0])), 10.0)
    outcomes = [receiver.take(frame(), at_s) for at_s in (11.99, 12.01, 12.11, 12.22)]
    assert outcomes == [NOTHING, NOTHING, NOTHING, LIVE]  # good for 200 ms and three frames


def test_recovery_begins_again_with_each_frame_that_the_receiver_marks() -> None:
    receiver = signal()
    receiver.take(frame(), 10.0)
    receiver.take(frame(failsafe=True), 10.1)
    steps = [receiver.take(frame(), 10.2 + i / 20) for i in range(4)]  # to 10.35
    receiver.take(frame(failsafe=True), 10.4)
    steps += [receiver.take(frame(), 10.45 + i * 0.051) for i in range(5)]  # 10.45 to 10.654
    assert steps == [NOTHING] * 8 + [LIVE]


def test_receiver_that_is_silent_for_a_second_is_not_connected() -> None:
    receiver = signal()
    receiver.take(frame(), 10.0)
    assert receiver.is_connected(10.999)
    assert not receiver.is_connected(11.001)


def test_rate_is_believed_from_the_tenth_frame_on() -> None:
    receiver = signal()
    for number in range(10):
        assert receiver.quiet_s == 0.08
        receiver.take(frame(), 10.0 + number * 0.04)
    assert receiver.quiet_s == pytest.approx(0.1)


def test_other_telemetry_changes_nothing() -> None:
    receiver = signal()
    receiver.take(frame(), 10.0)
    battery = CrsfFrame(0, 0xC8, 0x08, bytes(8))
    assert receiver.take(battery, 10.01) is NOTHING
    assert not receiver.failsafe and receiver.link is None


@pytest.mark.parametrize("raw", range(0, 2048, 89))
def test_no_raw_value_leaves_minus_one_to_one(raw: int) -> None:
    receiver = signal()
    receiver.take(frame(raw), 10.0)
    assert all(-1.0 <= value <= 1.0 for value in receiver.values)


def test_second_receiver_waits_300_ms_and_returns_after_1000() -> None:
    first, second = signal(), signal()
    selection = Selection([first, second], Failover())
    first.take(frame(), 10.0)
    second.take(frame(), 10.25)
    first.check(10.121)
    assert not selection.decide(10.299)
    assert selection.decide(10.3)
    for i in range(1, 300):  # steady from 10.5 on, so live from 10.7, so in charge from 11.7
        now_s = 10.5 + i / 100
        for each in (first, second):
            each.take(frame(), now_s)
        if selection.decide(now_s):
            break
    assert now_s == pytest.approx(11.72, abs=0.021)


def test_switch_at_1700_us_is_off_and_at_1701_on() -> None:
    arming = Arming(ArmSwitch(number=5))
    for us, is_armed in ((1700.0, False), (1701.0, True), (1700.0, False)):
        arming.update({5: us})
        assert arming.is_armed is is_armed


@pytest.mark.parametrize(
    ("width_us", "counts"), [(699, False), (700, True), (2300, True), (2301, False)]
)
def test_pulse_counts_from_700_to_2300_us(width_us: int, counts: bool) -> None:
    decoder = PwmDecoder([12])
    decoder.edge(12, True, 0)
    assert decoder.edge(12, False, width_us * 1000) is None  # it may be a half of one
    assert (decoder.silence((width_us + 600) * 1000) is not None) is counts


def test_ppm_frame_of_three_channels_is_none() -> None:
    decoder, at_us, found = PpmDecoder(), 0, []
    for _ in range(6):
        for length_us in (1500, 1500, 1500, 20_000):
            found.append(decoder.edge(18, True, at_us * 1000))
            at_us += length_us
    assert not any(found)
    assert decoder.due_ns is None


@pytest.mark.parametrize(("pause_us", "counts"), [(599, False), (600, True)])
def test_pwm_pulse_counts_after_600_us_of_quiet(pause_us: int, counts: bool) -> None:
    decoder = PwmDecoder([12])
    for high, at_us in ((True, 0), (False, 1500)):
        decoder.edge(12, high, at_us * 1000)
    assert (decoder.silence((1500 + pause_us) * 1000) is not None) is counts


@pytest.mark.parametrize(("gap_us", "counts"), [(2_699, False), (2_700, True)])
def test_ppm_frame_counts_after_2700_us_without_an_edge(gap_us: int, counts: bool) -> None:
    decoder, at_us = PpmDecoder(), 0
    for _ in range(4):
        for length_us in (1500, 1500, 1500, 1500, 16_000):
            decoder.edge(18, True, at_us * 1000)
            at_us += length_us
    assert (decoder.silence((at_us - 16_000 + gap_us) * 1000) is not None) is counts


@pytest.mark.parametrize(("frames", "counts"), [(9, False), (10, True)])
def test_ppm_number_of_channels_changes_after_ten_frames(frames: int, counts: bool) -> None:
    decoder, at_us, found = PpmDecoder(), 0, []
    for channels in (*[4] * 5, *[5] * frames):
        for length_us in (*[1500] * channels, 16_000):
            found.append(decoder.edge(18, True, at_us * 1000))
            at_us += length_us
    found.append(decoder.edge(18, True, at_us * 1000))
    assert any(frame is not None and len(frame.raw) == 5 for frame in found) is counts
