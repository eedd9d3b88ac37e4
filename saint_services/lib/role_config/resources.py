"""Hardware resources that a role reserves: pins, PWM channels, chips, lines, the camera, a process
of its program. Roles on one node must not share them, nor two parts of one role a PWM channel.
Pure. Not here: which board has what (lib/hw).
"""

from collections.abc import Iterable, Mapping

from pydantic import BaseModel

from ..hw.pins.header import HEADER_UART
from .devices import WITH_PWM
from .model import RoleConfig

# Processes of a role's program on one computer: systemd/saint-role-*.socket, saint-role-*@.socket
PROCESSES = 2
_SEPARATE: Mapping[int, int] = {}

_I2C = {0: ((0, "SDA"), (1, "SCL")), 1: ((2, "SDA"), (3, "SCL"))}
_SPI = {
    0: ((10, "MOSI"), (9, "MISO"), (11, "SCLK")),
    1: ((20, "MOSI"), (19, "MISO"), (21, "SCLK")),
}
_SPI_SELECTS = {0: (8, 7), 1: (18, 17, 16)}
_UART = ((14, "UART0 TXD"), (15, "UART0 RXD"))
# The last two are its names on Raspberry Pi OS.
_HEADER_UARTS = (HEADER_UART, "/dev/serial0", "/dev/ttyS0")

SPI0 = (7, 8, 9, 10, 11)  # the kernel reserves all of them together


def claims(config: RoleConfig) -> dict[str, str]:
    """Return the reserved resources, each with the part of the role that needs it."""
    taken: dict[str, str] = {}
    for name, spec in (*config.gpio_mapping.items(), *config.spi_devices.items()):
        taken |= {f"GPIO{pin}": name for pin in sorted(pins(spec))}
    for name, chip in config.i2c_devices.items():
        taken[f"the chip at 0x{chip.address:02x} on I2C bus {chip.bus}"] = name
    for name, spi in config.spi_devices.items():
        taken[f"SPI {spi.bus}.{spi.select}"] = name
        if spi.driver == "ws2812":  # no chip select: it displays everything on its bus
            taken[f"SPI bus {spi.bus}"] = name
    for name, line in config.serial_devices.items():
        taken[f"the serial line {line.port}"] = name
    if config.camera.enabled:
        taken["the camera"] = "camera"
    return taken


def clash(config: RoleConfig) -> str:
    """Return why two parts of one role exclude each other, as one sentence; empty if none do."""
    users: dict[str, str] = {}
    for what, name in (*_own_claims(config), *_bus_claims(config)):
        first = users.setdefault(what, name)
        if first != name:
            return (
                f"{what} is used by {first} and by {name} of {config.target}; give each a place of "
                "its own"
            )
    return ""


def _own_claims(config: RoleConfig) -> Iterable[tuple[str, str]]:
    """Yield each resource that one part alone may use, with the part."""
    for name, spec in config.gpio_mapping.items():
        yield from ((f"GPIO{pin}", name) for pin in sorted(pins(spec)))
        if spec.device and spec.channel is not None:
            # A channel of a RoboClaw has a motor and its encoder.
            what = "encoder" if spec.type.endswith("encoder") else "channel"
            yield f"{what} {spec.channel} of {spec.device}", name
    for name, panel in config.spi_devices.items():
        yield from ((f"GPIO{pin}", name) for pin in sorted(pins(panel)))
        yield f"SPI {panel.bus}.{panel.select}", name
    for name, chip in config.i2c_devices.items():
        yield f"the chip at 0x{chip.address:02x} on I2C bus {chip.bus}", name
    for name, line in config.serial_devices.items():
        yield f"the serial line {line.port}", name


def _bus_claims(config: RoleConfig) -> Iterable[tuple[str, str]]:
    """Yield the pins of the header's buses: what shares a bus is one user of its pins."""
    for (bcm, line), _ in bus_lines(config).items():
        yield f"GPIO{bcm}", line.split()[0]


