"""Bodies on a simulated board: pins and chips move them, faults disturb them, others see them."""

import math
import struct
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from saint_services.lib.hw.motors import roboclaw
from saint_services.lib.hw.motors.hbridge import HBridge
from saint_services.lib.hw.motors.quadrature import Quadrature
from saint_services.lib.hw.pwm.pca9685 import Pca9685
from saint_services.lib.records import RecordReading
from saint_services.lib.role_config.model import PinSpec, SerialDevice
from tests.unit.role.role_rig import load_role
from tools.sim.board import SimBoard
from tools.sim.bodies.observer import BodyObserver
from tools.sim.bodies.plant import Plant, duty_of
from tools.sim.faults import Fault, Faults

COUNT_M = math.tau * 0.08 / 2048  # of the shipped tracks
TOP_MPS = 1.5
_SHIPPED = load_role("tracks")
assert _SHIPPED.geometry
# 5 % of the full duty only overcome friction.
_GEOMETRY = _SHIPPED.geometry.model_copy(update={"start_duty": 0.05})
CONFIG = load_role("tracks", geometry=_GEOMETRY)


class Time:
    """A clock that a test moves, far behind the computer's own."""

    def __init__(self) -> None:
        self.now_ns = 1_000_000_000

    def __call__(self) -> int:
        return self.now_ns

    def go(self, board: SimBoard, seconds: float) -> None:
        self.now_ns += round(seconds * 1e9)
        board.drive.advance()


class Car:
    """The tracks: two motors, two encoders, a clock."""

    def __init__(self, directory: Path, time: Time | None = None) -> None:
        self.time = time or Time()
        self.directory = directory
        self.board = SimBoard(directory)
        self.board.drive._clock_ns = self.time
        self.board.prepare(CONFIG)
        pins = ((12, 5, 17, 27), (13, 6, 23, 24))
        self.motors, self.encoders = [], []
        for pwm, direction, a, b in pins:
            lines = (self.board.pwm(pwm, 20_000, "motor"), self.board.output(direction, "motor"))
            self.motors.append(HBridge(*lines))
            encoder = Quadrature(self.board.edges((a, b), "encoder"), a, b)
            encoder.listen()
            self.encoders.append(encoder)

    def go(self, seconds: float, *duties: float) -> None:
        for motor, duty in zip(self.motors, duties, strict=False):
            motor.set(duty)
        self.time.go(self.board, seconds)

    @property
    def ways_m(self) -> list[float]:
        return [encoder.count * COUNT_M for encoder in self.encoders]

    @property
    def plant(self) -> Plant:
        return self.board.drive.plant

    def fault(self, device: str, fault: Fault, value: float | None = None) -> None:
        switches = Faults(self.directory)
        switches.set(device, fault, value)
        switches.close()


@pytest.fixture
def car(tmp_path: Path) -> Car:
    return Car(tmp_path)


def test_encoders_count_what_the_motors_turn(car: Car) -> None:
    car.go(2.0, 1.0, 1.0)
    assert car.ways_m == pytest.approx([(2.0 - 0.08) * TOP_MPS] * 2, rel=0.001)


def test_base_drives_an_arc_by_rep_103(car: Car) -> None:
    car.go(3.0, 0.4, 0.5)  # the right track is faster: to the left
    base = car.plant.base
    assert base is not None
    left, right = car.ways_m
    assert base.heading_rad == pytest.approx((right - left) / 0.5, abs=0.01)
    assert base.y_m > 0.0
    assert car.plant.ride.turn_radps == pytest.approx((0.5 - 0.4) / 0.95 * TOP_MPS / 0.5, rel=0.01)


def test_stalled_motor_counts_nothing_and_draws_its_stall_current(car: Car) -> None:
    car.go(0.5, 1.0, 1.0)
    car.fault("left_motor", Fault.STALL)
    car.go(0.01)  # the look that feels it
    before = car.ways_m[0]
    car.go(1.0)
    assert car.ways_m[0] == before
    assert car.plant.wheels[0].motor.current_a == pytest.approx(12.0)


def test_cleared_stall_turns_again_without_a_new_command(car: Car) -> None:
    car.fault("left_motor", Fault.STALL)
    car.go(0.1, 1.0, 1.0)
    Faults(car.directory).clear("left_motor")
    car.go(0.01)
    car.go(1.0)
    assert car.ways_m[0] > 1.0


def test_unplugged_encoder_is_silent_while_its_motor_turns(car: Car) -> None:
    car.fault("left_encoder", Fault.UNPLUG)
    car.go(0.01)
    car.go(1.0, 1.0, 1.0)
    left, right = car.ways_m
    assert (left, car.plant.wheels[0].motor.speed > 0) == (0.0, True)
    assert right > 1.0


def test_slipping_track_counts_but_does_not_carry(car: Car) -> None:
    car.fault("left_motor", Fault.SLIP)
    car.fault("right_motor", Fault.SLIP)
    car.go(0.01)
    car.go(1.0, 1.0, 1.0)
    assert car.plant.base is not None
    assert car.plant.base.x_m == 0.0
    assert min(car.ways_m) > 1.0


