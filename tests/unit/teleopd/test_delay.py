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