def pins(spec: BaseModel) -> frozenset[int]:
    """Return all BCM numbers of an entry of gpio_mapping or spi_devices."""
    settings: Mapping[str, object] = spec.model_dump(exclude_defaults=True)
    found = [value for key, value in settings.items() if "pin" in key]
    return frozenset(pin for value in found for pin in _numbers(value))


def conflict(
    held: Iterable[RoleConfig], wanted: RoleConfig, channels: Mapping[int, int] = _SEPARATE
) -> str:
    """Return why this role conflicts with the roles on a node, as one sentence; empty without a
    conflict. `channels`: the computer's PWM channel of each pin that has one.
    """
    if own := clash(wanted):
        return own
    others = [other for other in held if other.target != wanted.target]
    for other in others:
        # Bus pins may be shared between roles, but not used for anything else.
        for needed, taken in (
            (claims(wanted), _shared(other) | claims(other)),
            (_shared(wanted), claims(other)),
        ):
            for what in needed:
                if what in taken:
                    return (
                        f"{what} is used by {other.target} ({taken[what]}) and would be used by "
                        f"{wanted.target} ({needed[what]}); put them on two nodes, or change one"
                    )
    return _without_process(others, wanted) or _without_channel(others, wanted, channels)


def _shared(config: RoleConfig) -> dict[str, str]:
    """Return buses and their pins, with the parts of the role that use them."""
    lines = {
        f"GPIO{bcm}": f"{', '.join(names)}: {line}"
        for (bcm, line), names in bus_lines(config).items()
    }
    return lines | {f"SPI bus {spi.bus}": name for name, spi in config.spi_devices.items()}


def _without_process(others: Iterable[RoleConfig], wanted: RoleConfig) -> str:
    same = [other.target for other in others if other.role == wanted.role]
    if len(same) < PROCESSES:
        return ""
    return (
        f"{' and '.join(same)} are on this node, and a node runs the program of role {wanted.role} "
        f"{PROCESSES} times at most; put {wanted.target} on another node"
    )


def _without_channel(
    others: Iterable[RoleConfig], wanted: RoleConfig, channels: Mapping[int, int]
) -> str:
    """Find two pins on one PWM channel, which would move together."""
    users: dict[int, tuple[int, str]] = {}
    for config in (*others, wanted):
        for name, pin in _pulsed(config):
            user = pin, f"{config.target} ({name})"
            first, holder = users.setdefault(channels.get(pin, -1 - pin), user)
            if first != pin:
                return (
                    f"GPIO{first} of {holder} and GPIO{pin} of {user[1]} are one hardware PWM "
                    f"channel of this computer, PWM{channels[pin]}; put one on a PCA9685, or on "
                    "a pin of another channel"
                )
    return ""


def _pulsed(config: RoleConfig) -> Iterable[tuple[str, int]]:
    for name, spec in config.gpio_mapping.items():
        if spec.type in WITH_PWM:
            yield from ((name, pin) for pin in spec.pwm_pins)


def _numbers(value: object) -> list[int]:
    if isinstance(value, int):
        return [value]
    return [each for each in value if isinstance(each, int)] if isinstance(value, tuple) else []


def bus_lines(config: RoleConfig) -> dict[tuple[int, str], list[str]]:
    """Return the parts of the role by BCM number and function of each bus pin; empty for a bus that
    is not on the header.
    """
    names: dict[tuple[int, str], list[str]] = {}
    for name, chip in config.i2c_devices.items():
        for bcm, line in _I2C.get(chip.bus, ()):
            names.setdefault((bcm, f"I2C{chip.bus} {line}"), []).append(name)
    for name, panel in config.spi_devices.items():
        for bcm, line in _SPI.get(panel.bus, ()):
            names.setdefault((bcm, f"SPI{panel.bus} {line}"), []).append(name)
        selects = _SPI_SELECTS.get(panel.bus, ())
        if panel.select < len(selects):
            place = selects[panel.select], f"SPI{panel.bus} CE{panel.select}"
            names.setdefault(place, []).append(name)
    for name, line_device in config.serial_devices.items():
        for bcm, line in _UART if line_device.port in _HEADER_UARTS else ():
            names.setdefault((bcm, line), []).append(name)
    return names
