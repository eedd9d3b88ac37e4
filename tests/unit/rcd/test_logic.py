"""When the signal may be believed, and what channels are worth."""

import re
from pathlib import Path

import pytest

from saint_services.lib import config
from saint_services.lib.errors import SaintError
from saint_services.noded.config import Config as NodeConfig
from saint_services.rcd.channels import Normalizer, normalized
from saint_services.rcd.config import Channel, Config, Failsafe, Gpio, RcReceiver
from saint_services.rcd.logic import Receiver, SignalChange
from saint_services.rcd.protocols import CrsfFrame, RcFrame
from saint_services.rcd.protocols.crsf import SUBSET_SCALES
from saint_services.rcd.protocols.frames import ELEVEN_BIT
from saint_services.rcd.protocols.ibus import MICROSECONDS

ROLES = Path(__file__).parents[3] / "manifests" / "roles"

LIVE, LOST, NOTHING = SignalChange.LIVE, SignalChange.LOST, SignalChange.NOTHING


def frame(**changes: object) -> RcFrame:
    return RcFrame(0, (992,) * 16, ELEVEN_BIT, **changes)  # type: ignore[arg-type]


def link(quality: int) -> CrsfFrame:
    return CrsfFrame(0, 0xC8, 0x14, bytes([60, 60, quality, 5, 0, 2, 3, 60, 99, 5]))


def receiver(needs_steady_start: bool = False, **rules: object) -> Receiver:
    return Receiver(Normalizer([]), Failsafe.model_validate(rules), needs_steady_start)


def test_first_checked_frame_counts_at_once() -> None:
    signal = receiver()
    assert signal.take(frame(), 1.0) is LIVE
    assert signal.names[0] == "channel_1" and len(signal.names) == 16
    assert signal.values == (0.0,) * 16


def test_unchecked_protocol_must_be_steady_first() -> None:
    signal = receiver(needs_steady_start=True)
    assert [signal.take(frame(), t) for t in (1.0, 1.01, 1.02)] == [NOTHING, NOTHING, LIVE]


def test_silence_is_one_loss() -> None:
    signal = receiver()
    signal.take(frame(), 1.0)
    assert [signal.check(t) for t in (1.11, 1.12, 1.13)] == [NOTHING, LOST, NOTHING]


def test_signal_that_comes_back_must_be_steady() -> None:
    signal = receiver()
    signal.take(frame(), 1.0)
    signal.check(1.2)
    # A pause, then 200 ms of frames; the one at 3.2 is the first that counts.
    times = (2.0, 3.0, 3.1, 3.19, 3.2, 3.21)
    outcomes = [signal.take(frame(), t) for t in times]
    assert outcomes == [NOTHING, NOTHING, NOTHING, NOTHING, LIVE, LIVE]


def test_three_frames_are_the_least_for_a_steady_signal() -> None:
    signal = receiver(recovery_ms=0)
    signal.take(frame(), 1.0)
    signal.check(1.2)
    assert [signal.take(frame(), t) for t in (2.0, 2.1, 2.2)] == [NOTHING, NOTHING, LIVE]


def test_bad_sign_restarts_the_steady_time() -> None:
    signal = receiver()
    signal.take(frame(), 1.0)
    signal.check(1.2)
    for t in (2.0, 2.1):
        signal.take(frame(), t)
    signal.take(frame(frame_lost=True), 2.15)
    assert [signal.take(frame(), t) for t in (2.2, 2.3, 2.41)] == [NOTHING, NOTHING, LIVE]


def test_failsafe_flag_is_a_loss_at_once() -> None:
    signal = receiver()
    signal.take(frame(), 1.0)
    assert signal.take(frame(failsafe=True), 1.01) is LOST
    assert signal.take(frame(failsafe=True), 1.02) is NOTHING
    assert signal.is_connected(1.5)


def test_frames_marked_as_lost_do_not_count_as_new() -> None:
    signal = receiver()
    signal.take(frame(), 1.0)
    assert signal.take(frame(frame_lost=True), 1.1) is NOTHING
    assert signal.check(1.12) is LOST


def test_link_quality_zero_is_a_loss_until_it_recovers() -> None:
    signal = receiver()
    signal.take(frame(), 1.0)
    assert signal.take(link(0), 1.01) is LOST
    assert signal.take(frame(), 1.02) is NOTHING
    signal.take(link(90), 1.03)
    assert [signal.take(frame(), 1.04 + i / 9) for i in range(3)] == [NOTHING, NOTHING, LIVE]


def test_many_lost_frames_in_a_row_are_a_loss_before_the_time_out() -> None:
    signal = receiver(timeout_ms=2000, lost_frames=3)
    signal.take(frame(), 1.0)
    assert [signal.take(frame(frame_lost=True), 1.01) for _ in range(2)] == [NOTHING, NOTHING]
    assert signal.take(frame(), 1.02) is LIVE  # not in a row
    outcomes = [signal.take(frame(frame_lost=True), 1.03) for _ in range(3)]
    assert outcomes == [NOTHING, NOTHING, LOST]
    assert signal.reason == "the receiver lost 3 frames in a row"
    assert (signal.lost_frames, signal.losses) == (5, 1)
    signal.lose("no frame for 120 ms")
    assert signal.losses == 1  # still the same loss


