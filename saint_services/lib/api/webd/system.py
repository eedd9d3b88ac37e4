"""The robot as a whole: status, description, e-stop, history, clients, encryption, power."""

from typing import Literal

from pydantic import Field

from ...access.levels import Level
from .. import Done, Reply, Request
from ..endpoint import Nothing
from ..hardware import RoleHardware
from ..machine import Reboot, Shutdown, TlsInfo
from ..routing import EStopInfo
from ..states import ClientState, SystemState
from . import WebRows
from .motion import TRACKS, Switch

Span = Literal["minutes", "hours"]


class EStop(Request):
    """true raises the latch, false clears it: then `generation` is that of the stop that the client
    has seen (topic "system"), so that a newer press is never cleared.
    """

    enable: Switch = True
    reason: str = Field(default="", max_length=200)
    generation: int | None = Field(default=None, strict=True, ge=0)


class LatchReply(Reply):
    """The e-stop after the request."""

    estop: EStopInfo


class SystemReply(SystemState):
    """The state of the topic "system", and the robot's name."""

    robot: str


class FieldDescription(Reply):
    """One field that may be commanded."""

    unit: str
    kind: Literal["position", "velocity", "switch", "light"]
    limits: list[float]  # lowest, highest
    neutral: float
    on_loss: Literal["hold", "neutral", "park", "ramp_to_zero"]
    max_rate: float  # units a second


class Description(Reply):
    """What this robot is made of."""

    robot: str
    targets: dict[str, dict[str, FieldDescription]]  # "arms.left" -> "joint_0" -> field
    base: str  # the target that drives it, with the fields linear and angular; empty: it has none
    hardware: dict[str, RoleHardware]  # "arms.left" -> pins and devices that the role needs
    model: str  # path of its URDF; empty: it has none
    joints: dict[str, dict[str, str]]  # "head" -> "pan" -> joint of the URDF
    hands: list[str]  # arms whose hand can be moved to a place: "arms.left"
    arms: dict[str, list[str]]  # targets of servos on a serial bus -> their joints
    leaders: dict[str, list[str]]  # leader arms: "hand" -> the targets that it leads
    topics: list[str]  # that can be subscribed


class GetHistory(Request):
    """How far back, and which points the client has already."""

    span: Span = "minutes"
    after: int = Field(default=0, ge=0)  # `last` of the reply before; 0: all points


class TrendSeries(Reply):
    """Points, oldest first; null where no value was received."""

    cpu_usage: list[float | None]  # percent
    memory_usage: list[float | None]  # percent
    cpu_temp: list[float | None]  # degrees Celsius
    nodes_active: list[float | None]
    rc_hz: list[float | None]  # frames a second
    livelink_hz: list[float | None]  # samples a second; null while no client subscribes the inputs
    command_age_ms: list[float | None]  # of the oldest sample that moves something
    delay_ms: list[float | None]  # how late webd's own loop was


class HistoryReply(Reply):
    """The points of one span."""

    period_s: float
    last: int  # number of the newest point
    time: float  # of the newest point, seconds since 1970
    series: TrendSeries


class ClientList(Reply):
    """All clients that are connected by a WebSocket."""

    clients: list[ClientState]


class ClientParams(Request):
    """One connected client."""

    client_id: str = Field(pattern=r"^[A-Za-z0-9_.-]{1,40}$")


SYSTEM = WebRows("system")


def _estop_level(params: EStop) -> Level:
    """Let every role stop the robot; releasing it needs an operator."""
    return Level.VIEWER if params.enable else Level.OPERATOR


def _restarted(params: Reboot, _: object) -> str:
    return f"{params.node or 'The server'} restarts"


def _shut_down(params: Shutdown, _: object) -> str:
    names = {None: "The robot", "server": "The server"}
    return f"{names.get(params.node, params.node)} shuts down"


_ADMIN = {"level": Level.ADMIN}
_WARNING = {**_ADMIN, "severity": "WARNING"}
_ESTOP = {"level": Level.VIEWER, "level_of": _estop_level, "logged_by": "routerd"}
_ESTOP_TEXT = (
    "Raise the e-stop latch, or clear it: a clear names the generation that the client has seen "
    "and is refused after a newer press."
)

# fmt: off
STATUS = SYSTEM.read("status", Nothing, SystemReply, "Get the state of the topic \"system\".")
DESCRIBE = SYSTEM.read(
    "describe", Nothing, Description,
    "Describe the robot's targets with their fields (units, limits, behaviour on loss) and with "
    "the pins and devices that their roles need.",
)
ESTOP = SYSTEM.change("estop", EStop, LatchReply, _ESTOP_TEXT, **_ESTOP)
TRACKS_ESTOP = TRACKS.change("estop", EStop, LatchReply, _ESTOP_TEXT, **_ESTOP)
GET_HISTORY = SYSTEM.read(
    "get_history", GetHistory, HistoryReply,
    "Get the history of load, temperature, inputs and delays: ten minutes or six hours.",
)
LIST_CLIENTS = SYSTEM.read("list_clients", Nothing, ClientList, "List connected clients.")
DISCONNECT_CLIENT = SYSTEM.change(
    "disconnect_client", ClientParams, Done,
    "Close a client's connection, which ends its commands. The client may connect again while its "
    "token or sign-in is valid.",
    log="Client {client_id} was disconnected", **_WARNING,
)
GET_TLS = SYSTEM.read(
    "get_tls", Nothing, TlsInfo,
    "Get whether HTTPS is on, and the fingerprint to compare before trusting the authority.",
)
ENABLE_TLS = SYSTEM.change(
    "enable_tls", Nothing, TlsInfo,
    "Create an authority and a certificate where there are none, and answer on port 443.",
    log="Encryption was switched on", **_WARNING,
)
DISABLE_TLS = SYSTEM.change(
    "disable_tls", Nothing, TlsInfo, "Close port 443 and delete the authority.",
    log="Encryption was switched off", **_WARNING,
)
REBOOT = SYSTEM.change(
    "reboot", Reboot, Done, "Restart the server's machine, or a node's.", log=_restarted, **_WARNING
)
SHUTDOWN = SYSTEM.change(
    "shutdown", Shutdown, Done,
    "Switch off the whole robot, nodes first; or one node, or the server's machine alone.",
    log=_shut_down, **_WARNING,
)
