"""Rooms as RobotHub, the public successor of LeRobot Arena, has them: one producer commands, any
number of consumers follow. Messages, limits and the rules of joining. Not here: the robot
(webd/remote/rooms.py).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from ..role_config.fields import FieldSpec
from ..role_config.model import RoleConfig
from .joints import ALIASES
from .messages import RemoteMessageError, parsed_object, validated

MOST_CONSUMERS = 16
FULL = 100.0  # a joint counts -100 to 100 of its range, a gripper 0 to 100

RoomId = Annotated[str, StringConstraints(pattern=r"^[\w.:-]{1,100}$")]
ParticipantRole = Literal["producer", "consumer"]


class _RoomMessage(BaseModel):
    """Accepts and ignores fields that this side does not know."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False, defer_build=True)


class RoomJoin(_RoomMessage):
    """The first message of a participant."""

    participant_id: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    role: ParticipantRole


class RoomJoint(_RoomMessage):
    """One joint."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=50)]
    value: Annotated[float, Field(ge=-360, le=360, strict=True)]
    speed: Annotated[float, Field(ge=0, le=100, strict=True)] | None = None


class RoomJoints(_RoomMessage):
    """Joints of a request over HTTP."""

    joints: Annotated[tuple[RoomJoint, ...], Field(min_length=1, max_length=20)]


class JointUpdate(_RoomMessage):
    """Values that the producer commands."""

    type: Literal["joint_update"]
    data: Annotated[tuple[RoomJoint, ...], Field(min_length=1, max_length=20)]


class RoomStop(_RoomMessage):
    """The stop. It is this robot's own, and stays until a person clears it."""

    type: Literal["emergency_stop"]
    reason: Annotated[str, StringConstraints(max_length=200)] = "Emergency stop"


class RoomHeartbeat(_RoomMessage):
    """The participant lives."""

    type: Literal["heartbeat"]


class RoomStatus(_RoomMessage):
    """A status of a participant's own, for those on the other side."""

    type: Literal["status_update", "consumer_status"]
    status: Annotated[str, StringConstraints(max_length=200)] = ""


class CreateRoom(_RoomMessage):
    """Create a room over HTTP."""

    room_id: RoomId | None = None


RoomMessage: TypeAlias = JointUpdate | RoomStop | RoomHeartbeat | RoomStatus
_KINDS: dict[str, type[RoomMessage]] = {
    "joint_update": JointUpdate,
    "emergency_stop": RoomStop,
    "heartbeat": RoomHeartbeat,
    "status_update": RoomStatus,
    "consumer_status": RoomStatus,
}


def parse_join(text: str | bytes) -> RoomJoin:
    """Return the first message. Raises RemoteMessageError."""
    joined: RoomJoin = validated(RoomJoin, parsed_object(text))
    return joined


def parse(text: str | bytes) -> RoomMessage:
    """Return a message. Raises RemoteMessageError."""
    found = parsed_object(text)
    kind = found.get("type")
    model = _KINDS.get(kind) if isinstance(kind, str) else None
    if model is None:
        text = f"the type of a message is one of {', '.join(_KINDS)}"
        raise RemoteMessageError("unknown_type", text)
    message: RoomMessage = validated(model, found)
    return message


@dataclass(slots=True)
class Room:
    """One room: its participants, and the newest value of each joint."""

    workspace_id: str
    room_id: str
    producer: str | None = None
    consumers: list[str] = field(default_factory=list)
    joints: dict[str, float] = field(default_factory=dict)

    def join(self, who: RoomJoin) -> None:
        """Let a participant in. Raises RemoteMessageError: a room has one producer, and each
        participant is in it once.
        """
        if who.participant_id == self.producer or who.participant_id in self.consumers:
            raise RemoteMessageError("taken", f"{who.participant_id} is in this room already")
        if who.role == "consumer":
            if len(self.consumers) >= MOST_CONSUMERS:
                raise RemoteMessageError("full", f"this room has {MOST_CONSUMERS} consumers")
            self.consumers.append(who.participant_id)
        elif self.producer is not None:
            text = f"Cannot join room: {self.producer} is its producer"
            raise RemoteMessageError("second_producer", text)
        else:
            self.producer = who.participant_id

    def leave(self, participant_id: str) -> None:
        """Let a participant out."""
        if self.producer == participant_id:
            self.producer = None
        elif participant_id in self.consumers:
            self.consumers.remove(participant_id)

    def changed(self, joints: Iterable[tuple[str, float]]) -> dict[str, float]:
        """Store values; return those that were others before."""
        found = {name: value for name, value in joints if self.joints.get(name) != value}
        self.joints.update(found)
        return found

    def participants(self) -> dict[str, Any]:
        """Describe the participants, as RobotHub does."""
        total = len(self.consumers) + (self.producer is not None)
        return {"producer": self.producer, "consumers": list(self.consumers), "total": total}

    def info(self) -> dict[str, Any]:
        """Describe the room, as RobotHub does."""
        return {
            "id": self.room_id,
            "workspace_id": self.workspace_id,
            "participants": self.participants(),
            "joints_count": len(self.joints),
            "has_producer": self.producer is not None,
            "active_consumers": len(self.consumers),
        }


def field_values(role: RoleConfig, joints: Iterable[RoomJoint]) -> dict[str, float]:
    """Return fields of a role from a room's joints, which count of their ranges. Raises
    RemoteMessageError for an unknown or a doubled joint.
    """
    found: dict[str, float] = {}
    for joint in joints:
        name = joint.name if joint.name in role.fields else ALIASES.get(joint.name, "")
        if name not in role.fields:
            known = ", ".join(role.fields)
            text = f"{role.target} has no joint {joint.name}; it has {known}"
            raise RemoteMessageError("unknown_joint", text)
        if name in found:
            raise RemoteMessageError("invalid", f"joint {joint.name} occurs twice")
        found[name] = _inward(role.fields[name], joint.value)
    return found


def room_values(role: RoleConfig, values: Mapping[str, float]) -> dict[str, float]:
    """Return the values of fields as a room counts them."""
    return {
        name: round(_outward(role.fields[name], value), 3)
        for name, value in values.items()
        if name in role.fields
    }


def _inward(spec: FieldSpec, value: float) -> float:
    low, high = spec.limits
    share = value / FULL if spec.unit == "ratio" else (value + FULL) / (2 * FULL)
    return low + min(1.0, max(0.0, share)) * (high - low)


def _outward(spec: FieldSpec, value: float) -> float:
    low, high = spec.limits
    share = (value - low) / (high - low)
    return FULL * share if spec.unit == "ratio" else FULL * (2 * share - 1)
