"""Messages between a master and a slave over a WebSocket, as LeRobot Arena 2.0 sends them, with our
optional additions `id`, `sequence`, `heartbeat`, `estop` and `error`. Fields of other senders that
are not known here are ignored. Not here: what a message does (webd/remote).
"""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypeAlias

import pydantic_core
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from ..config import validation

MOST_JOINTS = 64
LARGEST_VALUE = 1e6
MOST_STEPS = 10_000  # of a sequence

JointName = Annotated[str, StringConstraints(pattern=r"^[\w .:/-]{1,64}$")]
RobotId = Annotated[str, StringConstraints(pattern=r"^[\w.:-]{1,100}$")]
MessageKey = (
    Annotated[str, StringConstraints(max_length=128)] | Annotated[int, Field(ge=0, lt=2**53)]
)
Number = Annotated[float, Field(ge=-LARGEST_VALUE, le=LARGEST_VALUE, strict=True)]
Timestamp = Annotated[str, StringConstraints(max_length=40)] | Annotated[float, Field(strict=True)]
Sequence = Annotated[int, Field(ge=0, lt=2**53, strict=True)]


class RemoteMessageError(ValueError):
    """A refused message; `reason` names its counter, the text says what is wrong."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class _Sent(BaseModel):
    """Accepts and ignores fields that this side does not know."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False, defer_build=True)


class JointCommand(_Sent):
    """Degrees of a revolute joint, speed of a continuous one, 0 to 100 of a gripper."""

    name: JointName
    value: Number
    speed: Annotated[float, Field(ge=0, le=LARGEST_VALUE, strict=True)] | None = None  # percent


class JointReading(_Sent):
    """A joint as its robot reports it: commanded, and measured."""

    name: JointName
    servo_id: Annotated[int, Field(ge=0, le=2**31, strict=True)] | None = None
    type: Annotated[str, StringConstraints(max_length=32)] | None = None
    virtual_value: Number | None = None
    real_value: Number | None = None


class CommandedJoints(_Sent):
    """The joints of one command."""

    joints: Annotated[tuple[JointCommand, ...], Field(min_length=1, max_length=MOST_JOINTS)]


class ReportedJoints(_Sent):
    """The joints of one report."""

    joints: Annotated[tuple[JointReading, ...], Field(max_length=MOST_JOINTS)]


class SequenceStep(CommandedJoints):
    """One command of a sequence, and how long it takes, in milliseconds."""

    duration: Annotated[float, Field(ge=0, le=600_000, strict=True)] | None = None


class SequenceData(_Sent):
    """The commands of a sequence. Arena's document names no form; this is that of its pages."""

    name: Annotated[str, StringConstraints(max_length=100)] = ""
    commands: Annotated[tuple[SequenceStep, ...], Field(min_length=1, max_length=MOST_STEPS)]
    loop: bool = False


class RemoteCommand(_Sent):
    """Positions or speeds of joints. `id` returns in the acknowledgement; `sequence` rises."""

    type: Literal["command"] = "command"
    timestamp: Timestamp | None = None
    robot_id: RobotId | None = None
    id: MessageKey | None = None
    sequence: Sequence | None = None
    data: CommandedJoints


class RemoteSequence(_Sent):
    """A whole movement."""

    type: Literal["sequence"] = "sequence"
    timestamp: Timestamp | None = None
    id: MessageKey | None = None
    data: SequenceData


class SlaveStatus(_Sent):
    """What the robot that obeys reports by itself."""

    type: Literal["slave_status"] = "slave_status"
    timestamp: Timestamp | None = None
    robot_id: RobotId | None = None
    data: ReportedJoints


class StatusRequest(_Sent):
    """Requests the joints of the robot that obeys."""

    type: Literal["status_request"] = "status_request"
    timestamp: Timestamp | None = None
    robot_id: RobotId | None = None
    id: MessageKey | None = None


class JointStates(_Sent):
    """The reply to a request of the joints."""

    type: Literal["joint_states"] = "joint_states"
    timestamp: Timestamp | None = None
    id: MessageKey | None = None
    data: ReportedJoints


class CommandAck(_Sent):
    """A command was accepted. Without an `id` the oldest one is meant."""

    type: Literal["command_ack"] = "command_ack"
    timestamp: Timestamp | None = None
    id: MessageKey | None = None


