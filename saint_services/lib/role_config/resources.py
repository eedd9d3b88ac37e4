"""Hardware resources that a role reserves: pins, PWM channels, chips, lines, the camera, a process
of its program. Roles on one node must not share them, nor two parts of one role a PWM channel.
Pure. Not here: which board has what (lib/hw).
"""

from collections.abc import Iterable, Mapping

from .devices import WITH_PWM
from .model import RoleConfig
from .ownership import bus_lines as bus_lines
from .ownership import clash as clash
from .ownership import pins as pins

# Processes of a role's program on one computer: systemd/saint-role-*.socket, saint-role-*@.socket
PROCESSES = 2
_SEPARATE: Mapping[int, int] = {}

SPI0 = (7, 8, 9, 10, 11)  # the kernel reserves all of them together


def claims(config: RoleConfig) -> dict[str, str]:
    """Return the reserved resources, each with the part of the role that needs it."""
    taken: dict[str, str] = {}
    for name, spec in (*config.gpio_mapping.items(), *config.spi_devices.items()):
        taken |= {f"GPIO{pin}": name for pin in sorted(pins(spec))}
    for name, chip in config.i2c_devices.items():
        # A multiplexer belongs to one role: two would change its channel under each other. What is
        # behind it answers at its address on the whole bus while its channel is open.
        for address in (chip.address, *((chip.mux.address,) if chip.mux else ())):
            taken[f"the chip at 0x{address:02x} on I2C bus {chip.bus}"] = name
    for name, spi in config.spi_devices.items():
        taken[f"SPI {spi.bus}.{spi.select}"] = name
        if spi.driver == "ws2812":  # no chip select: it displays everything on its bus
            taken[f"SPI bus {spi.bus}"] = name
    for name, line in config.serial_devices.items():
        taken[f"the serial line {line.port}"] = name
    if config.camera.enabled:
        taken["the camera"] = "camera"
    return taken


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
