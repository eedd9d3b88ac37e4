"""Maps the velocities of TeleopCommand_S onto the robot's own target and fields. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from .structs import TeleopCommand

MOVE: Final = 2  # the only mode in which velocities count
# Names that a robot may give to forward, left, counterclockwise.
_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "vx": ("vx", "linear"),
    "vy": ("vy", "lateral"),
    "vyaw": ("vyaw", "angular"),
}


@dataclass(frozen=True, slots=True)
class VelocityTarget:
    """The target that drives the robot, and its field for each velocity."""

    target: str
    fields: Mapping[str, str]

    def values(self, command: TeleopCommand) -> dict[str, float]:
        """Return the values of a command: zeros unless it is enabled and in mode move."""
        is_moving = command.enable and command.mode == MOVE and not command.e_stop
        return {
            field: float(getattr(command, name)) if is_moving else 0.0
            for name, field in self.fields.items()
        }


def velocity_target(robot: Mapping[str, Collection[str]]) -> VelocityTarget | None:
    """Return the target of a robot (its fields by target) that has a forward velocity."""
    for target, fields in robot.items():
        found = {
            name: next(known for known in names if known in fields)
            for name, names in _NAMES.items()
            if any(known in fields for known in names)
        }
        if "vx" in found:
            return VelocityTarget(target, found)
    return None
