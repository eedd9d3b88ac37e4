"""The envelopes of a client's WebSocket messages, as pydantic models. Not here: parameters and
replies of actions (lib/api).
"""

from typing import Annotated, Any, Literal, get_args

from pydantic import Field, StringConstraints

from ...lib.api import Request
from ...lib.api.mapping import FiniteNumber

LARGEST_BYTES = 64 * 1024
MOST_TOPICS = 16
MOST_VALUES = 128

Group = Literal[
    "head",
    "arms",
    "tracks",
    "base",
    "parts",
    "legs",
    "link",
    "system",
    "management",
    "router",
    "rc",
    "livelink",
    "drill",
    "sequence",
    "selftest",
    "teleop",
    "users",
    "logs",
    "settings",
    "maintenance",
    "programs",
    "robot",
    "wagon",
]
MessageId = (
    Annotated[str, StringConstraints(max_length=128)] | Annotated[int, Field(ge=-(2**63), lt=2**63)]
)
ClientId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,40}$")]
InputName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_.]{0,63}$")]


class Auth(Request):
    """The first message where a token is needed; it may also name the client."""

    id: MessageId | None = None
    type: Literal["auth"]
    token: str = Field(default="", max_length=256)
    client_id: ClientId | None = None


class Subscribe(Request):
    """Subscribe topics, each with at most `rate_hz` states a second; 0: every change."""

    id: MessageId | None = None
    type: Literal["subscribe"]
    topics: list[str] = Field(min_length=1, max_length=MOST_TOPICS)
    rate_hz: float = Field(default=10.0, ge=0.0, le=1000.0)


class Unsubscribe(Request):
    """Unsubscribe topics."""

    id: MessageId | None = None
    type: Literal["unsubscribe"]
    topics: list[str] = Field(min_length=1, max_length=MOST_TOPICS)


class Input(Request):
    """One reading of a stick, a pad, a panel: the newest counts, for 300 ms. With a target the
    names are its fields; without one they are free, for routes to map.
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
    """{type: management, action, params} and so on: the type is the group of the action."""

    id: MessageId | None = None
    type: Group
    action: str = Field(max_length=64)
    params: dict[str, Any] = Field(default_factory=dict)


Envelope = Auth | Subscribe | Unsubscribe | Input | Command | Grouped

# The message's `type` decides which model it must match.
ENVELOPES: dict[str, type[Envelope]] = {
    "auth": Auth,
    "subscribe": Subscribe,
    "unsubscribe": Unsubscribe,
    "input": Input,
    "command": Command,
    **dict.fromkeys(get_args(Group), Grouped),
}
