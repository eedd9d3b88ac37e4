"""What the robot has to drive: targets, their fields and the command messages that carry them,
taken from the role manifests. Data only.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ...lib.role_config.model import CommandTopic, FieldSpec, RoleConfig
from .claims import Output
from .modifiers import MODIFIERS, Modifier


@dataclass(frozen=True, slots=True)
class Command:
    """One command message: its topic and which field stands where in it."""

    target: str
    topic: CommandTopic
    fields: tuple[tuple[str, str], ...]  # (field, path in the message)

    @property
    def modifiers(self) -> tuple[Modifier, ...]:
        return MODIFIERS.get(self.topic.type, ())


@dataclass(frozen=True, slots=True)
class Robot:
    """Targets of all roles that have something to drive."""

    fields: dict[str, dict[str, FieldSpec]]
    commands: tuple[Command, ...]
    stop_buttons: tuple[str, ...] = ()  # of roles: "console:button_b"

    @classmethod
    def of(cls, roles: Iterable[RoleConfig]) -> "Robot":
        fields: dict[str, dict[str, FieldSpec]] = {}
        commands: list[Command] = []
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
                carried = tuple(
                    (name, spec.path) for name, spec in role.fields.items() if spec.command == key
                )
                if carried:
                    commands.append(Command(role.target, topic, carried))
        return cls(fields, tuple(commands), buttons)

    def outputs(self) -> dict[tuple[str, str], Output]:
        """Every field at rest, by target and name, in the order of the manifests."""
        return {
            (command.target, name): _output(command.target, name, spec, index)
            for index, command in enumerate(self.commands)
            for name, spec in (
                (name, self.fields[command.target][name]) for name, _ in command.fields
            )
        }


def _output(target: str, name: str, spec: FieldSpec, command: int) -> Output:
    return Output(
        target=target,
        field=name,
        unit=spec.unit,
        is_velocity=spec.kind == "velocity",
        low=spec.limits[0],
        high=spec.limits[1],
        max_rate=spec.max_rate,
        on_loss=spec.on_loss,
        neutral=spec.neutral,
        park=spec.neutral if spec.park is None else spec.park,
        command=command,
    )
