"""Checks the configuration of a joint with a stepper: what it needs, how many steps it takes.
Pure. Not here: the driver (lib/hw/motors/stepper.py), how it moves (lib/role/motion/stepping.py).
"""

from typing import Protocol

from .devices import PinSpec


class StepperField(Protocol):
    """What counts of the field that it drives (FieldSpec)."""

    @property
    def kind(self) -> str: ...
    @property
    def unit(self) -> str: ...
    @property
    def limits(self) -> tuple[float, float]: ...
    @property
    def max_rate(self) -> float: ...
    @property
    def max_acceleration(self) -> float | None: ...


# The loop sends each step, at times that are a millisecond or two late. A motor that runs so slowly
# could also start at this speed, so no step is lost by it.
MOST_STEPS_HZ = 250.0


def stepper_problem(field: StepperField | None, spec: PinSpec) -> str:
    """Return why a stepper cannot drive this field, in a sentence; empty where it can."""
    if field is None or field.kind != "position" or field.unit != "deg":
        return "a stepper drives a position in degrees, and no such field has this name"
    if field.max_acceleration is None:
        return "a stepper needs max_acceleration in its field"
    assert spec.switch_at is not None and spec.homing_rate is not None
    if field.limits[0] < spec.switch_at < field.limits[1]:
        return f"switch_at is {spec.switch_at:g}; the switch closes at a limit or beyond it"
    rate = max(field.max_rate, spec.homing_rate)
    if (steps_hz := rate * spec.steps_per_deg) > MOST_STEPS_HZ:
        return (
            f"{rate:g} degrees a second are {steps_hz:.0f} steps a second, and {MOST_STEPS_HZ:g} "
            "can be sent; use a lower max_rate, homing_rate or fewer microsteps"
        )
    return ""
