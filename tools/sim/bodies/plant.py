"""Bodies of a simulated board, built from its role's manifest: motors with encoders, servos, and
the base that tracks move. Models how pins and faults act on them over time. Pure; stepped by
drive.py (in the process that owns the board) and observer.py (in any other).
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from saint_services.lib.hw.pwm.servo import ServoScale
from saint_services.lib.records import RecordReading
from saint_services.lib.role_config.devices import MOTORS
from saint_services.lib.role_config.model import FieldSpec, PinSpec, RoleConfig
from tools.sim.bodies.base import Base, Ride
from tools.sim.bodies.motors import SimMotor
from tools.sim.bodies.servos import SimServo
from tools.sim.bodies.steppers import SimStepper, steppers_of
from tools.sim.faults import SUPPLY, Fault, FaultSwitch

Level = Callable[[int], float]  # of a pin
PinReading = Callable[[int], RecordReading]
# Of a servo chip's channel as pulse in us, of a motor controller's as signed duty.
OutputReading = Callable[[str, int], RecordReading]

NOMINAL_V = 12.0
_BATTERY_OHM = 0.03
_LOWEST_V = 6.0  # below, bridges and servo supplies switch off
_SERVOS = ("servo", "pca9685")


@dataclass(slots=True)
class Wheel:
    """Motor with its pins, and those of its encoder."""

    name: str
    spec: PinSpec
    motor: SimMotor
    encoder: str = ""
    lines: tuple[int, int] | None = None
    count_m: float = 0.0  # travel of the track per count
    counted: int = 0  # by a controller
    is_counted_backward: bool = False
    is_cut: bool = False  # between bridge and motor
    slips: bool = False
    loses: float = 0.0  # share of edges
    is_deaf: bool = False  # the encoder's plug is out

    def count(self) -> None:
        """Pass the count to a controller, unless the encoder is unplugged."""
        turned = math.floor(self.motor.position) - self.motor.counted
        self.motor.counted += turned
        if not self.is_deaf:
            self.counted += -turned if self.is_counted_backward else turned

    def newest_ns(self, pins: PinReading, outputs: OutputReading) -> int:
        """Return when the duty changed last."""
        if self.spec.device:
            return outputs(self.spec.device, self.spec.channel or 0).stamp_ns
        return max(pins(pin).stamp_ns for pin in self.pins)

    def levels(self) -> list[tuple[int, bool]]:
        """Yield the pins of the encoder with their levels."""
        return list(zip(self.lines or (), self.motor.levels, strict=False))

    def forget_edges(self) -> None:
        """Discard edges that were not reported."""
        self.motor.counted = math.floor(self.motor.position)

    @property
    def pins(self) -> tuple[int, ...]:
        """Return all pins that may change the duty."""
        spec = self.spec
        named = (spec.pin, spec.direction_pin, spec.reverse_pin)
        more = (*(spec.direction_pins or ()), *spec.enable_pins)
        return (*(pin for pin in named if pin is not None), *more)


@dataclass(slots=True)
class ServoJoint:
    """Servo with its pin or channel and its field."""

    name: str
    spec: PinSpec
    field: FieldSpec
    servo: SimServo
    scale: ServoScale

    def reading(self, pins: PinReading, outputs: OutputReading) -> RecordReading:
        """Return the last write of the servo's line."""
        if self.spec.type == "servo":
            return pins(self.spec.pin or 0)
        return outputs(self.spec.device, self.spec.channel or 0)

    def start(self, pulse_us: float) -> None:
        """Set the first position: at the pulse, or in the middle."""
        if pulse_us:
            self.servo.position_us = self.servo.pulse_us = pulse_us

    @property
    def value(self) -> float:
        """Return the position in the field's unit."""
        return self.scale.value(self.servo.position_us)

    @property
    def speed(self) -> float:
        """Return the speed in the field's unit per second."""
        first, last = self.spec.pulse_us[:: -1 if self.spec.reversed else 1]
        low, high = self.field.limits
        return self.servo.speed_us_per_s * (high - low) / (last - first)


