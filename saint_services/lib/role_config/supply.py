"""Estimates what the parts of one computer draw from its 5 V, and warns where that is more than a
usual supply has left. An estimate never refuses: what the parts are fed by is not known here. Pure.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from .devices import SERVOS
from .model import RoleConfig


@dataclass(frozen=True, slots=True)
class TypicalCurrent:
    """What one part of a kind draws from 5 V in use."""

    what: str  # "servo"
    current_a: float
    source: str


# Only what counts: sensors and displays draw a few mA, motors have a supply of their own behind
# their bridge, and what a dimmer feeds is not known.
SERVO: Final = TypicalCurrent(
    "servo", 0.25, "SG90 at 5 V: 0.1 to 0.25 A moving, 0.65 A blocked (kpower.com/blog/3185.html)"
)
LIGHT: Final = TypicalCurrent(
    "light", 0.02, "Adafruit NeoPixel Uberguide, power: 0.02 A as a rule, 0.06 A in full white"
)
RELAY: Final = TypicalCurrent(
    "switched load", 0.072, "a relay's coil, Songle SRD-05VDC-SL-C: 5 V across 70 ohms"
)
SUPPLY_A: Final = 3.0  # of a Pi 4: "5 V DC, minimum 3 A" (Raspberry Pi 4 Model B, product brief)
BOARD_A: Final = (
    0.6  # of it for the Pi 4 itself, typical (Raspberry Pi documentation, power supply)
)
LEFT_A: Final = SUPPLY_A - BOARD_A


def overload(roles: Iterable[RoleConfig]) -> str:
    """Return a sentence about parts of one computer that draw too much from its 5 V; empty where
    they do not, or have a supply of their own (`own_supply`)."""
    held = list(roles)
    counts: dict[TypicalCurrent, int] = {}
    for role in held:
        for kind, count in _drawing(role):
            counts[kind] = counts.get(kind, 0) + count
    total_a = sum(kind.current_a * count for kind, count in counts.items())
    if total_a <= LEFT_A:
        return ""
    listed = ", ".join(
        f"{count} {kind.what}{'' if count == 1 else 's'} of {kind.current_a:g} A"
        for kind, count in counts.items()
    )
    names = " and ".join(role.target for role in held)
    return (
        f"{names} may draw {total_a:.1f} A from 5 V ({listed}); "
        f"a Pi with a supply of {SUPPLY_A:g} A has {LEFT_A:.1f} A left. Feed them by a supply of "
        "their own, and say so with own_supply: true at the chip, the strip or the part"
    )


def _drawing(role: RoleConfig) -> Iterator[tuple[TypicalCurrent, int]]:
    for spec in role.gpio_mapping.values():
        chip = role.i2c_devices.get(spec.device)
        if spec.own_supply or (chip and chip.own_supply):
            continue
        if spec.type in SERVOS:
            yield SERVO, 1
        elif spec.type == "switch":
            yield RELAY, 1
    for strip in role.spi_devices.values():
        if strip.driver == "ws2812" and not strip.own_supply:
            yield LIGHT, strip.count
