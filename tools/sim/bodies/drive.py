"""Steps the bodies of a board in the process that owns it, whenever an output changes or a state is
read, and reports the edges of encoders. A timer runs only while a motor may turn, as edges must be
reported in time. Not here: the physics (plant.py).
"""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic_ns

from saint_services.lib.role_config.model import RoleConfig
from tools.sim import wiring
from tools.sim.bodies.plant import OutputReading, PinReading, Plant, Wheel
from tools.sim.bodies.states import States
from tools.sim.bodies.steppers import SimStepper
from tools.sim.faults import Faults, FaultSwitch

_PERIOD_S = 0.01

OnEdge = Callable[[int, bool, int], None]


class BodyDrive:
    """Motors and servos of one role on a board."""

    def __init__(
        self,
        pins: PinReading,
        outputs: OutputReading,
        on_edge: OnEdge,
        clock_ns: Callable[[], int] = monotonic_ns,
    ) -> None:
        self.encoder_pins: set[int] = set()
        self.plant = Plant()
        self._pins = pins
        self._outputs = outputs
        self._on_edge = on_edge
        self._clock_ns = clock_ns
        self._then_ns = 0
        self._edges = 0
        self._wheels: dict[int, Wheel] = {}
        self._servo_pins: set[int] = set()
        self._steppers: dict[int, SimStepper] = {}
        self._faults: Faults | None = None
        self._states: States | None = None
        self._timer: asyncio.TimerHandle | None = None

    def wire(self, config: RoleConfig, directory: Path) -> None:
        """Attach the role's bodies to the board, in their last state."""
        self.stop()
        plant = self.plant = Plant.of(config)
        self._wheels = {pin: wheel for wheel in plant.wheels for pin in wheel.pins}
        self._servo_pins = {joint.spec.pin or 0 for joint in plant.joints if not joint.spec.device}
        self._steppers = {pin: stepper for stepper in plant.steppers for pin in stepper.pins}
        self.encoder_pins = {pin for wheel in plant.wheels for pin in wheel.lines or ()}
        self._faults = Faults(directory, config.target)
        self._states = States(directory, config.target, plant.names)
        self._resume()
        wiring.store(directory, config)

    def switches(self) -> Mapping[str, FaultSwitch]:
        """Return the faults by device."""
        return self._faults.read() if self._faults else {}

    def pin_changed(self, pin: int) -> None:
        """Follow a pin that was written. Short, as it is on the path from a command to its motor:
        while a motor turns, its new duty counts from the last step on, at most 10 ms too early.
        """
        wheel = self._wheels.get(pin)
        if wheel is None:
            if pin in self._servo_pins:
                self.advance()
            elif stepper := self._steppers.get(pin):
                self._step(stepper)
        elif self._timer is not None:
            self.plant.steer(wheel, self._level, self._outputs)
        else:
            self.advance()
            self._schedule()

    def advance(self) -> None:
        """Step all bodies to the present, report edges, then read pins, chips and faults."""
        now_ns = self._clock_ns()
        plant = self.plant
        plant.advance(max(0.0, (now_ns - self._then_ns) / 1e9))
        self._then_ns = now_ns
        for wheel in plant.wheels:
            self._report(wheel, now_ns)
        if self._faults:
            plant.feel(self._faults.read())
        for wheel in plant.wheels:
            plant.steer(wheel, self._level, self._outputs)
        for joint in plant.joints:
            joint.servo.pulse_us = joint.reading(self._pins, self._outputs).value
        if self._states:
            self._states.store(now_ns, plant.values())

    def _step(self, stepper: SimStepper) -> None:
        """Follow the lines of a stepper, and press or release its switch."""
        spec = stepper.spec
        stepper.feel_step(
            self._level(spec.pin or 0) >= 0.5,
            self._level(spec.direction_pin or 0) >= 0.5,
            all(self._level(enable) < 0.5 for enable in spec.enable_pins),
        )
        self.advance()
        self._press(stepper)

    def _press(self, stepper: SimStepper) -> None:
        pin, is_open = stepper.spec.switch_pin or 0, not stepper.is_switch_closed
        if (self._level(pin) >= 0.5) != is_open:
            self._on_edge(pin, is_open, self._clock_ns())

    def stop(self) -> None:
        """Stop stepping; all bodies keep their positions."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if self._states:
            self.advance()
            self._states.close()
            self._states = None
        if self._faults:
            self._faults.close()
            self._faults = None

    def _resume(self) -> None:
        plant, now_ns = self.plant, self._clock_ns()
        kept = self._states.load() if self._states else None
        if self._faults:
            plant.feel(self._faults.read())
        if kept:
            plant.restore(kept[1])
        else:
            for joint in plant.joints:
                joint.start(joint.reading(self._pins, self._outputs).value)
        if kept and kept[0] <= now_ns:
            plant.catch_up(kept[0], now_ns, self._pins, self._outputs)
        else:  # stored before the computer's last start
            plant.rest()
        self._then_ns = now_ns
        for wheel in plant.wheels:
            wheel.forget_edges()
            for pin, level in wheel.levels():
                self._on_edge(pin, level, now_ns)
        self.advance()
        for stepper in plant.steppers:
            self._press(stepper)
        if plant.is_live:
            self._schedule()

    def _level(self, pin: int) -> float:
        return self._pins(pin).value

    def _report(self, wheel: Wheel, now_ns: int) -> None:
        if wheel.lines is None:
            wheel.count()
            return
        edges = wheel.motor.edges()
        if wheel.is_deaf:
            return
        lost = round(1.0 / wheel.loses) if wheel.loses else 0
        for line, level in edges:
            self._edges += 1
            if not lost or self._edges % lost:
                self._on_edge(wheel.lines[line], level, now_ns)

    def _schedule(self) -> None:
        if self._timer is not None or not (self.plant.is_live and self.encoder_pins):
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return  # without a loop the caller uses advance()
        self._timer = loop.call_later(_PERIOD_S, self._tick)

    def _tick(self) -> None:
        self._timer = None
        self.advance()
        self._schedule()