@dataclass(slots=True)
class Plant:
    """All bodies of a role. A long step gives the same result as many short ones."""

    wheels: list[Wheel] = field(default_factory=list)
    joints: list[ServoJoint] = field(default_factory=list)
    base: Base | None = None
    sides: tuple[Wheel, Wheel] | None = None
    steppers: list[SimStepper] = field(default_factory=list)
    _supply_v: float = NOMINAL_V

    @classmethod
    def of(cls, config: RoleConfig) -> "Plant":
        """Build the bodies of a role's manifest."""
        wheels, joints = _wheels(config), _joints(config)
        by_name = {wheel.name: wheel for wheel in wheels}
        left, right = by_name.get("left_motor"), by_name.get("right_motor")
        if left is None or right is None or config.geometry is None:
            return cls(wheels, joints, steppers=steppers_of(config))
        return cls(wheels, joints, Base(config.geometry.track_width_m), (left, right))

    def advance(self, dt_s: float) -> None:
        """Step all bodies with their present inputs."""
        for joint in self.joints:
            joint.servo.advance(dt_s)
        before = [wheel.motor.position for wheel in self.wheels]
        for wheel in self.wheels:
            if wheel.motor.speed or wheel.motor.duty:
                wheel.motor.advance(dt_s)
        self.travel(before)

    def travel(self, before: list[float]) -> None:
        """Move the base by the turn of the tracks since `before`."""
        if self.base is None or self.sides is None:
            return
        ways = {
            wheel.name: 0.0 if wheel.slips else (wheel.motor.position - then) * wheel.count_m
            for wheel, then in zip(self.wheels, before, strict=True)
        }
        left, right = (ways[wheel.name] for wheel in self.sides)
        if left or right:
            self.base.travel(left, right)

    def feel(self, switches: Mapping[str, FaultSwitch]) -> None:
        """Apply these faults."""
        supply = switches.get(SUPPLY)
        self._supply_v = supply.value if supply else NOMINAL_V
        for wheel in self.wheels:
            _disturb(wheel, switches, self.has_power)
        for joint in self.joints:
            switch = switches.get(joint.name)
            servo = joint.servo
            servo.is_blocked = _is(switch, Fault.STALL)
            servo.is_powered = self.has_power and not _is(switch, Fault.UNPLUG)
            servo.load = switch.value if switch and switch.fault is Fault.LOAD else 0.0
        for stepper in self.steppers:
            switch = switches.get(stepper.name)
            stepper.is_blocked = _is(switch, Fault.STALL)
            stepper.is_powered = self.has_power
            stepper.is_switch_cut = _is(switch, Fault.UNPLUG)

    def steer(self, wheel: Wheel, level: Level, outputs: OutputReading) -> None:
        """Apply a motor's pins, or its controller's output."""
        spec, motor = wheel.spec, wheel.motor
        motor.is_open = wheel.is_cut or any(level(pin) < 0.5 for pin in spec.enable_pins)
        if spec.device:
            value = outputs(spec.device, spec.channel or 0).value
            duty = -value if spec.reversed else value
        else:
            duty = duty_of(spec, level)
        motor.duty = duty * min(1.0, self._supply_v / NOMINAL_V)

    @property
    def has_power(self) -> bool:
        """Return True while the supply is sufficient for bridges and servos."""
        return self._supply_v >= _LOWEST_V

    @property
    def is_live(self) -> bool:
        """Return True while a motor turns or could: it must be stepped for its edges."""
        return any(wheel.motor.duty or wheel.motor.speed for wheel in self.wheels)

    @property
    def current_a(self) -> float:
        """Return the current drawn from the supply; braking motors draw none."""
        motors = (max(0.0, w.motor.current_a * w.motor.duty) for w in self.wheels)
        return sum(motors) + sum(joint.servo.current_a for joint in self.joints)

    @property
    def supply_v(self) -> float:
        """Return the voltage at the terminals of the battery."""
        return max(0.0, self._supply_v - _BATTERY_OHM * self.current_a)

    @property
    def ride(self) -> Ride:
        """Return the motion of the base."""
        if self.base is None or self.sides is None:
            return Ride()
        speeds, gains = [], []
        for wheel in self.sides:
            grip_m = 0.0 if wheel.slips else wheel.count_m
            speeds.append(wheel.motor.speed * grip_m)
            gains.append(wheel.motor.gain * grip_m)
        turn_radps = (speeds[1] - speeds[0]) / self.base.width_m
        return Ride(sum(speeds) / 2.0, turn_radps, sum(gains) / 2.0)

    @property
    def names(self) -> list[str]:
        """Return the names of `values`, in order."""
        wheels = [f"{w.name}.{part}" for w in self.wheels for part in ("position", "speed", "duty")]
        joints = [f"{j.name}.{part}" for j in self.joints for part in ("position", "pulse")]
        steppers = [f"{stepper.name}.turned" for stepper in self.steppers]
        return [*wheels, *joints, *steppers, "x", "y", "heading"]

    def rest(self) -> None:
        """Stop all motors."""
        for wheel in self.wheels:
            wheel.motor.speed = wheel.motor.duty = 0.0

    def catch_up(self, then_ns: int, now_ns: int, pins: PinReading, outputs: OutputReading) -> None:
        """Step from a stored state to now, by the last write of each line and its time."""
        before = [wheel.motor.position for wheel in self.wheels]
        for wheel in self.wheels:
            change_ns = min(max(wheel.newest_ns(pins, outputs), then_ns), now_ns)
            wheel.motor.advance((change_ns - then_ns) / 1e9)
            self.steer(wheel, lambda pin: pins(pin).value, outputs)
            wheel.motor.advance((now_ns - change_ns) / 1e9)
        self.travel(before)
        for joint in self.joints:
            reading = joint.reading(pins, outputs)
            change_ns = min(max(reading.stamp_ns, then_ns), now_ns)
            joint.servo.advance((change_ns - then_ns) / 1e9)
            joint.servo.pulse_us = reading.value
            joint.servo.advance((now_ns - change_ns) / 1e9)

    def values(self) -> list[float]:
        """Return the state, to be stored."""
        found: list[float] = []
        for wheel in self.wheels:
            found += (wheel.motor.position, wheel.motor.speed, wheel.motor.duty)
        for joint in self.joints:
            found += (joint.servo.position_us, joint.servo.pulse_us)
        found += [stepper.position for stepper in self.steppers]
        base = self.base or Base(1.0)
        return [*found, base.x_m, base.y_m, base.heading_rad]

    def restore(self, values: tuple[float, ...]) -> None:
        """Set a stored state."""
        left = iter(values)
        for wheel in self.wheels:
            motor = wheel.motor
            motor.position, motor.speed, motor.duty = next(left), next(left), next(left)
            wheel.forget_edges()
        for joint in self.joints:
            joint.servo.position_us, joint.servo.pulse_us = next(left), next(left)
        for stepper in self.steppers:
            stepper.position = next(left)
        if self.base:
            self.base.x_m, self.base.y_m, self.base.heading_rad = left


