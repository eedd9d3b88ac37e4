"""Lists the robot's parts with the places that they are connected to. Pure."""

from collections.abc import Iterator, Mapping

from ...lib.api.robot import RobotPart, RobotTemplate
from ...lib.robot.manifest import RobotDescription
from ...lib.role_config.hardware import hardware
from ...lib.role_config.model import RoleConfig
from ...lib.role_config.resources import pins
from ...lib.role_config.sound import ALSA_DEVICE, SOUND_KINDS


def parts(robot: RobotDescription, holders: Mapping[str, str]) -> list[RobotPart]:
    """Return the parts of every role, in the order of the robot's text. `holders`: the node of each
    target."""
    found = []
    for target, role in robot.roles.items():
        uses = hardware(role).pins
        for part in (*_outputs(target, role), *_devices(target, role)):
            own = [use for use in uses if part.name in use.name.split(", ")]
            more = {"node_id": holders.get(target, ""), "pins": own}
            found.append(part.model_copy(update=more))
    return found


def _outputs(target: str, role: RoleConfig) -> Iterator[RobotPart]:
    for name in dict.fromkeys((*role.fields, *role.gpio_mapping)):
        spec, pin = role.fields.get(name), role.gpio_mapping.get(name)
        yield RobotPart(
            target=target,
            name=name,
            kind=pin.type if pin else "",
            place=_place(role, name),
            unit=spec.unit if spec else "",
            limits=list(spec.limits) if spec else [],
            output=spec.model_dump(mode="json", exclude_unset=True) if spec else {},
            hardware=pin.model_dump(mode="json", exclude_unset=True) if pin else {},
        )


def _place(role: RoleConfig, name: str) -> str:
    pin = role.gpio_mapping.get(name)
    if pin is None:
        return ""
    if pin.device:
        chip = role.i2c_devices.get(pin.device)
        where = f" (0x{chip.address:02x} on I2C {chip.bus})" if chip else ""
        return f"channel {pin.channel} of {pin.device}{where}"
    return ", ".join(f"GPIO{each}" for each in sorted(pins(pin)))


def _devices(target: str, role: RoleConfig) -> Iterator[RobotPart]:
    for name, chip in role.i2c_devices.items():
        yield RobotPart(
            target=target, name=name, kind=chip.driver,
            place=f"0x{chip.address:02x} on I2C {chip.bus}",
            hardware=chip.model_dump(mode="json", exclude_unset=True),
        )  # fmt: skip
    for name, panel in role.spi_devices.items():
        yield RobotPart(
            target=target, name=name, kind=panel.driver, place=f"SPI {panel.bus}.{panel.select}",
            hardware=panel.model_dump(mode="json", exclude_unset=True),
        )  # fmt: skip
    for name, line in role.serial_devices.items():
        yield RobotPart(
            target=target, name=name, kind=line.driver, place=line.port,
            hardware=line.model_dump(mode="json", exclude_unset=True),
        )  # fmt: skip
    for name, node in role.can_devices.items():
        yield RobotPart(
            target=target, name=name, kind=node.driver, place=f"{node.id} on {node.port}",
            hardware=node.model_dump(mode="json", exclude_unset=True),
        )  # fmt: skip
    for kind in SOUND_KINDS:
        if device := getattr(role.sound, kind):
            yield RobotPart(
                target=target, name=kind, kind=kind, place=device,
                hardware={"driver": kind, ALSA_DEVICE: device},
            )  # fmt: skip


def template_view(name: str, text: str, robot: RobotDescription) -> RobotTemplate:
    """Return a shipped robot as a choice."""
    first = text.splitlines()[0] if text else ""
    return RobotTemplate(
        name=name,
        about=first.lstrip("# ") if first.startswith("#") else robot.manifest.name,
        roles=list(robot.roles),
        parts=sum(len(role.fields) for role in robot.roles.values()),
    )
