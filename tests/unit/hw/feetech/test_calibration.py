"""Calibration by LeRobot's convention. Numbers by hand."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.errors import SaintError
from saint_services.lib.hw.bus_servos.scale import TickScale
from saint_services.lib.hw.feetech import calibration
from saint_services.lib.hw.feetech.calibration import MotorCalibration, RangeRecorder
from saint_services.lib.hw.feetech.registers import REGISTERS, Series

PAN = MotorCalibration(id=1, drive_mode=0, homing_offset=-85, range_min=748, range_max=3346)
TEXT = """{
    "shoulder_pan": {
        "id": 1,
        "drive_mode": 0,
        "homing_offset": -85,
        "range_min": 748,
        "range_max": 3346
    }
}"""


@pytest.mark.parametrize(
    ("actual", "offset"),
    [(2047, 0), (2042, -5), (0, -2047), (4094, 2047), (4095, 2047), (3000, 953)],
)
def test_homing_offset_makes_the_pose_the_middle(actual: int, offset: int) -> None:
    assert calibration.homing_offset(actual) == offset


@given(st.integers(0, 4095))
def test_homing_offset_always_fits_into_its_register(actual: int) -> None:
    offset = calibration.homing_offset(actual)
    register = REGISTERS[Series.STS]["homing_offset"]
    assert register.decode(register.encode(offset, Series.STS), Series.STS) == offset
    assert abs(calibration.present(actual, offset) - 2047) <= (actual == 4095)


def test_file_of_lerobot_is_read_and_written_with_the_same_text() -> None:
    found = calibration.read(TEXT.encode(), "arm.json")
    assert found == {"shoulder_pan": PAN}
    assert calibration.written(found) == TEXT


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"range_min": 3346}, "range_min 3346 is not below 3346"),
        ({"homing_offset": 2048}, "shoulder_pan.homing_offset"),
        ({"more": 1}, "shoulder_pan.more"),
    ],
)
def test_file_that_does_not_fit_is_refused(change: dict[str, int], text: str) -> None:
    data = {"shoulder_pan": json.loads(TEXT)["shoulder_pan"] | change}
    with pytest.raises(SaintError, match=text):
        calibration.read(json.dumps(data).encode(), "arm.json")


def test_two_motors_with_one_id_are_refused_with_both_names() -> None:
    data = json.loads(TEXT)
    data["gripper"] = data["shoulder_pan"]
    with pytest.raises(SaintError, match="shoulder_pan and gripper have the id 1"):
        calibration.read(json.dumps(data).encode(), "arm.json")


def test_degrees_are_counted_from_the_middle_of_the_range() -> None:
    assert PAN.middle == 2047.0
    assert PAN.degrees(2547) == pytest.approx(43.956, abs=5e-4)  # LeRobot's own figure
    assert PAN.ticks_of_degrees(PAN.degrees(2547)) in (2546, 2547)
    assert PAN.limits_deg == pytest.approx((-114.198, 114.198), abs=5e-4)


def test_shares_are_turned_round_by_the_drive_mode() -> None:
    turned = PAN.model_copy(update={"drive_mode": 1})
    assert (PAN.share(748), PAN.share(3346), PAN.share(2047)) == (-100.0, 100.0, 0.0)
    assert (turned.share(748), turned.share(0)) == (100.0, 100.0)
    assert (PAN.share(748, 0.0), turned.share(748, 0.0)) == (0.0, 100.0)
    assert (PAN.ticks_of_share(100.0), turned.ticks_of_share(100.0)) == (3346, 748)


def test_part_has_the_same_degrees() -> None:
    part = calibration.part_of(PAN)
    scale = TickScale(part.limits, part.ticks)
    for ticks in (748, 1500, 2047, 3346):
        assert scale.value(ticks) == pytest.approx(PAN.degrees(ticks))
        assert scale.ticks(PAN.degrees(ticks)) == ticks


def test_calibration_comes_back_from_its_part_with_the_same_numbers() -> None:
    assert calibration.motor_of(calibration.part_of(PAN)) == PAN


def recorder(*seen: int) -> RangeRecorder:
    found = RangeRecorder(seen[0])
    for ticks in seen[1:]:
        found.saw(ticks)
    return found


def test_range_is_what_was_reached() -> None:
    seen = recorder(2047, 900, 2000, 3000, 2047)
    assert calibration.ranges({"elbow": seen}) == {"elbow": (900, 3000)}


def test_wrist_that_turns_without_an_end_has_the_whole_turn() -> None:
    assert calibration.ranges({"wrist_roll": recorder(4000, 50)}) == {"wrist_roll": (0, 4095)}


def test_joint_that_crosses_the_seam_is_refused() -> None:
    with pytest.raises(SaintError, match="elbow has passed the end of its turn"):
        calibration.ranges({"elbow": recorder(4000, 4090, 10, 200)})


def test_joint_that_has_not_moved_is_refused() -> None:
    with pytest.raises(SaintError, match="elbow has not moved"):
        calibration.ranges({"elbow": recorder(2047, 2047)})
