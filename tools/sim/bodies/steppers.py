"""Simulates a stepper: each rising edge of its step line turns it by one step, and its switch
closes at one end. Pure.
"""

from dataclasses import dataclass

from saint_services.lib.role_config.devices import PinSpec
from saint_services.lib.role_config.model import FieldSpec, RoleConfig


@dataclass(slots=True)
class SimStepper:
    """Stepper with its lines; its position is that of the joint, in degrees."""

    name: str
    spec: PinSpec
    field: FieldSpec
    position: float
    is_blocked: bool = False  # it hums and stays
    is_powered: bool = True
    is_switch_cut: bool = False
    steps: int = 0
    _is_high: bool = False

    def feel_step(self, is_high: bool, is_up: bool, is_enabled: bool) -> None:
        """Follow the step line."""
        rises = is_high and not self._is_high
        self._is_high = is_high
        if not rises or not is_enabled or self.is_blocked or not self.is_powered:
            return
        self.steps += 1
        way = 1.0 if is_up != self.spec.reversed else -1.0
        self.position += way / self.spec.steps_per_deg

    @property
    def is_switch_closed(self) -> bool:
        """Return True where the switch is pressed and its wire is whole."""
        assert self.spec.switch_at is not None
        near = 1e-6
        if self.is_switch_cut:
            return False
        if self.spec.switch_at <= self.field.limits[0]:
            return self.position <= self.spec.switch_at + near
        return self.position >= self.spec.switch_at - near

    @property
    def pins(self) -> tuple[int, ...]:
        """Return the output pins that it follows."""
        named = (self.spec.pin, self.spec.direction_pin, *self.spec.enable_pins)
        return tuple(pin for pin in named if pin is not None)


def steppers_of(config: RoleConfig) -> list[SimStepper]:
    """Build the steppers of a role's manifest, standing at the neutral position."""
    found = []
    for name, spec in config.gpio_mapping.items():
        field = config.fields.get(name)
        if spec.type == "stepper" and field is not None:
            found.append(SimStepper(name, spec, field, field.neutral))
    return found
