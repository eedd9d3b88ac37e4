"""Every message that a client may send, as pydantic models: the envelopes and the params of each
action. Numbers are finite and fit a float32. Not here: what an action does (actions/).
"""

from typing import Annotated, Any, Literal, get_args

from pydantic import AliasChoices, Field, StringConstraints

from ...lib.api import Request
from ...lib.api.adoption import NodeId
from ...lib.api.endpoint import Nothing as Nothing
from ...lib.api.routing import FiniteNumber

LARGEST_BYTES = 64 * 1024
MOST_TOPICS = 16
MOST_VALUES = 128

Group = Literal[
    "head",
    "arms",
    "tracks",
    "system",
    "management",
    "router",
    "rc",
    "livelink",
    "drill",
    "users",
    "logs",
    "settings",
    "maintenance",
]
MessageId = (
    Annotated[str, StringConstraints(max_length=128)] | Annotated[int, Field(ge=-(2**63), lt=2**63)]
)
Name = Annotated[str, StringConstraints(min_length=1, max_length=64)]
ClientId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,40}$")]
InputName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_.]{0,63}$")]
Ratio = Annotated[float, Field(ge=0.0, le=1.0, strict=True)]
Switch = Annotated[bool, Field(strict=True)]


class Auth(Request):
    """The first message where a token is needed; also names the client."""

    id: MessageId | None = None
    type: Literal["auth"]
    token: str = Field(default="", max_length=256)
    client_id: ClientId | None = None


class Subscribe(Request):
    """Send the state of these topics, each at most so often; 0: every change."""

    id: MessageId | None = None
    type: Literal["subscribe"]
    topics: list[str] = Field(min_length=1, max_length=MOST_TOPICS)
    rate_hz: float = Field(default=10.0, ge=0.0, le=1000.0)


class Unsubscribe(Request):
    """No more of these."""

    id: MessageId | None = None
    type: Literal["unsubscribe"]
    topics: list[str] = Field(min_length=1, max_length=MOST_TOPICS)


class Input(Request):
    """One reading of a stick, a pad, a panel: newest wins, and it is lost 300 ms after the last.
    With a target the names are its fields; without one they are free, for routes to map.
    """

    id: MessageId | None = None
    type: Literal["input"]
    target: str = Field(default="", max_length=64)
    values: dict[InputName, FiniteNumber] = Field(min_length=1, max_length=MOST_VALUES)
    # Of any clock of the client's.
    time_ms: float | None = Field(default=None, ge=-1e15, le=1e15, strict=True)


class Command(Request):
    """{type: command, target, action, params}"""

    id: MessageId | None = None
    type: Literal["command"]
    target: Group
    action: str = Field(max_length=64)
    params: dict[str, Any] = Field(default_factory=dict)


class Grouped(Request):
    """{type: management, action, params} and so on: the target is the type."""

    id: MessageId | None = None
    type: Group
    action: str = Field(max_length=64)
    params: dict[str, Any] = Field(default_factory=dict)


Envelope = Auth | Subscribe | Unsubscribe | Input | Command | Grouped

# The message's `type` decides which model it must be.
ENVELOPES: dict[str, type[Envelope]] = {
    "auth": Auth,
    "subscribe": Subscribe,
    "unsubscribe": Unsubscribe,
    "input": Input,
    "command": Command,
    **dict.fromkeys(get_args(Group), Grouped),
}


class HeadMove(Request):
    """Any of them; the others stay where they are."""

    pan: FiniteNumber | None = None  # degrees
    tilt: FiniteNumber | None = None  # degrees
    roll: FiniteNumber | None = None  # degrees
    jaw: Ratio | None = None
    eye_pan: FiniteNumber | None = None  # degrees
    eye_tilt: FiniteNumber | None = None  # degrees
    speed: Ratio | None = None  # of the joints' top speed


class ArmMove(Request):
    """Joint angles, joint_0 first; a null leaves that joint where it is."""

    arm: Literal["left", "right"]
    positions: list[FiniteNumber | None] = Field(min_length=1, max_length=16)  # degrees
    speed: Ratio | None = None


class ArmHome(Request):
    """All joints to neutral."""

    arm: Literal["left", "right", "both"] = "both"


class Gripper(Request):
    """0 is closed, 1 is open."""

    arm: Literal["left", "right"]
    position: Ratio
    force: FiniteNumber | None = None  # newtons


class Drive(Request):
    """One set-point; it holds for as long as a browser's does (300 ms)."""

    linear: FiniteNumber = 0.0  # m/s
    angular: FiniteNumber = 0.0  # rad/s


class Enable(Request):
    """On or off."""

    enable: Switch = Field(
        default=True, validation_alias=AliasChoices("enable", "enabled", "active")
    )


class EStop(Request):
    """true raises the latch, false clears it: then `generation` is that of the stop that was seen
    (topic "system"), so that nobody clears over a press that came since.
    """

    enable: Switch = True
    reason: str = Field(default="", max_length=200)
    generation: int | None = Field(default=None, strict=True, ge=0)


class ClientParams(Request):
    """One of the clients that are connected."""

    client_id: ClientId


class TriggerUpdate(Request):
    """The newest release, for one node or for all machines."""

    node_id: NodeId | None = None


class ActivityLog(Request):
    """A part of the log, newest first."""

    limit: int = Field(default=100, ge=1, le=500)
    offset: int = Field(default=0, ge=0, le=10_000)
    level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"  # this one and worse
    source: str | None = Field(default=None, max_length=64)
    about: str | None = Field(default=None, max_length=64)  # a node: what it did and what was done
