"""Names the switches that are on before any role drives them, by the pull that their pin has from
power-on. They may be what the owner wants, so they are warned of, never refused. Pure.
"""

from collections.abc import Iterator

from ..hw.pins.header import PINS, PULLED_UP, WITH_RESISTOR
from .model import RoleConfig

_FROM = next(pin for pin in range(PINS) if pin not in PULLED_UP)


def switched_on(role: RoleConfig) -> Iterator[str]:
    """Yield a sentence about each switch of a role that the pull of power-on switches on."""
    for name, spec in role.gpio_mapping.items():
        if spec.type != "switch" or spec.active_low or spec.pin not in PULLED_UP:
            continue
        part, pin = f"{role.target}.{name}", f"GPIO{spec.pin}"
        if spec.pin in WITH_RESISTOR:
            yield (
                f"{part} is on whenever no role drives {pin}, for 1.8 kΩ on the board pull this "
                f"pin up; use a pin from GPIO{_FROM} on"
            )
        else:
            yield (
                f"{part} is on from power-on until the firmware or the role sets {pin}, for the "
                "computer pulls this pin up; 10 kΩ from the pin to ground keep it off, as does a "
                f"pin from GPIO{_FROM} on"
            )