def test_noisy_encoder_loses_its_share_of_edges(car: Car) -> None:
    car.fault("left_encoder", Fault.NOISE, 0.1)
    car.go(0.01)
    car.go(1.0, 1.0, 1.0)
    left, right = car.encoders
    assert left.illegal > 0
    assert left.count < right.count


def test_brown_out_lets_motors_roll_out_and_their_return_drive_again(car: Car) -> None:
    car.go(1.0, 1.0, 1.0)
    car.fault("supply", Fault.BROWN_OUT)
    car.go(0.01)
    car.go(5.0)
    assert [w.motor.speed for w in car.plant.wheels] == [0.0, 0.0]
    assert car.plant.supply_v == 4.0
    Faults(car.directory).clear()
    car.go(0.01)
    car.go(2.0)
    assert car.plant.wheels[0].motor.speed * COUNT_M == pytest.approx(TOP_MPS, rel=0.01)


def test_low_supply_is_slower(car: Car) -> None:
    car.fault("supply", Fault.BROWN_OUT, 9.0)
    car.go(0.01)
    car.go(3.0, 1.0, 1.0)
    ideal = TOP_MPS / 0.95
    assert car.plant.wheels[0].motor.speed * COUNT_M == pytest.approx(
        ideal * (0.75 - 0.05), rel=0.01
    )


def test_supply_sags_under_the_current_of_stalled_motors(car: Car) -> None:
    car.fault("left_motor", Fault.STALL)
    car.fault("right_motor", Fault.STALL)
    car.go(0.01)
    car.go(0.1, 1.0, 1.0)
    assert car.plant.current_a == pytest.approx(24.0)
    assert car.plant.supply_v == pytest.approx(12.0 - 24.0 * 0.03)


def test_another_process_sees_the_same_as_the_owner(car: Car) -> None:
    car.go(0.7, 0.5, 0.3)
    observer = BodyObserver(car.directory, car.time)
    seen = observer.observe()
    assert seen is not None
    assert seen.values() == pytest.approx(car.plant.values())
    car.time.now_ns += 500_000_000  # the owner does not look, the other does
    later = observer.observe()
    assert later is not None
    car.board.drive.advance()
    assert later.values() == pytest.approx(car.plant.values())
    observer.close()


def test_board_without_a_role_has_no_bodies(tmp_path: Path) -> None:
    SimBoard(tmp_path).close()
    assert BodyObserver(tmp_path).observe() is None


def test_next_process_goes_on_where_the_killed_one_was(tmp_path: Path) -> None:
    first = Car(tmp_path)
    first.go(1.0, 1.0, -1.0)
    kept = first.plant.values()  # it is killed: nothing is closed
    second = Car(tmp_path, first.time)
    position = second.plant.wheels[0].motor.position
    assert position == pytest.approx(kept[0])
    assert [encoder.count for encoder in second.encoders] == [0, 0]
    second.go(1.0, 1.0, 1.0)
    counted = math.floor(second.plant.wheels[0].motor.position) - math.floor(position)
    assert second.encoders[0].count == counted
    assert second.encoders[0].illegal == 0


def test_bodies_stand_where_they_were_when_the_computer_started_again(tmp_path: Path) -> None:
    first = Car(tmp_path)
    first.go(1.0, 1.0, 1.0)
    kept = first.plant.values()
    seen = BodyObserver(tmp_path, Time()).observe()  # the clock starts again
    assert seen
    assert (seen.wheels[0].motor.position, seen.wheels[0].motor.speed) == (kept[0], 0.0)
    second = Car(tmp_path)
    assert second.plant.wheels[0].motor.position == kept[0]
    assert second.plant.wheels[0].motor.speed == 0.0


def test_motor_that_nobody_owns_runs_until_its_pin_is_quiet() -> None:
    plant = Plant.of(CONFIG)
    second_ns = 1_000_000_000
    pins = {12: RecordReading(1.0, 1, 0), 13: RecordReading(0.0, 2, 3 * second_ns)}
    plant.wheels[1].motor.duty = 1.0

    def level(pin: int) -> RecordReading:
        return pins.get(pin, RecordReading(0.0, 0, 0))

    def none(device: str, channel: int) -> RecordReading:
        raise AssertionError

    plant.catch_up(second_ns, 10 * second_ns, level, none)
    left, right = (wheel.motor for wheel in plant.wheels)
    assert left.position * COUNT_M == pytest.approx(9.0 * TOP_MPS, rel=0.02)
    assert right.position * COUNT_M == pytest.approx(2.0 * TOP_MPS, rel=0.05)
    assert right.speed == 0.0