@pytest.mark.parametrize(
    ("rule", "preset", "good"),
    [({"number": 3, "below": 950}, 900, 951), ({"number": 3, "above": 2050}, 2100, 2050)],
)
def test_preset_of_the_receiver_is_a_loss(rule: object, preset: int, good: int) -> None:
    def ibus(throttle: int) -> RcFrame:
        return RcFrame(0, (1500, 1500, throttle, 1500), MICROSECONDS)

    signal = receiver(channel=rule)
    assert signal.take(ibus(good), 1.0) is LIVE
    assert signal.take(ibus(preset), 1.01) is LOST
    assert signal.reason == "CH 3 is at its failsafe position"
    assert [signal.take(ibus(preset), 1.02 + i / 10) for i in range(5)] == [NOTHING] * 5


def test_other_ranges_hold_for_the_newest_values_too() -> None:
    signal = receiver()
    signal.take(RcFrame(0, (1392,) * 16, ELEVEN_BIT), 1.0)  # 1750 us
    signal.apply(Normalizer([Channel(number=1, reversed=True)]))
    assert signal.values[:2] == (-0.5, 0.5)


def test_subset_frames_keep_the_other_channels() -> None:
    signal = receiver()
    signal.take(frame(), 1.0)
    scale = SUBSET_SCALES[1][1]
    signal.take(RcFrame(0, (2047, 0), scale, first_channel=4), 1.01)
    assert signal.values[3:7] == (0.0, 1.0, -1.0, 0.0)


def test_digital_channels_follow() -> None:
    signal = receiver()
    signal.take(frame(digital=(True, False)), 1.0)
    assert signal.names[16:] == ("channel_17", "channel_18")
    assert signal.values[16:] == (1.0, -1.0)


def test_normalized_by_hand() -> None:
    channel = Channel(number=1, min=1000, center=1400, max=2000)
    expected = {800: -1.0, 1000: -1.0, 1200: -0.5, 1400: 0.0, 1700: 0.5, 2000: 1.0, 2200: 1.0}
    assert {us: normalized(us, channel) for us in expected} == pytest.approx(expected)
    turned = channel.model_copy(update={"reversed": True})
    assert normalized(1700, turned) == pytest.approx(-0.5)


def test_settings_of_the_specification_are_read() -> None:
    text = """
rc_receiver:
  enabled: true
  protocol: "sbus"
  uart: {device: "/dev/ttyAMA0", baud_rate: 100000, inverted: true}
  gpio: {ppm_pin: 18, pwm_pins: [12, 13, 19, 26]}
  failsafe: {timeout_ms: 500, action: "hold"}
  channels:
    - {number: 1, name: "steering", min: 1000, max: 2000, center: 1500, reversed: false}
"""
    settings = config.parse(Config, text, "rcd.yaml").rc_receiver
    assert settings.enabled and settings.uart.device == "/dev/ttyAMA0"
    assert (settings.place, settings.baud_rate) == ("/dev/ttyAMA0", 100_000)


def test_protocol_is_that_of_the_specification_until_one_is_set() -> None:
    assert RcReceiver().protocol == "sbus"


def test_pins_that_are_not_set_clash_with_nothing() -> None:
    """A server may be a node too: shipped roles, reset button, buses and serial line."""
    taken = {NodeConfig().reset_pin, *range(4), *range(7, 12), 14, 15}
    for path in ROLES.glob("*.yaml"):
        taken |= {int(pin) for pin in re.findall(r"pin(?:_b)?: (\d+)", path.read_text())}
    gpio = Gpio()
    assert {5, 12, 13, 17, 26} <= taken  # the search has found something
    assert not taken & {gpio.ppm_pin, *gpio.pwm_pins}


@pytest.mark.parametrize("action", ["hold", "neutral", "estop", "passthrough"])
@pytest.mark.parametrize("protocol", ["pwm", "ppm", "sbus", "ibus", "crsf"])
def test_every_protocol_and_action_of_the_specification_is_accepted(
    protocol: str, action: str
) -> None:
    text = (
        f"rc_receiver: {{protocol: {protocol}, failsafe: {{action: {action}}}, "
        "gpio: {ppm_pin: 18, pwm_pins: [12, 13, 19, 26]}}"
    )
    assert config.parse(Config, text, "rcd.yaml").rc_receiver.failsafe.action == action


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("gpio: {ppm_pin: 28}", "ppm_pin"),
        ("gpio: {pwm_pins: []}", "pwm_pins"),
        ("gpio: {pwm_pins: [12, 12]}", "a pin is named twice"),
        ("gpio: {pwm_pins: [12, 28]}", "there is no GPIO28"),
        ("protocol: srxl", "protocol"),
        ("failsafe: {action: halt}", "one of 'hold', 'neutral', 'estop' or 'passthrough'"),
        ("failsafe: {channel: {number: 3}}", "one of below and above"),
        ("failsafe: {channel: {number: 3, below: 900, above: 2000}}", "one of below and above"),
        ("arm: {number: 5, always: [0]}", "there is no CH 0"),
        ("failover: {protocol: sbus}", "both receivers use /dev/ttyAMA0"),
        ("failover: {device: /dev/x}", "known here: after_ms"),
        ("failsafe: {timeout_ms: 5}", "timeout_ms"),
        ("channels: [{number: 1, min: 2000}]", "min, center and max must rise"),
        ("channels: [{number: 1}, {number: 1}]", "CH 1 is set twice"),
        ("channels: [{number: 19}]", "number"),
        ("protocl: crsf", "protocol"),
    ],
)
def test_wrong_settings_are_refused_in_one_sentence(line: str, message: str) -> None:
    with pytest.raises(SaintError) as caught:
        config.parse(Config, f"rc_receiver:\n  {line}\n", "rcd.yaml")
    assert message in caught.value.message
    assert "rcd.yaml, line 2" in caught.value.message
    assert "\n" not in caught.value.message
