"""Maps mode and velocities of TeleopCommand_S onto the robot's own target and fields. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from ..walker.model import WalkMode
from .structs import TeleopCommand

DAMP: Final = 0
MOVE: Final = 2  # the only mode in which velocities count
# What a mode requests of a walking robot. It balances by itself on its way from stand to move.
_WALK_MODES: Final[Mapping[int, WalkMode]] = {
    DAMP: WalkMode.DAMP,
    1: WalkMode.STAND,
    MOVE: WalkMode.MOVE,
}
_MODE_FIELD = "mode"
# Names that a robot may give to forward, left, counterclockwise.
_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "vx": ("vx", "linear"),
    "vy": ("vy", "lateral"),
    "vyaw": ("vyaw", "angular"),
}


@dataclass(frozen=True, slots=True)
class VelocityTarget:
    """The target that drives the robot, and its field for each velocity. `has_mode`: it walks, and
    its field `mode` is held like a velocity.
    """

    target: str
    fields: Mapping[str, str]
    has_mode: bool = False

    def values(self, command: TeleopCommand) -> dict[str, float]:
        """Return the values of a command: zeros unless it is enabled and in mode move. A walking
        robot is requested to damp where the command is not enabled, or stops.
        """
        mode = command.mode if command.enable and not command.e_stop else DAMP
        found = {
            field: float(getattr(command, name)) if mode == MOVE else 0.0
            for name, field in self.fields.items()
        }
        return found | ({_MODE_FIELD: float(_WALK_MODES[mode])} if self.has_mode else {})

    def moves(self, values: Mapping[str, float], *, counts_mode: bool) -> bool:
        """Return whether any velocity is not zero; or the mode not damp, where that counts. Of
        another field nobody knows, so it counts like a position.
        """
        for name, value in values.items():
            if self.has_mode and name == _MODE_FIELD:
                is_moving = counts_mode and value != 0
            else:
                is_moving = value != 0 or name not in self.fields.values()
            if is_moving:
                return True
        return False

    def at_rest(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return zero velocities with these values' mode: a robot that walks stands."""
        return {
            name: value if name == _MODE_FIELD else 0.0
            for name, value in values.items()
            if name in self.fields.values() or (self.has_mode and name == _MODE_FIELD)
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
            return VelocityTarget(target, found, _MODE_FIELD in fields)
    return None