def test_servos_of_pins_and_chips_follow_with_their_speed(tmp_path: Path) -> None:
    time, board = Time(), SimBoard(tmp_path)
    board.drive._clock_ns = time
    board.prepare(load_role("head"))
    pan = board.pwm(12, 50, "pan")
    pan.set_pulse_us(1500.0)
    face = Pca9685(board.i2c(1), 0x40, 50, "face")
    face.set_pulses_us({0: 1500.0})
    time.go(board, 1.0)
    pan.set_pulse_us(2500.0)
    face.set_pulses_us({0: 1000.0})
    time.go(board, 0.03)
    joints = {joint.name: joint for joint in board.drive.plant.joints}
    assert joints["pan"].value == pytest.approx(0.03 * 1200.0, rel=0.01)  # degrees
    assert joints["pan"].speed == pytest.approx(1200.0, rel=0.01)
    assert joints["jaw"].value == pytest.approx(0.5 - 0.03 * 6.667, rel=0.01)
    time.go(board, 1.0)
    assert (joints["pan"].value, joints["pan"].speed) == (180.0, 0.0)
    board.close()


def test_blocked_servo_stays_and_unplugged_one_draws_nothing(tmp_path: Path) -> None:
    time, board = Time(), SimBoard(tmp_path)
    board.drive._clock_ns = time
    board.prepare(load_role("head"))
    faults = Faults(tmp_path)
    faults.set("pan", Fault.STALL)
    faults.set("tilt", Fault.UNPLUG)
    time.go(board, 0.01)
    for pin in (12, 13):
        board.pwm(pin, 50, "servo").set_pulse_us(2500.0)
    time.go(board, 1.0)
    joints = {joint.name: joint for joint in board.drive.plant.joints}
    assert (joints["pan"].value, joints["tilt"].value) == (0.0, 0.0)
    assert (joints["pan"].servo.current_a, joints["tilt"].servo.current_a) == (1.2, 0.0)
    board.close()


BRIDGES = {
    "bts7960": ({"pin": 1, "reverse_pin": 2, "enable_pins": (3, 4)}, {1: 0.5}, {2: 0.5}),
    "drv8833": ({"pin": 1, "reverse_pin": 2}, {1: 0.5}, {2: 0.5}),
    "tb6612": ({"pin": 1, "direction_pins": (5, 6)}, {1: 0.5, 5: 1.0}, {1: 0.5, 6: 1.0}),
    "hbridge": ({"pin": 1, "direction_pin": 5}, {1: 0.5}, {1: 0.5, 5: 1.0}),
}


@pytest.mark.parametrize("kind", BRIDGES)
def test_bridges_turn_both_ways(kind: str) -> None:
    wiring, forward, backward = BRIDGES[kind]
    spec = PinSpec.model_validate({"type": kind, **wiring})
    assert duty_of(spec, lambda pin: forward.get(pin, 0.0)) == 0.5
    assert duty_of(spec, lambda pin: backward.get(pin, 0.0)) == -0.5
    turned = spec.model_copy(update={"reversed": True})
    assert duty_of(turned, lambda pin: forward.get(pin, 0.0)) == -0.5


def test_controller_on_a_serial_line_turns_the_tracks(tmp_path: Path) -> None:
    drive = {"port": "/dev/ttyACM0", "driver": "roboclaw"}
    mapping = {
        f"{side}_{part}": PinSpec.model_validate(
            {"type": kind, "device": "drive", "channel": channel, "reversed": side == "left"}
        )
        for channel, side in ((1, "left"), (2, "right"))
        for part, kind in (("motor", "roboclaw"), ("encoder", "roboclaw_encoder"))
    }
    line = SerialDevice.model_validate(drive)
    config = load_role("tracks", gpio_mapping=mapping, serial_devices={"drive": line})
    time, board = Time(), SimBoard(tmp_path)
    board.drive._clock_ns = time
    board.prepare(config)
    wire = board.serial(line.port, line.baud)

    def request(body: bytes) -> bytes:
        wire.write(body + roboclaw.crc16(body).to_bytes(2, "big"))
        return wire.read()

    half, full = (round(share * roboclaw.FULL) for share in (0.5, 1.0))
    assert request(struct.pack(">BBhh", 0x80, roboclaw.DRIVE_DUTY, -half, full)) == b"\xff"
    time.go(board, 0.01)  # the look that finds the new duty
    time.go(board, 3.0)
    wire.write(bytes((0x80, roboclaw.READ_ENCODERS)))
    left, right = struct.unpack(">ii", wire.read()[:8])
    assert -left * COUNT_M == pytest.approx((3.0 - 0.08) * TOP_MPS * 0.45 / 0.95, rel=0.01)
    assert right * COUNT_M == pytest.approx((3.0 - 0.08) * TOP_MPS, rel=0.01)
    assert board.drive.plant.base
    assert board.drive.plant.base.y_m > 0.0  # to the left
    seen = BodyObserver(tmp_path, time).observe()
    assert seen
    assert seen.values() == pytest.approx(board.drive.plant.values())
    wire.close()
    board.close()


def test_wrong_chip_in_the_board_file_is_one_clear_sentence(tmp_path: Path) -> None:
    (tmp_path / "board.yaml").write_text("chips: [{bus: 1, address: 0x41, driver: pca9686}]\n")
    with pytest.raises(SaintError, match="pca9685"):
        SimBoard(tmp_path)
