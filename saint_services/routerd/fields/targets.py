"""What a robot has to drive, by its role manifests: targets, their fields, the command messages
that carry them, and modifiers of a command beside its fields. Data only.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ...lib.generated.saint_msgs import PartCommand
from ...lib.role_config.model import CommandTopic, FieldSpec, RoleConfig
from ...lib.role_config.outputs_mark import outputs_mark


@dataclass(frozen=True, slots=True)
class Modifier:
    """A number of a command that no field is: how fast, how strong. A direct command may hold it
    beside the fields, and it is in force while one of these is in control.
    """

    name: str
    path: str  # in the message
    low: float
    high: float
    neutral: float  # when no claim requests otherwise
    is_pace: bool = False  # it is a share of the fields' top rate


# By type of message: they are part of its definition (manifests/saint_msgs), not of a robot.
MODIFIERS: dict[str, tuple[Modifier, ...]] = {
    "saint_msgs/msg/HeadCommand": (Modifier("speed", "speed", 0.0, 1.0, 1.0, is_pace=True),),
    "saint_msgs/msg/ArmCommand": (Modifier("speed", "speed_factor", 0.0, 1.0, 1.0, is_pace=True),),
    "saint_msgs/msg/GripperCommand": (Modifier("force", "force", 0.0, 1000.0, 0.0),),
}


@dataclass(frozen=True, slots=True)
class CommandLayout:
    """One command message: its topic and which field stands where in it."""

    target: str
    topic: CommandTopic
    fields: tuple[tuple[str, str], ...]  # (field, path in the message)

    @property
    def modifiers(self) -> tuple[Modifier, ...]:
        return MODIFIERS.get(self.topic.type, ())

    @property
    def is_named(self) -> bool:
        """Whether the message itself names its fields."""
        return self.topic.type == PartCommand.TYPE


@dataclass(frozen=True, slots=True)
class RobotTargets:
    """Targets of all roles that have something to drive."""

    fields: dict[str, dict[str, FieldSpec]]
    commands: tuple[CommandLayout, ...]
    stop_buttons: tuple[str, ...] = ()  # of roles: "console:button_b"
    marks: tuple[int, ...] = ()  # of the outputs of each role (lib/role_config/outputs_mark.py)

    @classmethod
    def of(cls, roles: Iterable[RoleConfig]) -> "RobotTargets":
        fields: dict[str, dict[str, FieldSpec]] = {}
        commands: list[CommandLayout] = []
        roles = list(roles)
        buttons = tuple(
            f"{role.target}:{button}"
            for role in roles
            for button, does in role.overrides.items()
            if does == "stop"
        )
        for role in roles:
            if role.fields:
                fields[role.target] = dict(role.fields)
            for key, topic in role.commands.items():
                if carried := _carried(role, key, topic.type == PartCommand.TYPE):
                    commands.append(CommandLayout(role.target, topic, carried))
        marks = tuple(outputs_mark(role) for role in roles if role.fields)
        return cls(fields, tuple(commands), buttons, marks)


def _carried(role: RoleConfig, command: str, is_named: bool) -> tuple[tuple[str, str], ...]:
    """Return the fields of a command with their paths; parts stand in the order of their names."""
    found = [(name, spec.path) for name, spec in role.fields.items() if spec.command == command]
    if is_named:
        return tuple((name, f"values[{index}]") for index, (name, _) in enumerate(found))
    return tuple(found)
