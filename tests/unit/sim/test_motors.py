"""The simulated motor and servo: what physics they have, and that no step's length matters."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.hw.motors.quadrature import Quadrature
from tools.sim.bodies.motors import SimMotor
from tools.sim.bodies.servos import SimServo

DUTIES = st.floats(-1.0, 1.0)
SHARES = st.floats(0.0, 0.4)


class Lines:
    """Two input lines that are low."""

    def levels(self) -> dict[int, bool]:
        return {1: False, 2: False}

    def listen(self, callback: object) -> None: ...

    def close(self) -> None: ...


def test_motor_follows_its_duty_with_a_lag_of_80_ms() -> None:
    motor = SimMotor(1000.0, duty=1.0)
    motor.advance(0.08)
    assert motor.speed == pytest.approx(632.1, abs=0.1)
    motor.advance(1.0)
    assert motor.speed == pytest.approx(1000.0, rel=1e-4)


@given(DUTIES, st.floats(-1000.0, 1000.0), SHARES, st.booleans(), st.integers(1, 40))
def test_motor_model_does_not_depend_on_the_step(
    duty: float, speed: float, friction: float, is_open: bool, steps: int
) -> None:
    def motor() -> SimMotor:
        return SimMotor(1000.0, duty=duty, speed=speed, friction=friction, is_open=is_open)

    coarse, fine = motor(), motor()
    coarse.advance(0.4)
    for _ in range(steps):
        fine.advance(0.4 / steps)
    # Below a thousandth of its top speed a motor counts as standing: that is all they may differ.
    assert fine.position == pytest.approx(coarse.position, abs=0.2)
    assert fine.speed == pytest.approx(coarse.speed, abs=1.0)


def test_friction_holds_what_a_small_duty_pulls_and_full_duty_is_top_speed() -> None:
    motor = SimMotor(1000.0, duty=0.05, friction=0.05)
    motor.advance(1.0)
    assert (motor.speed, motor.position) == (0.0, 0.0)
    motor.duty = 1.0
    motor.advance(3.0)
    assert motor.speed == pytest.approx(1000.0, rel=1e-6)
    assert motor.current_a == pytest.approx(0.6)  # 5 % of 12 A: what friction takes


def test_motor_reverses_through_standstill() -> None:
    motor = SimMotor(1000.0, duty=-1.0, speed=1000.0, friction=0.1)
    motor.advance(2.0)
    assert motor.speed == pytest.approx(-1000.0, rel=1e-4)


def test_friction_brings_a_motor_to_rest_for_good() -> None:
    motor = SimMotor(1000.0, duty=0.05, speed=1000.0, friction=0.1)
    motor.advance(5.0)
    assert motor.speed == 0.0
    assert not motor.is_turning


def test_blocked_motor_draws_its_stall_current_and_stays() -> None:
    motor = SimMotor(1000.0, duty=0.5, speed=400.0, position=7.0, is_blocked=True)
    motor.advance(1.0)
    assert (motor.speed, motor.position, motor.current_a) == (0.0, 7.0, 6.0)


def test_unplugged_motor_rolls_out_without_current() -> None:
    motor = SimMotor(1000.0, duty=1.0, speed=1000.0, is_open=True)
    motor.advance(0.5)
    assert 0.0 < motor.speed < 1000.0
    assert motor.current_a == 0.0
    motor.advance(10.0)
    assert motor.speed == 0.0


def test_load_slows_a_motor_and_takes_current() -> None:
    free, loaded = SimMotor(1000.0, duty=1.0), SimMotor(1000.0, duty=1.0, load=0.5)
    free.advance(2.0)
    loaded.advance(2.0)
    assert loaded.speed == pytest.approx(free.speed / 2.0, rel=1e-3)
    assert loaded.current_a == pytest.approx(6.0, rel=1e-3)


@given(st.lists(st.tuples(DUTIES, st.floats(0.0, 0.05)), max_size=30))
def test_motor_edges_decode_to_its_position(steps: list[tuple[float, float]]) -> None:
    motor, decoder = SimMotor(5000.0, friction=0.05), Quadrature(Lines(), 1, 2)
    for duty, dt_s in steps:
        motor.duty = duty
        motor.advance(dt_s)
        for line, level in motor.edges():
            decoder.edge(1 + line, level, 0)
    assert (decoder.count, decoder.illegal) == (math.floor(motor.position), 0)


def test_servo_goes_at_its_speed_and_stops_at_its_pulse() -> None:
    servo = SimServo(1000.0, pulse_us=2000.0)
    servo.advance(0.09)  # 1000 us take 0.15 s: 90 degrees at 60 degrees in 0.1 s
    assert servo.position_us == pytest.approx(1600.0, abs=0.1)
    servo.advance(1.0)
    assert (servo.position_us, servo.speed_us_per_s) == (2000.0, 0.0)


def test_servo_without_pulse_stays_limp_where_it_is() -> None:
    servo = SimServo(1300.0)
    servo.advance(10.0)
    assert (servo.position_us, servo.current_a) == (1300.0, 0.0)


def test_loaded_servo_is_slower_and_draws_more() -> None:
    free, loaded = SimServo(1000.0, pulse_us=2000.0), SimServo(1000.0, pulse_us=2000.0, load=0.5)
    assert loaded.speed_us_per_s == free.speed_us_per_s / 2.0
    assert loaded.current_a > free.current_a


@pytest.mark.parametrize(
    "servo", [SimServo(1000.0, 2000.0, load=1.2), SimServo(1000.0, 2000.0, 0, True)]
)
def test_servo_that_cannot_move_draws_its_stall_current(servo: SimServo) -> None:
    servo.advance(5.0)
    assert (servo.position_us, servo.current_a) == (1000.0, 1.2)


@given(st.floats(500.0, 2500.0), st.floats(500.0, 2500.0), st.integers(1, 40))
def test_servo_model_does_not_depend_on_the_step(start: float, pulse: float, steps: int) -> None:
    coarse, fine = SimServo(start, pulse), SimServo(start, pulse)
    coarse.advance(0.2)
    for _ in range(steps):
        fine.advance(0.2 / steps)
    assert fine.position_us == pytest.approx(coarse.position_us)
