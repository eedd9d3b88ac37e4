"""Hardware resources that a role reserves: pins, PWM channels, chips, lines, camera and sound
devices, a process of its program. Roles on one node must not share them, nor two parts of one role
a PWM channel. Pure. Not here: which board has what (lib/hw).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from .devices import WITH_PWM
from .model import RoleConfig
from .ownership import Use as Use
from .ownership import bus_lines as bus_lines
from .ownership import clash as clash
from .ownership import line_of, pin_keys, reserved_lines
from .ownership import pins as pins

# Processes of a role's program on one computer: systemd/saint-role-*.socket, saint-role-*@.socket
PROCESSES = 2
_SEPARATE: Mapping[int, int] = {}

SPI0 = (7, 8, 9, 10, 11)  # the kernel reserves all of them together


@dataclass(frozen=True, slots=True)
class Conflict:
    """Why a role does not fit on a node, and the key of its configuration that is at fault."""

    text: str
    place: str = ""  # "gpio_mapping.pan.pin"; empty: the role as a whole


def claims(config: RoleConfig) -> dict[str, str]:
    """Return the reserved resources, each with the part of the role that needs it."""
    return {use.what: use.name for use in _claims(config)}


def _claims(config: RoleConfig) -> Iterator[Use]:
    groups = (("gpio_mapping", config.gpio_mapping), ("spi_devices", config.spi_devices))
    for group, entries in groups:
        for name, spec in entries.items():
            for pin, key in sorted(pin_keys(spec)):
                yield Use(f"GPIO{pin}", name, f"{group}.{name}.{key}")
    for name, chip in config.i2c_devices.items():
        # A multiplexer belongs to one role: two would change its channel under each other. What is
        # behind it answers at its address on the whole bus while its channel is open.
        at = {f"i2c_devices.{name}.address": chip.address}
        if chip.mux:
            at[f"i2c_devices.{name}.mux"] = chip.mux.address
        for place, address in at.items():
            yield Use(f"the chip at 0x{address:02x} on I2C bus {chip.bus}", name, place)
    for name, spi in config.spi_devices.items():
        yield Use(f"SPI {spi.bus}.{spi.select}", name, f"spi_devices.{name}.select")
        if spi.driver == "ws2812":  # no chip select: it displays everything on its bus
            yield Use(f"SPI bus {spi.bus}", name, f"spi_devices.{name}.bus")
    for name, line in config.serial_devices.items():
        yield Use(f"the serial line {line_of(line.port)}", name, f"serial_devices.{name}.port")
    for name, node in config.can_devices.items():
        what = f"the {node.driver.upper()} {node.id} on {node.port}"
        yield Use(what, name, f"can_devices.{name}.id")
        if node.port.startswith("/"):  # one program alone has the line; an interface is shared
            yield Use(f"the serial line {line_of(node.port)}", name, f"can_devices.{name}.port")
    if config.walker:  # one program alone commands it
        command_port, state_port = config.walker.ports
        where = f"{config.walker.host}:{command_port}"
        yield Use(f"the walking controller at {where}", "walker", "walker.host")
        yield Use(f"UDP port {state_port}", "walker", "walker.state_port")
    if config.camera.enabled:
        yield Use("the camera", "camera", "camera.enabled")
    for kind in ("microphone", "loudspeaker"):
        # Such as "default" or a name with dsnoop they could be shared; which name is which only
        # ALSA's configuration of that computer says.
        if device := getattr(config.sound, kind):
            yield Use(f"the {kind} {device}", kind, f"sound.{kind}")


def conflict(
    held: Iterable[RoleConfig], wanted: RoleConfig, channels: Mapping[int, int] = _SEPARATE
) -> str:
    """Return why this role conflicts with the roles on a node, as one sentence; empty without a
    conflict. `channels`: the computer's PWM channel of each pin that has one.
    """
    found = find_conflict(held, wanted, channels)
    return found.text if found else ""


def find_conflict(
    held: Iterable[RoleConfig], wanted: RoleConfig, channels: Mapping[int, int] = _SEPARATE
) -> Conflict | None:
    """Return the first conflict of this role with the roles on a node; None without one."""
    if own := clash(wanted):
        place, _, text = own.partition(": ")
        return Conflict(text, place)
    others = [other for other in held if other.target != wanted.target]
    for other in others:
        # Bus pins may be shared between roles, but not used for anything else.
        for needed, taken in (
            (_claims(wanted), (*_shared(other), *_claims(other))),
            (_shared(wanted), (*_claims(other),)),
        ):
            if found := _first(needed, {use.what: use for use in taken}, wanted, other):
                return found
    return _without_process(others, wanted) or _without_channel(others, wanted, channels)


def _first(
    needed: Iterable[Use], taken: Mapping[str, Use], wanted: RoleConfig, other: RoleConfig
) -> Conflict | None:
    for use in needed:
        if use.what in taken:
            return Conflict(
                f"{use.what} is used by {other.target} ({taken[use.what].name}) and would be used "
                f"by {wanted.target} ({use.name}); put them on two nodes, or change one",
                use.place,
            )
    return None


def _shared(config: RoleConfig) -> Iterator[Use]:
    """Yield buses and their pins, with the parts of the role that use them."""
    lines = bus_lines(config)
    users = {bcm: f"{', '.join(names)}: {line}" for (bcm, line), names in lines.items()}
    for bcm, bus, place in reserved_lines(config):
        yield Use(f"GPIO{bcm}", users.get(bcm, bus), place)
    for name, spi in config.spi_devices.items():
        yield Use(f"SPI bus {spi.bus}", name, f"spi_devices.{name}.bus")


def _without_process(others: Iterable[RoleConfig], wanted: RoleConfig) -> Conflict | None:
    same = [other.target for other in others if other.role == wanted.role]
    if len(same) < PROCESSES:
        return None
    return Conflict(
        f"{' and '.join(same)} are on this node, and a node runs the program of role {wanted.role} "
        f"{PROCESSES} times at most; put {wanted.target} on another node"
    )


def _without_channel(
    others: Iterable[RoleConfig], wanted: RoleConfig, channels: Mapping[int, int]
) -> Conflict | None:
    """Find two pins on one PWM channel, which would move together, and pins without one."""
    users: dict[int, tuple[int, str]] = {}
    for config in (*others, wanted):
        for name, pin, key in _pulsed(config):
            user = pin, f"{config.target} ({name})"
            place = f"gpio_mapping.{name}.{key}"
            if channels and pin not in channels and config is wanted:
                known = ", ".join(map(str, sorted(channels)))
                return Conflict(
                    f"GPIO{pin} of {user[1]} has no hardware PWM on this computer; use one of GPIO "
                    f"{known}, or a PCA9685",
                    place,
                )
            first, holder = users.setdefault(channels.get(pin, -1 - pin), user)
            if first != pin:
                return Conflict(
                    f"GPIO{first} of {holder} and GPIO{pin} of {user[1]} are one hardware PWM "
                    f"channel of this computer, PWM{channels[pin]}; put one on a PCA9685, or on "
                    "a pin of another channel",
                    place,
                )
    return None


def _pulsed(config: RoleConfig) -> Iterable[tuple[str, int, str]]:
    for name, spec in config.gpio_mapping.items():
        if spec.type in WITH_PWM:
            for key in ("pin", "reverse_pin"):
                if getattr(spec, key) is not None:
                    yield name, getattr(spec, key), key
