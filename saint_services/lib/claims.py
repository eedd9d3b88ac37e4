"""What of a computer a role takes for itself: pins, chips, lines, the camera, its own program. Two
roles on one node must not share any of it. Pure. Not here: who asks (adoptiond, noded).
"""

from collections.abc import Iterable, Mapping

from pydantic import BaseModel

from .roles import RoleConfig


def claims(config: RoleConfig) -> dict[str, str]:
    """What is taken, and by which part of the role."""
    taken: dict[str, str] = {f"the program of role {config.role}": "role"}
    for name, spec in (*config.gpio_mapping.items(), *config.spi_devices.items()):
        taken |= {f"GPIO{pin}": name for pin in sorted(pins(spec))}
    for name, chip in config.i2c_devices.items():
        taken[f"the chip at 0x{chip.address:02x} on I2C bus {chip.bus}"] = name
    for name, spi in config.spi_devices.items():
        taken[f"SPI {spi.bus}.{spi.select}"] = name
    for name, line in config.serial_devices.items():
        taken[f"the serial line {line.port}"] = name
    if config.camera.enabled:
        taken["the camera"] = "camera"
    return taken


def pins(spec: BaseModel) -> frozenset[int]:
    """BCM numbers in any setting of an entry of gpio_mapping or spi_devices."""
    settings: Mapping[str, object] = spec.model_dump(exclude_defaults=True)
    found = [value for key, value in settings.items() if "pin" in key]
    return frozenset(pin for value in found for pin in _numbers(value))


def conflict(held: Iterable[RoleConfig], wanted: RoleConfig) -> str:
    """Why this role cannot work beside those on one node, in one sentence; empty when it can."""
    needed = claims(wanted)
    for other in held:
        if other.target == wanted.target:
            continue
        taken = claims(other)
        for what in needed:
            if what in taken:
                return (
                    f"{what} is used by {other.target} ({taken[what]}) and would be used by "
                    f"{wanted.target} ({needed[what]}); put them on two nodes, or change one"
                )
    return ""


def _numbers(value: object) -> list[int]:
    if isinstance(value, int):
        return [value]
    return [each for each in value if isinstance(each, int)] if isinstance(value, tuple) else []
