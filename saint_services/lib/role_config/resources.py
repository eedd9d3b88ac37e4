"""What of a computer a role takes for itself: pins, PWM channels, chips, lines, the camera, one of
its program's processes. Two roles on one node must not share any of it, nor two parts of one role a
PWM channel. Pure. Not here: who asks (adoptiond, noded), what a board has (lib/hw).
"""

from collections.abc import Iterable, Mapping

from pydantic import BaseModel

from .devices import WITH_PWM
from .model import RoleConfig

PROCESSES = (
    2  # of a role's program on one computer: systemd/saint-role-*.socket, saint-role-*@.socket
)
_SEPARATE: Mapping[int, int] = {}

_I2C = {0: ((0, "SDA"), (1, "SCL")), 1: ((2, "SDA"), (3, "SCL"))}
_SPI = {
    0: ((10, "MOSI"), (9, "MISO"), (11, "SCLK")),
    1: ((20, "MOSI"), (19, "MISO"), (21, "SCLK")),
}
_SPI_SELECTS = {0: (8, 7), 1: (18, 17, 16)}
_UART = ((14, "UART0 TXD"), (15, "UART0 RXD"))
_HEADER_UARTS = ("/dev/serial0", "/dev/ttyAMA0", "/dev/ttyS0")

SPI0 = (7, 8, 9, 10, 11)  # all of them, whichever a role needs: the kernel takes them together


def claims(config: RoleConfig) -> dict[str, str]:
    """What is taken, and by which part of the role."""
    taken: dict[str, str] = {}
    for name, spec in (*config.gpio_mapping.items(), *config.spi_devices.items()):
        taken |= {f"GPIO{pin}": name for pin in sorted(pins(spec))}
    for name, chip in config.i2c_devices.items():
        taken[f"the chip at 0x{chip.address:02x} on I2C bus {chip.bus}"] = name
    for name, spi in config.spi_devices.items():
        taken[f"SPI {spi.bus}.{spi.select}"] = name
        if spi.driver == "ws2812":  # has no chip select: it shows whatever is sent to its bus
            taken[f"SPI bus {spi.bus}"] = name
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


def conflict(
    held: Iterable[RoleConfig], wanted: RoleConfig, channels: Mapping[int, int] = _SEPARATE
) -> str:
    """Why this role cannot work beside those on one node, in one sentence; empty when it can.
    `channels`: the computer's PWM channel of each pin that has one; none where pins share none.
    """
    others = [other for other in held if other.target != wanted.target]
    for other in others:
        # What two roles may share, a third kind of use must not touch: pins of a bus.
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
    """Buses, and their pins, by which parts of the role."""
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
        f"{' and '.join(same)} are here already, and a node runs the program of role {wanted.role} "
        f"{PROCESSES} times at most; put {wanted.target} on another node"
    )


def _without_channel(
    others: Iterable[RoleConfig], wanted: RoleConfig, channels: Mapping[int, int]
) -> str:
    """A channel has one pulse: two pins on it would move together."""
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
    """By BCM number and what the line is, the parts of the role that need it. A bus that is not at
    the header has none.
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
