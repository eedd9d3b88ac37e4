"""The head at work: what it publishes."""

import math
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from saint_services.lib.generated.saint_msgs import HeadCommand, HeadExpression
from saint_services.lib.generated.topics import HEAD_CMD, HEAD_EXPRESSION_CMD
from saint_services.lib.hw.ports import ImuSample
from saint_services.lib.role_config.model import I2cDevice
from saint_services.lib.role_config.reading import read_role_config
from saint_services.role_headd import sensor_messages
from tests.unit.role.role_rig import Rig, load_role
from tests.unit.role_config.test_specified import HEAD


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    rig = Rig(tmp_path, "head")
    yield rig
    rig.close()


def test_state_has_what_is_applied_not_what_is_wanted(rig: Rig) -> None:
    rig.live(0.11, lambda: rig.send(HEAD_CMD, HeadCommand(180.0, 0.0, 0.0, 1.0)), period_s=0.01)
    states = rig.bus.sent["/saint/head/state"]
    assert len(states) == 2
    assert states[-1].pan == pytest.approx(rig.pin(12).value * 0.18 - 270.0, abs=4.0)
    assert 20.0 < states[-1].pan < 60.0
    assert not states[-1].camera_active


def test_expression_is_published(rig: Rig) -> None:
    rig.live(0.3, lambda: rig.send(HEAD_EXPRESSION_CMD, HeadExpression(0.5, 10.0, -5.0)))
    expression = rig.bus.sent["/saint/head/expression/state"][-1]
    assert (expression.jaw, expression.eye_pan, expression.eye_tilt) == (0.5, 10.0, -5.0)


def test_missing_sensors_are_not_a_number(rig: Rig) -> None:
    rig.clock.advance(2.0)
    sensors = rig.bus.sent["/saint/head/sensors"]
    assert len(sensors) >= 9
    values = (sensors[0].proximity, sensors[0].ambient_light, sensors[0].temperature)
    assert all(math.isnan(value) for value in values)


def test_imu_measures_gravity_and_rest_in_the_heads_frame(rig: Rig) -> None:
    rig.live(6.0, lambda: None)
    imus = rig.bus.sent["/saint/head/imu"]
    imu = imus[-1]
    assert len(imus) > 90
    assert imu.header.frame_id == "head_imu"
    assert imu.orientation_covariance[0] == -1.0  # there is none
    up = imu.linear_acceleration
    assert (up.x, up.y, up.z) == pytest.approx((0.0, 0.0, 9.81), abs=0.2)
    turning = imu.angular_velocity
    assert (turning.x, turning.y, turning.z) == pytest.approx((0.0, 0.0, 0.0), abs=0.05)


def test_imu_is_stamped_when_it_was_read_not_when_it_is_published() -> None:
    sample = ImuSample((0.0, 0.0, 0.0), (0.0, 0.0, 9.81), 20.0, is_calibrated=True)
    before_ns = time.time_ns()
    read = sensor_messages.imu(sample, age_s=0.5).header.stamp
    after_ns = time.time_ns()
    stamp_ns = read.sec * 1_000_000_000 + read.nanosec
    assert before_ns - 500_000_000 <= stamp_ns <= after_ns - 500_000_000


def test_age_of_a_reading_reaches_its_stamp(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    ages: list[float] = []
    build = sensor_messages.imu
    monkeypatch.setattr(
        sensor_messages, "imu", lambda value, age_s: ages.append(age_s) or build(value, age_s)
    )
    rig.live(2.0, lambda: None)
    assert len(ages) > 30
    assert all(0.0 <= age_s <= 0.06 for age_s in ages)


def test_missing_imu_degrades_the_head_and_it_moves_on(rig: Rig) -> None:
    rig.board._chips[1, 0x68].set_answers(False)
    rig.live(1.0, lambda: rig.send(HEAD_CMD, HeadCommand(10.0, 0.0, 0.0, 1.0)))
    report = rig.session.report()
    assert report.ready
    assert report.reason.startswith("imu")
    assert rig.bus.sent["/saint/head/state"][-1].pan == 10.0
    rig.board._chips[1, 0x68].set_answers(True)
    rig.live(4.0, lambda: None)
    assert rig.session.report().reason == ""


def test_distance_air_and_light_are_published_where_the_manifest_has_sensors(
    tmp_path: Path,
) -> None:
    config = load_role("head")
    more = {
        "eye": I2cDevice(bus=1, address=0x29, driver="vl53l0x"),
        "air": I2cDevice(bus=1, address=0x76, driver="bmp280"),
        "light": I2cDevice(bus=1, address=0x39, driver="tsl2561"),
    }
    rig = Rig(
        tmp_path, "head", config.model_copy(update={"i2c_devices": config.i2c_devices | more})
    )
    rig.live(2.0, lambda: None)
    sensors = rig.bus.sent["/saint/head/sensors"][-1]
    assert sensors.proximity == pytest.approx(1.2, abs=0.05)
    assert sensors.temperature == pytest.approx(22.0, abs=0.5)
    assert sensors.ambient_light == pytest.approx(300.0, rel=0.02)
    rig.close()


def test_head_of_the_specifications_form_moves_without_a_face(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "head", read_role_config(HEAD, "head.yaml")[0])
    rig.live(1.0, lambda: rig.send(HEAD_CMD, HeadCommand(10.0, -5.0, 3.0, 1.0)))
    state = rig.bus.sent["/saint/head/state"][-1]
    assert (state.pan, state.tilt, state.roll) == (10.0, -5.0, 3.0)
    assert rig.bus.sent["/saint/head/expression/state"] == []
    rig.close()


def test_head_with_eyes_and_no_jaw_moves_them(tmp_path: Path) -> None:
    config = load_role("head")
    fields = {name: field for name, field in config.fields.items() if name != "jaw"}
    pins = {name: pin for name, pin in config.gpio_mapping.items() if name != "jaw"}
    rig = Rig(tmp_path, "head", config.model_copy(update={"fields": fields, "gpio_mapping": pins}))
    rig.live(1.0, lambda: rig.send(HEAD_EXPRESSION_CMD, HeadExpression(0.5, 10.0, -5.0)))
    state = rig.bus.sent["/saint/head/expression/state"][-1]
    assert math.isnan(state.jaw)
    assert (state.eye_pan, state.eye_tilt) == (10.0, -5.0)
    rig.close()


def test_fault_of_the_face_is_published_and_does_not_stop_the_robot(rig: Rig) -> None:
    rig.board._chips[1, 0x40].set_answers(False)
    rig.live(0.3, lambda: rig.send(HEAD_EXPRESSION_CMD, HeadExpression(0.5, 10.0, -5.0)))
    (fault,) = rig.bus.sent["/saint/roles/faults"]
    assert (fault.target, fault.stops_robot) == ("head", False)


def test_joints_are_published_by_their_urdf_names(rig: Rig) -> None:
    rig.live(0.5, lambda: rig.send(HEAD_CMD, HeadCommand(90.0, 0.0, 0.0, 1.0)))
    joints = rig.bus.sent["/saint/head/joint_states"][-1]
    assert joints.name == ("head_pan", "head_tilt", "head_roll", "head_eye_pan", "head_eye_tilt")
    assert joints.position[0] == pytest.approx(math.pi / 2)


def test_nothing_has_a_pulse_before_the_first_command(rig: Rig) -> None:
    rig.live(0.5, lambda: None)
    assert [rig.pin(pin).writes for pin in (12, 13)] == [0, 0]
    assert rig.channels() == [0.0] * 16
