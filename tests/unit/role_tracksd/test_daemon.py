"""The tracks at work: what they publish, and that encoders and commands agree."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.std_msgs import Bool
from saint_services.lib.generated.topics import TF, TRACKS_ESTOP
from saint_services.lib.role_config.model import I2cDevice
from tests.unit.role.role_rig import Rig, WireBus, load_role
from tools.sim.faults import Fault

# No computer runs for so long: a part of the rig on the computer's clock would show.
BEYOND_UPTIME_S = 1e9


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    rig = Rig(tmp_path, "tracks")
    yield rig
    rig.close()


def test_odometry_from_encoders_follows_the_driven_arc(rig: Rig) -> None:
    rig.live(4.0, lambda: rig.drive(0.5, 0.5), period_s=0.01)
    rig.live(1.0, lambda: rig.drive(0.0), period_s=0.01)
    pose = rig.bus.sent["/saint/tracks/odom"][-1].pose.pose
    heading = 2.0 * math.atan2(pose.orientation.z, pose.orientation.w)
    radius = 1.0  # 0.5 m/s at 0.5 rad/s
    assert heading == pytest.approx(0.5 * 4.0, abs=0.05)
    assert pose.position.x == pytest.approx(radius * math.sin(heading), abs=0.03)
    assert pose.position.y == pytest.approx(radius * (1 - math.cos(heading)), abs=0.03)


def test_state_has_measured_speeds_at_20_hz(rig: Rig) -> None:
    rig.live(1.01, lambda: rig.drive(0.6, 0.0), period_s=0.01)
    states = rig.bus.sent["/saint/tracks/state"]
    assert len(states) == 20
    assert states[-1].left_velocity == pytest.approx(0.6, rel=0.01)
    assert states[-1].right_velocity == pytest.approx(0.6, rel=0.01)
    assert states[-1].motors_enabled
    assert not states[-1].estop_active


def test_tracks_at_rest_are_measured_with_each_state_alone(rig: Rig) -> None:
    times: list[float] = []
    measure = rig.session._measure  # type: ignore[attr-defined]
    rig.session._measure = lambda now_s: times.append(now_s) or measure(now_s)  # type: ignore[attr-defined]
    rig.session._measuring._step = rig.session._measure  # type: ignore[attr-defined]
    rig.live(1.01, lambda: rig.drive(0.0), period_s=0.01)
    assert len(times) == 20
    times.clear()
    rig.live(1.01, lambda: rig.drive(0.6))
    assert 50 <= len(times) <= 52


def test_tracks_that_are_pushed_at_rest_are_measured_at_the_full_rate(rig: Rig) -> None:
    measuring = rig.session._measuring  # type: ignore[attr-defined]
    rig.live(0.5, lambda: rig.drive(0.0))
    assert not measuring.is_running
    rig.session._tracks[0].encoder.count += 40  # type: ignore[attr-defined]
    rig.clock.advance(0.06)
    assert measuring.is_running
    assert rig.bus.sent["/saint/tracks/state"][-1].left_velocity > 0.0
    rig.clock.advance(0.5)
    assert not measuring.is_running


def test_odometry_names_its_frames_and_covariance(rig: Rig) -> None:
    rig.clock.advance(0.1)
    odometry = rig.bus.sent["/saint/tracks/odom"][-1]
    assert (odometry.header.frame_id, odometry.child_frame_id) == ("odom", "base_link")
    assert odometry.pose.covariance[35] == pytest.approx(1e-6)  # nothing was driven yet
    assert odometry.pose.covariance[14] == 1e6  # height: unknown
    assert odometry.pose.pose.orientation.w == 1.0


def test_state_has_the_estop(rig: Rig) -> None:
    rig.beat()
    rig.send(TRACKS_ESTOP, Bool(True))
    rig.clock.advance(0.06)
    state = rig.bus.sent["/saint/tracks/state"][-1]
    assert state.estop_active
    assert not state.motors_enabled


def test_current_is_published_five_times_a_second(rig: Rig) -> None:
    rig.live(1.05, lambda: rig.drive(1.0), period_s=0.01)
    currents = rig.bus.sent["/saint/tracks/motor_current"]
    assert len(currents) == 5
    assert 0.5 < currents[-1].left < 12.0


def test_tracks_without_encoders_integrate_what_is_driven(tmp_path: Path) -> None:
    config = load_role("tracks")
    pins = {name: pin for name, pin in config.gpio_mapping.items() if "motor" in name}
    rig = Rig(tmp_path, "tracks", config.model_copy(update={"gpio_mapping": pins}))
    rig.live(2.0, lambda: rig.drive(0.5), period_s=0.01)
    odometry = rig.bus.sent["/saint/tracks/odom"][-1]
    assert odometry.pose.pose.position.x == pytest.approx(1.0, abs=0.05)
    rig.close()


@pytest.mark.parametrize(
    ("part", "missing", "says"),
    [
        ("gpio_mapping", "left_motor", "left_motor"),
        ("gpio_mapping", "right_motor", "right_motor"),
        ("fields", "linear", "velocity linear"),
        ("geometry", "", "geometry"),
    ],
)
def test_incomplete_manifest_is_refused_by_name(
    tmp_path: Path, part: str, missing: str, says: str
) -> None:
    config = load_role("tracks")
    whole = getattr(config, part)
    rest = {k: v for k, v in whole.items() if k != missing} if missing else None
    changed = config.model_copy(update={part: rest})
    with pytest.raises(SaintError, match=says):
        Rig(tmp_path, "tracks", changed)


def test_command_topic_that_the_role_does_not_obey_is_refused(tmp_path: Path) -> None:
    config = load_role("tracks")
    other = config.commands["cmd_vel"].model_copy(update={"topic": "/saint/tracks/cmd"})
    with pytest.raises(SaintError, match="/saint/tracks/cmd, the role obeys"):
        Rig(tmp_path, "tracks", config.model_copy(update={"commands": {"cmd_vel": other}}))


def test_covariance_grows_with_the_way_and_most_across_it(rig: Rig) -> None:
    rig.live(4.0, lambda: rig.drive(1.0), period_s=0.01)
    covariance = rig.bus.sent["/saint/tracks/odom"][-1].pose.covariance
    along, across, heading = covariance[0], covariance[7], covariance[35]
    way = rig.bus.sent["/saint/tracks/odom"][-1].pose.pose.position.x
    assert heading == pytest.approx(2 * way * 1e-4 / 0.5**2, rel=0.01)
    assert along == pytest.approx(way * 1e-4 / 2, rel=0.01)
    assert across > 10 * along
    assert covariance[11] == covariance[31] > 0.0  # y and heading err together


def test_transform_has_the_same_place_as_the_odometry(rig: Rig) -> None:
    rig.live(2.0, lambda: rig.drive(0.5, 0.5), period_s=0.01)
    (transform,) = rig.bus.sent["/tf"][-1].transforms
    pose = rig.bus.sent["/saint/tracks/odom"][-1].pose.pose
    assert (transform.header.frame_id, transform.child_frame_id) == ("odom", "base_link")
    assert transform.transform.translation.x == pose.position.x > 0.1
    assert transform.transform.rotation.w == pose.orientation.w


def test_tracks_drive_on_a_bus_that_has_no_transforms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publisher = WireBus.publisher

    def small(bus: WireBus, topic: Any) -> Any:
        if topic is TF:
            raise SaintError(Code.BUS_UNAVAILABLE, f"this ROS 2 installation has no {topic.name}")
        return publisher(bus, topic)

    monkeypatch.setattr(WireBus, "publisher", small)
    rig = Rig(tmp_path, "tracks")
    rig.live(0.5, lambda: rig.drive(0.5), period_s=0.01)
    assert rig.bus.sent["/saint/tracks/odom"][-1].pose.pose.position.x > 0.0
    assert rig.session.report().ready
    rig.close()


@pytest.mark.parametrize(
    ("device", "fault"), [("left_motor", Fault.STALL), ("left_encoder", Fault.UNPLUG)]
)
def test_stall_names_its_side(rig: Rig, device: str, fault: Fault) -> None:
    rig.faults.set(device, fault)
    rig.live(2.0, lambda: rig.drive(1.5), period_s=0.01)
    assert rig.session.report().reason.startswith("left track is driven with 100% and does not")
    assert rig.session.report().ready  # no fault of the role
    assert not rig.bus.sent["/saint/tracks/state"][-1].motors_enabled


@pytest.fixture
def metered(tmp_path: Path) -> Iterator[Rig]:
    """A robot with a meter in the supply of each motor."""
    config = load_role("tracks")
    meters = {
        f"{side}_current": I2cDevice(
            bus=1, address=address, driver="ina219", shunt_ohm=0.01, max_current_a=20.0
        )
        for side, address in (("left", 0x41), ("right", 0x44))
    }
    pins = {
        name: pin.model_copy(update={"current_device": name.replace("motor", "current")})
        if name.endswith("motor")
        else pin
        for name, pin in config.gpio_mapping.items()
    }
    rig = Rig(
        tmp_path,
        "tracks",
        config.model_copy(update={"gpio_mapping": pins, "i2c_devices": meters}),
        start_s=BEYOND_UPTIME_S,
    )
    yield rig
    rig.close()


def test_current_is_measured_where_there_is_a_meter(metered: Rig) -> None:
    metered.live(2.0, lambda: metered.drive(1.0), period_s=0.01)
    free_a = metered.bus.sent["/saint/tracks/motor_current"][-1].left
    metered.faults.set("left_motor", Fault.LOAD, 0.5)
    metered.live(0.4, lambda: metered.drive(1.0), period_s=0.01)
    loaded = metered.bus.sent["/saint/tracks/motor_current"][-1]
    assert 0.1 < free_a < 2.0
    assert loaded.left > free_a + 1.0
    assert loaded.right < 2.0


def test_meter_that_is_gone_degrades_and_the_current_is_estimated(metered: Rig) -> None:
    metered.board._chips[1, 0x41].set_answers(False)
    metered.live(1.5, lambda: metered.drive(1.0), period_s=0.01)
    assert metered.session.report().reason.startswith("left_current")
    assert metered.session.report().ready
    assert metered.bus.sent["/saint/tracks/motor_current"][-1].left > 0.0
    assert metered.bus.sent["/saint/tracks/state"][-1].left_velocity > 0.5


class _CountingGuard:
    """Counts the requests to drive."""

    def __init__(self) -> None:
        self.requests = 0

    def may_drive(self) -> bool:
        self.requests += 1
        return True


def test_guard_decides_before_torque_and_not_for_rest(rig: Rig) -> None:
    rig.session.guard = guard = _CountingGuard()
    rig.live(0.5, lambda: rig.drive(0.0))
    assert guard.requests == 0
    rig.live(0.1, lambda: rig.drive(0.5))
    assert guard.requests > 0


def test_guard_that_refuses_does_not_keep_motors_from_rest(rig: Rig) -> None:
    rig.live(0.3, lambda: rig.drive(0.5))
    assert not rig.session.is_safe
    guard = _CountingGuard()
    guard.may_drive = lambda: False  # type: ignore[method-assign]
    rig.session.guard = guard
    rig.drive(0.0)
    assert rig.session.is_safe


def test_state_and_transform_are_not_built_for_nobody(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.unit.role.role_rig._Publisher.has_readers", False)
    before = {name: len(sent) for name, sent in rig.bus.sent.items()}
    rig.live(0.3, lambda: rig.drive(0.0))
    sent = {name for name, sent in rig.bus.sent.items() if len(sent) > before.get(name, 0)}
    assert "/saint/tracks/odom" in sent
    assert not sent & {"/saint/tracks/state", TF.name}