class RemoteHeartbeat(_Sent):
    """The sender lives. Who has sent one is held to them."""

    type: Literal["heartbeat"] = "heartbeat"
    timestamp: Timestamp | None = None
    sequence: Sequence | None = None


class RemoteStop(_Sent):
    """A stop of the sender's robot. It never clears one: `id` only distinguishes stops."""

    type: Literal["estop"] = "estop"
    timestamp: Timestamp | None = None
    id: MessageKey | None = None
    reason: Annotated[str, StringConstraints(max_length=200)] = ""


class RemoteError(_Sent):
    """Why a message was refused, or what has failed."""

    type: Literal["error"] = "error"
    timestamp: Timestamp | None = None
    id: MessageKey | None = None
    code: Annotated[str, StringConstraints(max_length=64)] = ""
    message: Annotated[str, StringConstraints(max_length=500)] = ""


class RemoteAuth(_Sent):
    """The token of a peer that cannot send it with its handshake."""

    type: Literal["auth"] = "auth"
    token: Annotated[str, StringConstraints(max_length=256)]


RemoteMessage: TypeAlias = (
    RemoteCommand | RemoteSequence | SlaveStatus | StatusRequest | JointStates | CommandAck
    | RemoteHeartbeat | RemoteStop | RemoteError | RemoteAuth
)  # fmt: skip
_KINDS: dict[str, type[RemoteMessage]] = {
    "command": RemoteCommand,
    "sequence": RemoteSequence,
    "slave_status": SlaveStatus,
    "status_request": StatusRequest,
    "joint_states": JointStates,
    "command_ack": CommandAck,
    "heartbeat": RemoteHeartbeat,
    "estop": RemoteStop,
    "error": RemoteError,
    "auth": RemoteAuth,
}


def parse(text: str | bytes) -> RemoteMessage:
    """Return the message of a text. Raises RemoteMessageError."""
    return checked(parsed_object(text))


def parsed_object(text: str | bytes) -> dict[str, Any]:
    """Return the JSON object of a text. Raises RemoteMessageError."""
    try:
        found = pydantic_core.from_json(text, allow_inf_nan=False)
    except (ValueError, RecursionError):
        raise RemoteMessageError("malformed", "the message is not JSON") from None
    if not isinstance(found, dict):
        raise RemoteMessageError("malformed", "a message must be one JSON object")
    return found


def checked(found: dict[str, Any]) -> RemoteMessage:
    """Return the message of a JSON object. Raises RemoteMessageError."""
    kind = found.get("type")
    model = _KINDS.get(kind) if isinstance(kind, str) else None
    if model is None:
        known = ", ".join(_KINDS)
        raise RemoteMessageError("unknown_type", f"the type of a message is one of {known}")
    message: RemoteMessage = validated(model, found)
    return message


def validated(model: type[Any], found: dict[str, Any]) -> Any:
    """Return the object as the model. Raises RemoteMessageError."""
    try:
        return model.model_validate(found)
    except ValidationError as err:
        problem = validation.faults(err, model, found, "field")[0]
        raise RemoteMessageError("invalid", str(problem)[:400]) from None


def encoded(message: BaseModel) -> str:
    """Return the text of a message; fields without a value are left out."""
    return message.model_dump_json(exclude_none=True)


def iso_time(wall_s: float) -> str:
    """Return a wall time as JavaScript writes it: 2024-01-15T10:30:00.250Z."""
    text = datetime.fromtimestamp(wall_s, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def time_of(timestamp: str | float | None) -> float | None:
    """Return a sender's time in seconds: of ISO 8601, or of a number in milliseconds. None: there
    is none, or it cannot be read.
    """
    if timestamp is None:
        return None
    if isinstance(timestamp, str):
        try:
            found = datetime.fromisoformat(timestamp)
            return found.replace(tzinfo=found.tzinfo or UTC).timestamp()
        except (ValueError, OverflowError):
            return None
    return timestamp / 1000.0 if abs(timestamp) < 1e15 else None


def is_fine(timestamp: str | float | None) -> bool:
    """Return whether a time is exact enough to judge the age of a command: Arena's examples count
    whole seconds.
    """
    if isinstance(timestamp, str):
        return "." in timestamp
    return timestamp is not None
