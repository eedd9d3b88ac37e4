"""What joints exert: told where a meter tells it, never made up."""

import math
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from saint_services.lib.role_config.devices import PinSpec
from saint_services.lib.role_config.model import I2cDevice, RoleConfig
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


def test_arm_without_a_meter_tells_no_effort(tmp_path: Path):
    rig = Rig(tmp_path, "arms_left")
    rig.live(0.2, lambda: None)
    assert rig.bus.sent[STATE][-1].joint_efforts == ()
    assert rig.bus.sent[JOINTS][-1].effort == ()
    rig.close()


def test_effort_of_the_joint_with_a_meter_is_told_and_the_others_are_not_known(tmp_path: Path):
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
