"""How much delay remote operation tolerates, with its limits typed by hand."""

from pathlib import Path

import pytest

from saint_services.lib.robot.manifest import load
from saint_services.teleopd.delay import DelayMeter, SpeedLimit

MANIFESTS = Path(__file__).resolve().parents[2] / "manifests"
FULL_MS, STOP_MS = 250.0, 1000.0  # of a robot without a curve of its own
TOP_MPS, TOP_RADPS = 1.5, 3.0  # of the rover
WANTED = {"tracks": {"linear": 9.0, "angular": -9.0}}


@pytest.fixture(scope="module")
def limit() -> SpeedLimit:
    rover = load(MANIFESTS, "rover")
    return SpeedLimit.of(rover.manifest.remote, rover.roles)


def test_up_to_a_quarter_of_a_second_nothing_is_slowed_down(limit: SpeedLimit) -> None:
    assert limit.clamped(WANTED, FULL_MS) == WANTED


@pytest.mark.parametrize("delay_ms", [STOP_MS, 5000.0, float("inf"), float("nan"), None])
def test_from_a_second_on_and_without_a_known_delay_nothing_drives(
    limit: SpeedLimit, delay_ms: float | None
) -> None:
    assert limit.clamped(WANTED, delay_ms) == {"tracks": {"linear": 0.0, "angular": 0.0}}


@pytest.mark.parametrize("delay_ms", [STOP_MS, 5000.0, float("nan"), None])
def test_from_there_on_no_joint_follows_an_operator_of_long_ago(delay_ms: float | None) -> None:
    """It stays where it is: a position has no neutral value."""
    saint = load(MANIFESTS, "saint")
    limit = SpeedLimit.of(saint.manifest.remote, saint.roles)
    wanted = {"head": {"pan": 30.0, "tilt": -10.0}, "tracks": {"linear": 1.0, "angular": 0.0}}
    assert limit.clamped(wanted, STOP_MS - 1.0)["head"] == wanted["head"]
    assert limit.clamped(wanted, delay_ms) == {"tracks": {"linear": 0.0, "angular": 0.0}}


def test_from_there_on_what_is_switched_is_off() -> None:
    """Until then it is switched, not dimmed."""
    rover = load(MANIFESTS, "rover")
    limit = SpeedLimit(rover.manifest.remote, {}, {"tools": {"pump": "switch", "lamp": "light"}})
    wanted = {"tools": {"pump": 1.0, "lamp": 0.7}}
    assert limit.clamped(wanted, STOP_MS - 1.0) == wanted
    assert limit.clamped(wanted, STOP_MS) == {"tools": {"pump": 0.0, "lamp": 0.7}}


def test_speed_never_grows_with_the_delay(limit: SpeedLimit) -> None:
    before = TOP_MPS
    for delay_ms in range(251, 1001, 7):
        speed = limit.clamped(WANTED, float(delay_ms))["tracks"]["linear"]
        assert 0.0 <= speed <= before <= TOP_MPS
        before = speed
    assert before < 0.02


def test_both_directions_are_limited(limit: SpeedLimit) -> None:
    forward = limit.clamped(WANTED, 600.0)["tracks"]
    back = limit.clamped({"tracks": {"linear": -9.0, "angular": 9.0}}, 600.0)["tracks"]
    assert forward == pytest.approx({"linear": 0.4 * TOP_MPS, "angular": -0.4 * TOP_RADPS})
    assert back == pytest.approx({"linear": -0.4 * TOP_MPS, "angular": 0.4 * TOP_RADPS})


def test_mode_of_a_walker_is_no_speed() -> None:
    walker = load(MANIFESTS, "asimov")
    limit = SpeedLimit.of(walker.manifest.remote, walker.roles)
    wanted = {"legs": {"mode": 2.0, "vx": 0.5, "vy": 0.1, "vyaw": 0.2}}
    stopped = limit.clamped(wanted, STOP_MS)["legs"]
    # it stands where its operator is too late to steer; damping would make it fall
    assert stopped == {"mode": 2.0, "vx": 0.0, "vy": 0.0, "vyaw": 0.0}


def test_operator_who_receives_nothing_stops_within_the_limit(limit: SpeedLimit) -> None:
    meter = DelayMeter()
    for number in range(22):
        meter.sent(number, number * 0.1)
        if number < 10:
            meter.answered(number, 0.0, None, number * 0.1 + 0.02)
    # the first report that is not answered left at 1.0 s; two reports may be on their way
    assert limit.share(meter.delay_ms(1.0 + 0.2 + STOP_MS / 1000, None)) == 0.0
