"""What webd's own actions answer, as models for the documents of the API and for clients. Not here:
other daemons' answers (lib/api), the states of the topics (lib/api/states.py).
"""

from typing import Literal

from pydantic import RootModel

from ...lib.api import Reply
from ...lib.api.hardware import RoleHardware
from ...lib.api.rc import RcChannelConfig, RcChannelList
from ...lib.api.routing import ControlInfo, EStopInfo
from ...lib.api.states import ClientState, LogEntry, SystemState


class CameraReply(Reply):
    """Whether the camera was asked for; the topic "head" tells when pictures come."""

    camera_requested: bool | None = None
    camera_active: bool | None = None


class SystemReply(SystemState):
    """What the topic "system" tells, and the robot's name."""

    robot: str


class FieldDescription(Reply):
    """One field that may be commanded."""

    unit: str
    kind: Literal["position", "velocity"]
    limits: list[float]  # lowest, highest
    neutral: float
    on_loss: Literal["hold", "neutral", "park", "ramp_to_zero"]
    max_rate: float  # units a second


class Description(Reply):
    """What this robot is made of."""

    robot: str
    targets: dict[str, dict[str, FieldDescription]]  # "arms.left" -> "joint_0" -> field
    hardware: dict[str, RoleHardware]  # "arms.left" -> pins and devices that the role needs
    model: str  # where its URDF is; empty: it has none
    joints: dict[str, dict[str, str]]  # "head" -> "pan" -> the joint that shows it
    topics: list[str]  # that can be subscribed


class ClientList(Reply):
    """Everybody who is connected by a WebSocket now."""

    clients: list[ClientState]


class LatchReply(Reply):
    """The e-stop after the request."""

    estop: EStopInfo


class ActivityReply(Reply):
    """Newest first."""

    entries: list[LogEntry]


class ControlReply(Reply):
    """Who has which target alone."""

    control: list[ControlInfo]


class ProtocolReply(Reply):
    """What the RC receiver listens for."""

    protocol: str


class ChannelReply(RootModel[RcChannelList | RcChannelConfig]):
    """The channel that was asked for, or all of them."""
