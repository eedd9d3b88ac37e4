"""The clutch by a button, what is believed, and LeRobot's convention; numbers typed by hand."""

import pytest

from saint_services.lib.hw.feetech.calibration import MotorCalibration
from saint_services.lib.role_config.lead import Lead
from saint_services.lib.role_config.model import PinSpec
from saint_services.role_leaderd.logic import ArmTrust, ClutchByButton, Plausibility, scale_of

MOTOR = MotorCalibration(id=1, drive_mode=0, homing_offset=-85, range_min=748, range_max=3346)
PIN = PinSpec(type="bus_servo", device="arm", servo_id=1, ticks=(748, 3346))
LEAD = Lead(targets=["parts.follower"])


@pytest.mark.parametrize("ticks", [748, 2000, 2047, 3346])
def test_values_are_those_of_lerobot(ticks: int) -> None:
    assert scale_of("elbow_flex", PIN, LEAD).value(ticks) == pytest.approx(MOTOR.degrees(ticks))
    share = MOTOR.share(ticks, 0.0) / 100
    assert scale_of("gripper", PIN, LEAD).value(ticks) == pytest.approx(share)


def test_held_button_is_closed_while_it_is_down() -> None:
    clutch = ClutchByButton()
    clutch.pressed()
    assert clutch.is_closed
    clutch.released()
    assert not clutch.is_closed


def test_toggled_button_stays_until_the_next_press() -> None:
    clutch = ClutchByButton(is_toggle=True)
    clutch.pressed()
    clutch.released()
    assert clutch.is_closed
    clutch.pressed()
    assert not clutch.is_closed


def test_hand_speed_is_believed_and_more_is_not() -> None:
    check = Plausibility()
    assert check.doubt({"a": 2000}, 0.0) == ""
    assert check.doubt({"a": 2100}, 0.01) == ""  # 10,000 positions a second
    assert "a has jumped by 200 positions" in check.doubt({"a": 2300}, 0.02)
    assert check.doubt({"a": 3400}, 9.0) == ""  # 0.1 s of it, after a pause


def test_arm_is_believed_again_after_a_second_without_a_fault() -> None:
    trust = ArmTrust()
    trust.saw("it is hot", 10.0)
    trust.saw("", 10.9)
    assert trust.fault == "it is hot"
    trust.saw("", 11.0)
    assert trust.fault == ""
