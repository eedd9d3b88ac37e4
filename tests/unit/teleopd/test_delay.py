"""How late an operator sees and acts, and what that leaves of the top speed."""

import pytest

from saint_services.lib.robot.remote_speed import RemoteSpeed
from saint_services.teleopd.delay import DelayMeter, SpeedLimit

CURVE = RemoteSpeed(speed_by_delay_ms=[(200, 1.0), (400, 0.5), (800, 0.0)])
LIMIT = SpeedLimit(CURVE, {"tracks": {"linear": (-1.0, 2.0), "angular": (-3.0, 3.0)}})


def meter_of(trip_ms: float, picture_ms: float | None = None) -> DelayMeter:
    meter = DelayMeter()
    for number in range(10):
        meter.sent(number, number * 0.1)
        meter.answered(number, 30.0, picture_ms, number * 0.1 + (trip_ms + 30.0) / 1000)
    return meter


def test_round_trip_leaves_out_how_long_the_peer_held_the_report():
    assert meter_of(40.0).delay_ms(0.95, None) == pytest.approx(40.0)


def test_picture_and_command_add_up():
    assert meter_of(40.0, 150.0).delay_ms(0.95, None) == pytest.approx(170.0)


def test_growing_delay_counts_within_a_few_reports():
    meter = meter_of(40.0)
    for number in range(10, 16):
        meter.sent(number, number * 0.1)
        meter.answered(number, 0.0, None, number * 0.1 + 0.5)
    assert meter.delay_ms(2.0, None) == pytest.approx(500.0, abs=15.0)


def test_peer_that_receives_nothing_any_more_is_late():
    meter = meter_of(40.0)
    for number in range(10, 40):
        meter.sent(number, number * 0.1)
    # report 10 left at 1.0 s; two reports are the usual pause
    assert meter.delay_ms(3.9, None) == pytest.approx(2900.0 - 200.0)


@pytest.mark.parametrize("pause_s", [0.1, 0.02])  # of a page that drives nothing, and that drives
def test_delay_that_has_ended_counts_for_a_second_at_most(pause_s: float):
    meter = meter_of(3000.0)
    ended_s = 4.0
    for number in range(10, 10 + round(1.0 / pause_s)):
        sent_s = ended_s + (number - 10) * pause_s
        meter.sent(number, sent_s)
        meter.answered(number, 0.0, None, sent_s + 0.04)
    assert LIMIT.share(meter.delay_ms(ended_s + 1.0, None)) == 1.0


def test_one_quick_answer_does_not_end_a_long_delay():
    meter = meter_of(3000.0)
    meter.sent(10, 9.0)
    meter.answered(10, 0.0, None, 9.04)
    assert LIMIT.share(meter.delay_ms(9.05, None)) == 0.0


def test_picture_whose_age_is_no_longer_named_grows_older_while_pictures_are_sent():
    meter = meter_of(40.0, 150.0)
    meter.sent(10, 1.0)
    meter.answered(10, 0.0, None, 1.04)
    filmed_ms = meter.delay_ms(1.97, None, is_filmed=True)
    assert filmed_ms == pytest.approx(150.0 + 1000.0 + 20.0, abs=1.0)
    assert meter.delay_ms(1.97, None) == pytest.approx(40.0, abs=1.0)  # no camera sends


def test_report_that_is_answered_again_counts_and_an_older_one_does_not():
    meter = meter_of(40.0)
    meter.answered(9, 0.0, None, 1.0)  # left at 0.9 s: a page answers each several times
    assert meter.delay_ms(1.0, None) == pytest.approx(70.0)
    meter.answered(8, 0.0, None, 1.0)  # overtaken on its way
    assert meter.delay_ms(1.0, None) == pytest.approx(70.0)


def test_report_that_was_never_sent_answers_nothing():
    meter = meter_of(40.0)
    meter.answered(1 << 40, 0.0, None, 1.0)
    assert meter.delay_ms(0.95, None) == pytest.approx(40.0)


def test_peer_that_never_answers_is_measured_by_its_transport():
    meter = DelayMeter()
    meter.sent(0, 0.0)
    assert meter.delay_ms(9.0, 25.0) == 25.0
    assert meter.delay_ms(9.0, None) is None


@pytest.mark.parametrize(
    ("delay_ms", "share"),
    [(0, 1.0), (200, 1.0), (300, 0.75), (400, 0.5), (600, 0.25), (800, 0.0), (9000, 0.0)],
)
def test_speed_follows_the_curve(delay_ms: float, share: float):
    wanted = {"tracks": {"linear": 9.0, "angular": -9.0}}
    limited = LIMIT.clamped(wanted, delay_ms)["tracks"]
    if share < 1.0:  # a whole share is left to the router's limits
        assert limited == pytest.approx({"linear": 2.0 * share, "angular": -3.0 * share})
    assert LIMIT.share(delay_ms) == pytest.approx(share)


def test_unknown_delay_drives_nothing():
    assert LIMIT.clamped({"tracks": {"linear": 1.0}}, None) == {"tracks": {"linear": 0.0}}


def test_slow_commands_positions_and_modes_stay():
    wanted = {"tracks": {"linear": -0.2}, "head": {"pan": 80.0}, "legs": {"mode": 3.0}}
    assert LIMIT.clamped(wanted, 400.0) == wanted
    assert LIMIT.clamped(wanted, 900.0) == wanted | {"tracks": {"linear": 0.0}}


@pytest.mark.parametrize(
    "points", [[(100, 1.0)], [(100, 1.0), (100, 0.0)], [(100, 0.5), (200, 0.6), (300, 0.0)], []]
)
def test_curve_that_does_not_end_at_rest_is_refused(points: list[tuple[float, float]]):
    with pytest.raises(ValueError, match="speed_by_delay_ms"):
        RemoteSpeed(speed_by_delay_ms=points)
