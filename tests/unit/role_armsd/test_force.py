"""Forces from currents: joint efforts where a meter measures them, and the grip of a gripper."""

import math
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from saint_services.lib.generated.saint_msgs import GripperCommand
from saint_services.lib.generated.topics import GRIPPER_CMD
from saint_services.lib.role_config.devices import PinSpec
from saint_services.lib.role_config.model import Grip, I2cDevice, RoleConfig
from saint_services.role_armsd.force import GripControl
from tests.unit.role.role_rig import Rig, load_role

STATE, JOINTS = "/saint/arms/left/state", "/saint/arms/left/joint_states"


def metered() -> RoleConfig:
    """joint_1 has a meter: 0.2 A unloaded, 1.5 Nm for each ampere beyond."""
    config = load_role("arms_left")
    update = {"current_device": "meter", "torque_nm_per_a": 1.5, "idle_current_a": 0.2}
    joint = config.gpio_mapping["joint_1"].model_copy(update=update)
    meter = I2cDevice(bus=1, address=0x41, driver="ina219")
    return config.model_copy(
        update={
            "i2c_devices": config.i2c_devices | {"meter": meter},
            "gpio_mapping": config.gpio_mapping | {"joint_1": joint},
        }
    )


def test_arm_without_a_meter_has_no_effort(tmp_path: Path):
    rig = Rig(tmp_path, "arms_left")
    rig.live(0.2, lambda: None)
    assert rig.bus.sent[STATE][-1].joint_efforts == ()
    assert rig.bus.sent[JOINTS][-1].effort == ()
    rig.close()


def test_effort_of_the_joint_with_a_meter_is_published_and_the_others_are_not_known(tmp_path: Path):
    rig = Rig(tmp_path, "arms_left", metered())
    chip: Any = rig.board._chips[1, 0x41]
    chip.on_look = None
    chip.feed(5.0, 0.6, 0.1)
    rig.live(0.5, lambda: None)
    efforts = rig.bus.sent[STATE][-1].joint_efforts
    assert efforts[1] == pytest.approx(0.6, abs=0.03)  # (0.6 - 0.2) A of 1.5 Nm each
    assert [math.isnan(effort) for effort in efforts] == [True, False, True, True, True, True]
    assert rig.bus.sent[JOINTS][-1].effort[1] == pytest.approx(0.6, abs=0.03)
    rig.close()


def test_servo_that_is_not_loaded_exerts_nothing(tmp_path: Path):
    rig = Rig(tmp_path, "arms_left", metered())
    chip: Any = rig.board._chips[1, 0x41]
    chip.on_look = None
    chip.feed(5.0, 0.1, 0.1)
    rig.live(0.5, lambda: None)
    assert rig.bus.sent[STATE][-1].joint_efforts[1] == 0.0
    rig.close()


def test_torque_without_a_meter_is_an_error_of_the_manifest():
    with pytest.raises(ValidationError, match="torque_nm_per_a needs current_device"):
        PinSpec(type="servo", pin=4, torque_nm_per_a=1.5)


METERED = Grip(max_force_n=10.0, current_device="meter", idle_current_a=0.2, stall_current_a=1.2)
CMD = GRIPPER_CMD.at(instance="left")


def closing(force_n: float = 4.0) -> GripControl:
    gripping = GripControl(METERED)
    gripping.command(0.0, force_n, 1.0)
    return gripping


def press(gripping: GripControl, current_a: float, times: int = 3) -> float | None:
    goal = None
    for _ in range(times):
        goal = gripping.feel(current_a, 0.5)
    return goal


def test_closing_ends_where_the_limit_is_felt() -> None:
    gripping = closing()
    assert press(gripping, 0.3) is None
    assert press(gripping, 0.61) == 0.5  # 0.2 A are friction, the rest is 4.1 of 10 N
    assert gripping.is_holding
    assert gripping.force_n == pytest.approx(4.1)


def test_current_of_starting_is_no_object() -> None:
    gripping = closing()
    for _ in range(5):
        assert press(gripping, 1.2, times=2) is None
        assert press(gripping, 0.3, times=1) is None
    assert not gripping.is_holding


