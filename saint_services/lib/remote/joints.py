"""Names and units of an arm's joints between a remote side and the fields of a role: degrees stay
degrees, a ratio counts 0 to 100 there, and the SO-100's names in Arena stand for LeRobot's.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from ..role_config.model import RoleConfig
from .messages import JointCommand, JointReading, RemoteMessageError

PERCENT: Final = 100.0
SPEED: Final = "speed"  # a modifier of a direct command: a share of the joints' top speed
SLOWEST: Final = 0.01
ALIASES: Final[Mapping[str, str]] = {
    "Rotation": "shoulder_pan",
    "Pitch": "shoulder_lift",
    "Elbow": "elbow_flex",
    "Wrist_Pitch": "wrist_flex",
    "Wrist_Roll": "wrist_roll",
    "Jaw": "gripper",
}
_PACED_ROLES = ("arms", "head")  # their commands carry a speed


@dataclass(slots=True)
class JointMap:
    """The joints of a role for one remote side, which is answered with the names that it uses."""

    role: RoleConfig
    _used: dict[str, str] = field(default_factory=dict)  # field -> name of the remote side

    def values(self, joints: Iterable[JointCommand]) -> dict[str, float]:
        """Return the values of fields. Raises RemoteMessageError for an unknown or a doubled
        joint: a command counts whole or not at all.
        """
        found: dict[str, float] = {}
        speeds: list[float] = []
        for joint in joints:
            name = self._field(joint.name)
            if name in found:
                raise RemoteMessageError("invalid", f"joint {joint.name} occurs twice")
            found[name] = self._inward(name, joint.value)
            speeds += [joint.speed] if joint.speed else []
        if speeds and self.role.role in _PACED_ROLES:
            found[SPEED] = min(1.0, max(SLOWEST, min(speeds) / PERCENT))
        return found

    def commands(self, values: Mapping[str, float]) -> tuple[JointCommand, ...]:
        """Return the joints of a command for a remote slave."""
        return tuple(
            JointCommand(name=self.remote_name(name), value=self._outward(name, value))
            for name, value in values.items()
            if name in self.role.fields
        )

    def readings(
        self, commanded: Mapping[str, float], measured: Mapping[str, float]
    ) -> tuple[JointReading, ...]:
        """Return the joints of a report; a joint without a measurement has none."""
        return tuple(
            JointReading(
                name=self.remote_name(name),
                type="continuous" if spec.rests_at_zero else "revolute",
                virtual_value=self._outward_or_none(name, commanded),
                real_value=self._outward_or_none(name, measured),
            )
            for name, spec in self.role.fields.items()
        )

    def reported(self, joints: Iterable[JointReading]) -> dict[str, float]:
        """Return the values that a slave reports as measured, else as commanded. Raises
        RemoteMessageError for a joint that the role does not have.
        """
        found: dict[str, float] = {}
        for joint in joints:
            value = joint.virtual_value if joint.real_value is None else joint.real_value
            if value is not None:
                name = self._field(joint.name)
                found[name] = self._inward(name, value)
        return found

    def remote_name(self, name: str) -> str:
        """Return the name of a field at the remote side."""
        return self._used.get(name, name)

    def _field(self, given: str) -> str:
        name = given if given in self.role.fields else ALIASES.get(given, "")
        if name not in self.role.fields:
            known = ", ".join(self.role.fields)
            text = f"{self.role.target} has no joint {given}; it has {known}"
            raise RemoteMessageError("unknown_joint", text)
        self._used[name] = given
        return name

    def _scale(self, name: str) -> float:
        return PERCENT if self.role.fields[name].unit == "ratio" else 1.0

    def _inward(self, name: str, value: float) -> float:
        return value / self._scale(name)

    def _outward(self, name: str, value: float) -> float:
        return round(value * self._scale(name), 4)

    def _outward_or_none(self, name: str, values: Mapping[str, float]) -> float | None:
        value = values.get(name)
        return None if value is None else self._outward(name, value)