def duty_of(spec: PinSpec, level: Level) -> float:
    """Return the signed duty that an enabled bridge makes of its pins."""
    duty = level(spec.pin) if spec.pin is not None else 0.0
    if spec.reverse_pin is not None:
        duty -= level(spec.reverse_pin)
    elif spec.direction_pins is not None:
        forward, backward = (level(pin) >= 0.5 for pin in spec.direction_pins)
        duty *= forward - backward  # equal levels brake
    elif spec.direction_pin is not None and level(spec.direction_pin) >= 0.5:
        duty = -duty
    return -duty if spec.reversed else duty


def _disturb(wheel: Wheel, switches: Mapping[str, FaultSwitch], has_power: bool) -> None:
    switch, encoder = switches.get(wheel.name), switches.get(wheel.encoder)
    motor = wheel.motor
    motor.is_blocked = _is(switch, Fault.STALL)
    wheel.is_cut = not has_power or _is(switch, Fault.UNPLUG)
    motor.load = switch.value if switch and switch.fault is Fault.LOAD else 0.0
    wheel.slips = _is(switch, Fault.SLIP)
    wheel.is_deaf = not has_power or _is(encoder, Fault.UNPLUG)
    wheel.loses = encoder.value if encoder and encoder.fault is Fault.NOISE else 0.0


def _is(switch: FaultSwitch | None, fault: Fault) -> bool:
    return switch is not None and switch.fault is fault


def _wheels(config: RoleConfig) -> list[Wheel]:
    geometry, found = config.geometry, []
    for name, spec in config.gpio_mapping.items():
        if spec.type not in MOTORS or geometry is None:
            continue
        count_m = math.tau * geometry.wheel_radius_m / geometry.ticks_per_turn
        motor = SimMotor(geometry.top_speed_mps / count_m, friction=geometry.start_duty)
        wheel = Wheel(name, spec, motor, count_m=count_m)
        encoder = name.removesuffix("_motor") + "_encoder"
        lines = config.gpio_mapping.get(encoder)
        if lines and lines.type in ("roboclaw_encoder", "vesc_encoder"):
            wheel.encoder, wheel.is_counted_backward = encoder, lines.reversed
        elif lines and lines.type == "quadrature":
            a, b = lines.pin or 0, lines.pin_b or 0
            wheel.encoder, wheel.lines = encoder, (b, a) if lines.reversed else (a, b)
        found.append(wheel)
    return found


def _joints(config: RoleConfig) -> list[ServoJoint]:
    found = []
    for name, spec in config.gpio_mapping.items():
        limits = config.fields.get(name)
        if spec.type in _SERVOS and limits is not None and limits.kind == "position":
            centre = sum(spec.pulse_us) / 2.0
            scale = ServoScale(limits.limits, spec.pulse_us, spec.reversed, spec.centre_us)
            found.append(ServoJoint(name, spec, limits, SimServo(centre), scale))
    return found