def test_repeated_command_does_not_press_on_what_is_held() -> None:
    gripping = closing()
    press(gripping, 0.7)
    assert gripping.command(0.0, 4.0, 0.5) == 0.5
    assert gripping.is_holding


def test_opening_releases() -> None:
    gripping = closing()
    press(gripping, 0.7)
    assert gripping.command(0.9, 4.0, 0.5) == 0.9
    assert not gripping.is_holding


def test_closing_goes_on_when_the_object_slips() -> None:
    gripping = closing()
    press(gripping, 0.7)
    assert press(gripping, 0.5, times=1) is None  # 3 of 4 N: it is still there
    assert press(gripping, 0.3, times=1) == 0.0
    assert not gripping.is_holding


def test_closing_goes_on_when_more_is_allowed() -> None:
    gripping = closing()
    press(gripping, 0.7)
    gripping.command(0.0, 8.0, 0.5)
    assert press(gripping, 0.7, times=1) == 0.0


def test_no_limit_means_as_strong_as_the_gripper_is() -> None:
    gripping = closing(0.0)
    assert press(gripping, 0.9) is None
    assert press(gripping, 1.2) == 0.5


def test_meter_that_is_lost_makes_the_gripper_blind() -> None:
    gripping = closing()
    press(gripping, 0.7)
    assert gripping.feel(None, 0.5) == 0.0
    assert not gripping.is_holding
    assert math.isnan(gripping.force_n)


def test_without_a_meter_a_low_limit_closes_slowly_and_has_no_force(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "arms_left")
    rig.live(0.5, lambda: rig.send(CMD, GripperCommand(1.0, 3.0)))
    state = rig.bus.sent["/saint/arms/left/gripper/state"][-1]
    assert state.position == 1.0  # opening is never slow
    rig.live(0.2, lambda: rig.send(CMD, GripperCommand(0.0, 3.0)))
    state = rig.bus.sent["/saint/arms/left/gripper/state"][-1]
    # a quarter of 12 N: a quarter of 4 strokes per second
    assert state.position == pytest.approx(0.8, abs=0.05)
    assert math.isnan(state.force)
    assert not state.holding
    rig.close()


def test_tiny_limit_still_closes(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "arms_left")
    rig.live(0.5, lambda: rig.send(CMD, GripperCommand(1.0)))
    rig.live(0.5, lambda: rig.send(CMD, GripperCommand(0.0, 0.001)))
    state = rig.bus.sent["/saint/arms/left/gripper/state"][-1]
    assert state.position == pytest.approx(0.8, abs=0.05)
    rig.close()


def test_gripper_with_a_meter_stops_on_an_object(tmp_path: Path) -> None:
    config = load_role("arms_left")
    meter = I2cDevice(bus=1, address=0x41, driver="ina219")
    devices = config.i2c_devices | {"meter": meter}
    changed = config.model_copy(update={"i2c_devices": devices, "grip": METERED})
    rig = Rig(tmp_path, "arms_left", changed)
    chip: Any = rig.board._chips[1, 0x41]
    chip.on_look = None  # the test is the object
    chip.feed(5.0, 0.3, 0.1)
    rig.live(0.5, lambda: rig.send(CMD, GripperCommand(1.0)))
    rig.live(0.1, lambda: rig.send(CMD, GripperCommand(0.0, 5.0)))
    chip.feed(5.0, 0.9, 0.1)  # 7 N
    rig.live(0.3, lambda: rig.send(CMD, GripperCommand(0.0, 5.0)))
    held = rig.bus.sent["/saint/arms/left/gripper/state"][-1]
    assert held.holding
    assert not held.moving
    assert held.force == pytest.approx(7.0, abs=0.2)
    assert 0.1 < held.position < 0.9
    rig.live(0.5, lambda: rig.send(CMD, GripperCommand(0.0, 5.0)))
    assert rig.bus.sent["/saint/arms/left/gripper/state"][-1].position == held.position
    chip.feed(5.0, 0.3, 0.1)  # it slips
    rig.live(0.8, lambda: rig.send(CMD, GripperCommand(0.0, 5.0)))
    assert rig.bus.sent["/saint/arms/left/gripper/state"][-1].position == 0.0
    rig.close()
