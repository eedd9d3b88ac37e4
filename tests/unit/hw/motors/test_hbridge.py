"""H-bridge, quadrature decoder, servo scale, and the motors of the simulation."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.hw.motors.hbridge import HBridge
from saint_services.lib.hw.motors.quadrature import Quadrature
from saint_services.lib.hw.pwm.servo import ServoScale
from tests.unit.role.role_rig import load_role
from tools.sim.board import SimBoard
from tools.sim.bodies.motors import SimMotor

FORWARD = [(1, True), (2, True), (1, False), (2, False)]  # pin 1: line A, pin 2: line B


class Wires:
    """PWM and direction pin of an H-bridge: notes what happens, in order."""

    def __init__(self) -> None:
        self.happened: list[tuple[str, float]] = []

    def set_duty(self, duty: float) -> None:
        self.happened.append(("duty", duty))

    def set(self, high: bool) -> None:
        self.happened.append(("direction", high))

    def close(self) -> None: ...


def bridge(*, is_reversed: bool = False) -> tuple[HBridge, Wires]:
    wires = Wires()
    motor = HBridge(wires, wires, is_reversed)  # type: ignore[arg-type]
    wires.happened.clear()
    return motor, wires


class Lines:
    """Two input lines."""

    def __init__(self, a: bool = False, b: bool = False) -> None:
        self.state = {1: a, 2: b}

    def levels(self) -> dict[int, bool]:
        return self.state

    def listen(self, callback: object) -> None: ...

    def close(self) -> None: ...


def test_bridge_stands_when_it_is_opened() -> None:
    wires = Wires()
    HBridge(wires, wires)  # type: ignore[arg-type]
    assert wires.happened == [("duty", 0.0), ("direction", False)]


def test_bridge_changes_direction_only_at_zero_duty() -> None:
    motor, wires = bridge()
    motor.set(0.5)
    motor.set(-0.25)
    assert wires.happened == [("duty", 0.5), ("duty", 0.0), ("direction", True), ("duty", 0.25)]


def test_bridge_keeps_its_direction_at_zero() -> None:
    motor, wires = bridge()
    motor.set(-1.0)
    wires.happened.clear()
    motor.set(0.0)
    motor.set(-1.0)
    assert [name for name, _ in wires.happened if name == "direction"] == ["direction"] * 0


def test_reversed_bridge_turns_the_other_way() -> None:
    motor, wires = bridge(is_reversed=True)
    motor.set(-1.0)
    assert ("direction", False) in wires.happened


@given(st.lists(st.floats()))
def test_bridge_duty_is_always_between_zero_and_one(duties: list[float]) -> None:
    motor, wires = bridge()
    for duty in duties:
        motor.set(duty)
    running = 0.0
    for name, value in wires.happened:
        if name == "duty":
            assert 0.0 <= value <= 1.0
            running = value
        else:
            assert running == 0.0


def test_bridge_stops_for_what_is_not_a_number() -> None:
    motor, wires = bridge()
    motor.set(1.0)
    motor.set(math.nan)
    assert wires.happened[-1] == ("duty", 0.0)


def test_enable_pins_go_low_although_the_pwm_refuses() -> None:
    class Refusing(Wires):
        is_refusing = False

        def set_duty(self, duty: float) -> None:
            if self.is_refusing:
                raise OSError("refused")

    pwm, enables = Refusing(), [Wires(), Wires()]
    motor = HBridge(pwm, Wires(), enables=enables)  # type: ignore[arg-type]
    pwm.is_refusing = True
    with pytest.raises(OSError, match="refused"):
        motor.close()
    assert [each.happened[-1] for each in enables] == [("direction", False)] * 2


def test_quadrature_counts_four_edges_per_cycle() -> None:
    decoder = Quadrature(Lines(), 1, 2)
    for pin, level in FORWARD * 3:
        decoder.edge(pin, level, 0)
    assert (decoder.count, decoder.illegal) == (12, 0)


def test_quadrature_counts_backward() -> None:
    decoder = Quadrature(Lines(), 1, 2)
    for pin, level in [(2, True), (1, True), (2, False), (1, False)]:
        decoder.edge(pin, level, 0)
    assert decoder.count == -4


def test_reversed_quadrature_counts_the_other_way() -> None:
    decoder = Quadrature(Lines(), 1, 2, is_reversed=True)
    for pin, level in FORWARD:
        decoder.edge(pin, level, 0)
    assert decoder.count == -4


def test_quadrature_starts_from_the_levels_that_it_finds() -> None:
    decoder = Quadrature(Lines(a=True, b=True), 1, 2)
    decoder.edge(1, False, 0)
    assert (decoder.count, decoder.illegal) == (1, 0)


def test_lost_edge_is_counted_as_illegal() -> None:
    decoder = Quadrature(Lines(), 1, 2)
    decoder.edge(1, True, 0)
    decoder.edge(1, True, 0)
    assert (decoder.count, decoder.illegal) == (1, 1)


@given(st.lists(st.tuples(st.sampled_from([1, 2]), st.booleans())))
def test_quadrature_survives_any_edges(edges: list[tuple[int, bool]]) -> None:
    decoder = Quadrature(Lines(), 1, 2)
    for pin, level in edges:
        decoder.edge(pin, level, 0)
    assert abs(decoder.count) + decoder.illegal <= len(edges)


def test_servo_scale_maps_limits_to_pulses() -> None:
    scale = ServoScale((-90.0, 90.0), (500, 2500))
    assert [scale.pulse_us(value) for value in (-90.0, 0.0, 90.0)] == [500.0, 1500.0, 2500.0]
    assert scale.pulse_us(1e9) == 2500.0
    assert scale.value(1000.0) == -45.0


def test_reversed_servo_scale_swaps_the_ends() -> None:
    scale = ServoScale((0.0, 1.0), (1000, 2000), is_reversed=True)
    assert (scale.pulse_us(0.0), scale.pulse_us(1.0)) == (2000.0, 1000.0)
    assert scale.value(1250.0) == 0.75


def test_servo_scale_refuses_nan() -> None:
    with pytest.raises(ValueError, match="NaN"):
        ServoScale((0.0, 1.0), (1000, 2000)).pulse_us(math.nan)


def test_motor_follows_its_duty_with_a_lag_of_80_ms() -> None:
    motor = SimMotor(1000.0, duty=1.0)
    motor.advance(0.08)
    assert motor.speed == pytest.approx(632.1, abs=0.1)
    motor.advance(1.0)
    assert motor.speed == pytest.approx(1000.0, rel=1e-4)


def test_motor_model_does_not_depend_on_the_step() -> None:
    coarse, fine = SimMotor(1000.0, duty=0.7), SimMotor(1000.0, duty=0.7)
    coarse.advance(0.5)
    for _ in range(500):
        fine.advance(0.001)
    assert fine.position == pytest.approx(coarse.position, rel=1e-9)


def test_motor_edges_decode_to_its_position() -> None:
    motor, decoder = SimMotor(5000.0, duty=-0.8), Quadrature(Lines(), 1, 2)
    for _ in range(100):
        motor.advance(0.007)
        for line, level in motor.edges():
            decoder.edge(1 + line, level, 0)
    assert (decoder.count, decoder.illegal) == (math.floor(motor.position), 0)


def test_board_wires_motors_to_encoders_by_name(tmp_path: Path) -> None:
    board = SimBoard(tmp_path)
    now_ns = 1_000_000_000
    board.drive._clock_ns = lambda: now_ns
    board.prepare(load_role("tracks"))
    motor = HBridge(board.pwm(12, 20_000, "left_motor"), board.output(5, "left_motor"))
    decoder = Quadrature(board.edges((17, 27), "left_encoder"), 17, 27)
    decoder.listen()
    motor.set(1.0)
    now_ns += 1_000_000_000
    board.drive.advance()
    # 1.5 m/s for a second, less the lag's 80 ms: 1.38 m at 0.2454 mm per count
    assert decoder.count == pytest.approx(1.38 / (math.tau * 0.08 / 2048), rel=0.001)
    board.close()
