"""Drives a stepper as the output of a joint: makes its steps when they are due, and finds its place
by the switch before the first motion. A step is made only in a call of the loop, so the motor
stands when the process is frozen or dead. Not here: when steps are due (stepping.py), the pins
(lib/hw/motors/stepper.py).
"""

import math
from collections.abc import Callable
from enum import Enum

from ...hw.motors.stepper import Stepper
from ...role_config.model import FieldSpec, PinSpec
from ..timers import Clock, Handle
from .axis import SLICE_S, Glide
from .stepping import StepTrain

_BEYOND = 1.1  # of the whole way; without the switch by then it is missed
_OFF_SHARE = 0.2  # of the whole way: by then a switch that was closed must have opened
_READS = 2  # in a row; one alone may be a disturbance in its wire


class _Phase(Enum):
    LOST = 0  # nobody knows where it is
    LEAVE = 1  # the switch was closed at the start: away from it
    SEEK = 2  # towards the switch
    READY = 3
    MISSED = 4  # it does not look again before it is opened again


class StepperOutput:
    """The stepper of one joint. `attempt` makes a write or returns False (RoleSession.drive),
    `miss` takes a fault in a sentence."""

    missing = "no position before its switch was found"

    def __init__(
        self,
        name: str,
        stepper: Stepper,
        field: FieldSpec,
        spec: PinSpec,
        clock: Clock,
        attempt: Callable[[str, Callable[[], None]], bool],
        miss: Callable[[str], None],
    ) -> None:
        assert spec.switch_at is not None and spec.homing_rate is not None
        self._name = name
        self._stepper = stepper
        self._field = field
        self._clock = clock
        self._attempt = attempt
        self._miss = miss
        self._scale = spec.steps_per_deg
        self._switch_at = spec.switch_at  # where the count is 0
        self._homing_rate = spec.homing_rate
        low, high = field.limits
        self._to_switch = -1 if spec.switch_at <= low else 1
        self._whole_way = max(high, spec.switch_at) - min(low, spec.switch_at)
        self._train = StepTrain(max(field.max_rate, spec.homing_rate) * self._scale)
        self._phase = _Phase.LOST
        self._way: Glide | None = None  # of the search
        self._way_from = 0
        self._reads = 0
        self._timer: Handle | None = None

    def found(self) -> float | None:
        """Return where the motor is by its count; None before it has found its switch."""
        if self._phase is not _Phase.READY:
            return None
        return self._switch_at + self._train.count / self._scale

    def nearest(self, value: float) -> float:
        """Return the whole step next to a value, within the limits."""
        first, last = (self._steps(limit) for limit in self._field.limits)
        steps = min(max(round(self._steps(value)), math.ceil(first)), math.floor(last))
        return self._switch_at + steps / self._scale

    def put(self, value: float, now_s: float) -> None:
        """Go to a position within the next slice."""
        self._train.follow(self._steps(value), now_s, SLICE_S)
        self._schedule()

    def sleep(self) -> None:
        """Do nothing: without torque it would lose its place."""

    @property
    def is_ready(self) -> bool:
        return self._phase is _Phase.READY

    @property
    def is_still(self) -> bool:
        """True when no step is left to make, and it is not looking for its switch."""
        return self._train.is_still and self._way is None

    def seek(self, now_s: float) -> None:
        """Look for the switch, a slice further. Raises OSError."""
        if self._phase is _Phase.MISSED:
            return
        if self._way is None:
            self._stepper.enable()
            is_there = self._stepper.is_at_switch
            self._begin(_Phase.LEAVE if is_there else _Phase.SEEK)
        way = self._way
        assert way is not None
        way.step(now_s)
        sign = self._to_switch if self._phase is _Phase.SEEK else -self._to_switch
        self._train.follow(self._way_from + sign * way.applied * self._scale, now_s, SLICE_S)
        if way.is_there and self._train.is_still:
            self._fail()
        else:
            self._schedule()

    def hold(self) -> float | None:
        """Make no more steps; return where it stands. A search begins again with a motion."""
        self._halt()
        if self._phase in (_Phase.LEAVE, _Phase.SEEK):
            self._phase = _Phase.LOST
        return self.found()

    def close(self) -> None:
        """Stand, then release the lines; the motor keeps its torque."""
        self._halt()
        self._phase = _Phase.LOST
        self._stepper.close()

    def _steps(self, value: float) -> float:
        return (value - self._switch_at) * self._scale

    def _begin(self, phase: _Phase) -> None:
        share = _OFF_SHARE if phase is _Phase.LEAVE else _BEYOND
        limits = (0.0, self._whole_way * share)
        search = {"limits": limits, "max_rate": self._homing_rate, "neutral": 0.0}
        self._way = Glide(self._field.model_copy(update=search), 0.0)
        self._way.aim(limits[1])
        self._phase, self._reads = phase, 0
        self._train.stop()
        self._way_from = self._train.count

    def _halt(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
        self._way = None
        self._train.stop()

    def _schedule(self) -> None:
        if self._timer is None and (due_s := self._train.due_s()) is not None:
            self._timer = self._clock.call_at(due_s, self._step)

    def _step(self) -> None:
        """Make the step that is due. One that fails leaves the place in doubt."""
        self._timer = None
        if not self._attempt(self._name, self._make):
            self._halt()
            self._phase = _Phase.LOST
        self._schedule()

    def _make(self) -> None:
        if self._way is not None and self._is_at_goal():
            return
        if way := self._train.take(self._clock.time()):
            self._stepper.step(way > 0)

    def _is_at_goal(self) -> bool:
        """Look at the switch before a step of the search; True when none is to be made now."""
        is_closed = self._stepper.is_at_switch
        if is_closed is not (self._phase is _Phase.SEEK):
            self._reads = 0
            return False
        self._reads += 1
        if self._reads < _READS:
            self._timer = self._clock.call_at(self._clock.time() + SLICE_S / _READS, self._step)
            return True
        if self._phase is _Phase.LEAVE:
            self._begin(_Phase.SEEK)
        else:
            self._way, self._phase = None, _Phase.READY
            self._train.stop(0)
        return True

    def _fail(self) -> None:
        is_closed = self._phase is _Phase.LEAVE
        self._halt()
        self._phase = _Phase.MISSED
        reason = "stays closed" if is_closed else "was not reached"
        self._miss(
            f"{self._name}: the homing switch {reason}; check its wires, the direction and whether "
            "the motor turns"
        )
