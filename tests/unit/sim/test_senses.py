"""What simulated sensors feel: the ride of the base, the pose of the neck, voltage and current."""

import math
from pathlib import Path
from time import monotonic_ns

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.hw.sensors.ina219 import Ina219
from saint_services.lib.hw.sensors.mpu6050 import Mpu6050
from saint_services.lib.role_config.model import I2cDevice
from tests.unit.role.role_rig import load_role
from tools.sim.board import SimBoard
from tools.sim.bodies.base import GRAVITY_MPS2, Base, Neck, Ride, felt
from tools.sim.bodies.feeding import in_chip
from tools.sim.faults import Fault, Faults

UP = (0.0, 0.0, GRAVITY_MPS2)
ANGLES = st.floats(-math.pi, math.pi)


def test_head_at_rest_feels_gravity_upward() -> None:
    assert felt(Ride(), Neck()) == ((0.0, 0.0, 0.0), UP)


def test_head_that_looks_up_feels_gravity_in_front() -> None:
    rates, force = felt(Ride(), Neck(tilt_rad=math.pi / 2))
    assert rates == (0.0, 0.0, 0.0)
    assert force == pytest.approx((GRAVITY_MPS2, 0.0, 0.0), abs=1e-9)


def test_left_turn_is_a_positive_yaw_rate_and_pulls_to_the_left() -> None:
    rates, force = felt(Ride(speed_mps=1.0, turn_radps=0.5), Neck())
    assert rates == (0.0, 0.0, 0.5)
    assert force == pytest.approx((0.0, 0.5, GRAVITY_MPS2))


def test_head_that_turns_left_feels_the_braking_on_its_left() -> None:
    _, force = felt(Ride(gain_mps2=-2.0), Neck(pan_rad=math.pi / 2))
    assert force == pytest.approx((0.0, 2.0, GRAVITY_MPS2), abs=1e-9)


def test_moving_neck_is_felt() -> None:
    rates, _ = felt(Ride(), Neck(pan_radps=1.0, tilt_radps=0.5, roll_radps=0.25))
    assert rates == pytest.approx((0.25, -0.5, 1.0))


@given(ANGLES, ANGLES, ANGLES)
def test_gravity_keeps_its_size_in_any_pose(pan: float, tilt: float, roll: float) -> None:
    _, force = felt(Ride(), Neck(pan, tilt, roll))
    assert math.hypot(*force) == pytest.approx(GRAVITY_MPS2)


def test_base_returns_after_a_full_circle() -> None:
    base = Base(0.5)
    for _ in range(90):
        base.travel(0.75 * math.tau / 90, 1.25 * math.tau / 90)
    assert (base.x_m, base.y_m, base.heading_rad) == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)


@pytest.mark.parametrize(
    ("axes", "chip"),
    [
        (("x", "y", "z"), (1.0, 2.0, 3.0)),
        (("-y", "x", "z"), (2.0, -1.0, 3.0)),  # our x is the chip's -y
        (("z", "-x", "-y"), (-2.0, -3.0, 1.0)),
    ],
)
def test_turned_chip_feels_along_its_own_axes(
    axes: tuple[str, str, str], chip: tuple[float, float, float]
) -> None:
    assert in_chip((1.0, 2.0, 3.0), axes) == chip


def head_with(tmp_path: Path, **devices: I2cDevice) -> SimBoard:
    """A head that rides on the tracks beside it."""
    (tmp_path / "head").mkdir()
    (tmp_path / "head" / "board.yaml").write_text("base: ../tracks\n")
    shipped = load_role("head")
    board = SimBoard(tmp_path / "head")
    board.prepare(load_role("head", i2c_devices={**shipped.i2c_devices, **devices}))
    return board


@pytest.mark.parametrize("axes", [("x", "y", "z"), ("-y", "x", "z"), ("z", "-x", "-y")])
def test_chip_in_the_head_measures_how_the_tracks_turn(
    tmp_path: Path, axes: tuple[str, str, str]
) -> None:
    device = I2cDevice(bus=1, address=0x68, driver="mpu6050", axes=axes)
    head = head_with(tmp_path, imu=device)
    chip = Mpu6050(head.i2c(1), device, "imu")
    resting = chip.read()
    assert resting.gyro_rads == (0.0, 0.0, 0.0)
    assert resting.accel_mps2 == pytest.approx(UP, abs=0.01)

    tracks = SimBoard(tmp_path / "tracks")
    began_ns = monotonic_ns() - 2_000_000_000
    tracks.drive._clock_ns = lambda: began_ns  # it began to turn two seconds ago
    tracks.prepare(load_role("tracks"))
    for pin, direction, turn in ((12, 5, True), (13, 6, False)):
        tracks.output(direction, "direction").set(turn)
        tracks.pwm(pin, 20_000, "motor").set_duty(1.0)
    turning = chip.read()
    assert turning.gyro_rads == pytest.approx((0.0, 0.0, 2 * 1.5 / 0.5), abs=0.05)
    assert turning.accel_mps2 == pytest.approx(UP, abs=0.05)
    tracks.close()
    head.close()


def test_power_meter_measures_what_the_board_draws(tmp_path: Path) -> None:
    device = I2cDevice(bus=1, address=0x41, driver="ina219", shunt_ohm=0.01, max_current_a=30.0)
    shipped = load_role("tracks")
    board = SimBoard(tmp_path)
    board.prepare(load_role("tracks", i2c_devices={**shipped.i2c_devices, "supply_meter": device}))
    meter = Ina219(board.i2c(1), device, "supply_meter")
    assert meter.read().current_a == pytest.approx(0.0, abs=0.01)
    faults = Faults(tmp_path)
    faults.set("left_motor", Fault.STALL)
    board.drive.advance()
    board.pwm(12, 20_000, "left_motor").set_duty(1.0)
    sample = meter.read()
    assert sample.current_a == pytest.approx(12.0, rel=0.01)
    assert sample.voltage_v == pytest.approx(12.0 - 12.0 * 0.03, abs=0.01)
    board.close()


def test_plugged_chips_are_those_of_the_board_file_where_it_names_them(tmp_path: Path) -> None:
    (tmp_path / "board.yaml").write_text("chips: [{bus: 1, address: 0x40, driver: pca9685}]\n")
    device = I2cDevice(bus=1, address=0x68, driver="mpu6050")
    board = SimBoard(tmp_path)
    board.prepare(load_role("head", i2c_devices={"imu": device, **load_role("head").i2c_devices}))
    assert [found.address for found in board.peripherals()] == ["0.0", "0.1", "1:0x40"]
    board.close()
