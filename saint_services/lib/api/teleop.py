"""Remote operation over WebRTC: sessions, who has control, signalling. The socket of teleopd."""

from typing import Annotated, Literal

from pydantic import Field

from ..access.levels import Level
from . import Done, Reply, Request
from .endpoint import Nothing, Rows

LEASE_S = 15.0  # a session ends when webd has not renewed it for so long
SessionName = Annotated[str, Field(pattern=r"^[0-9a-f]{8}$")]
Seat = Literal["operator", "viewer"]


class Connect(Request):
    """The offer of a new session: its data channels, and video to receive."""

    sdp: str = Field(min_length=1, max_length=48_000)
    wants_control: bool = Field(
        default=False, description="Become the operator, if there is none when the link is up."
    )
    camera: str = Field(default="", max_length=64, description="Empty: the first one.")
    replaces: str = Field(
        default="", pattern=r"^([0-9a-f]{8})?$",
        description="Your session whose link is lost, for example by another address: it ends.",
    )  # fmt: skip


class Connected(Reply):
    """The answer to the offer, with all ICE candidates."""

    session: str
    sdp: str
    lease_s: float = LEASE_S  # renew it at least so often
    cameras: list[str] = []


class IceServer(Reply):
    """A STUN or TURN server, as a browser's RTCPeerConnection takes it."""

    urls: list[str]
    username: str = ""
    credential: str = Field(default="", repr=False)


class IceServers(Reply):
    """The servers for a new session; their passwords may end after half a day."""

    servers: list[IceServer] = []
    wait_s: float  # for their answers, before the offer or the answer is sent without them
    problem: str = ""  # why one is missing


class TurnPassword(Request):
    """The password of the TURN server of teleopd.yaml."""

    password: str = Field(
        min_length=1, max_length=256, pattern=r"^[!-~]+$", repr=False,
        description="Password of the user, or the server's shared secret without one; stored.",
    )  # fmt: skip


class SessionRef(Request):
    """A session by its name."""

    session: SessionName = Field(description="See `sessions`.")


class RequestControl(SessionRef):
    """Request control for a session; `force` takes it from the operator and needs an admin."""

    force: bool = Field(default=False, description="Take control without a grant (admin).")


class RemoteSessionInfo(Reply):
    """One session."""

    session: str
    who: str
    level: str
    address: str
    seat: Seat
    is_linked: bool  # its data channels are open
    is_requesting: bool  # control
    beat_age_ms: int | None = None  # of its input loop; None: none so far
    refused: int = 0  # commands that were refused
    connected_s: float = 0.0
    round_trip_ms: float | None = None
    picture_ms: float | None = None  # age of the picture on its screen, as it reports
    delay_ms: float | None = None  # from the camera to its hand and back
    sent_bytes: int = 0
    received_bytes: int = 0


class TimeCounts(Reply):
    """How often some time was up to each limit; the last count is of those above all."""

    limits: list[float] = []  # s
    counts: list[int] = []
    sum: float = 0.0


class JoinRoom(Request):
    """Join the LiveKit room of teleopd.yaml."""

    token: str = Field(
        default="", max_length=4096, pattern=r"^[A-Za-z0-9._~-]*$", repr=False,
        description="Access token of the room, which is stored; empty: the stored one.",
    )  # fmt: skip


class LiveKitRoom(Reply):
    """The room of teleopd.yaml."""

    state: Literal["off", "left", "joining", "joined"] = "off"  # off: none is configured
    url: str = ""
    operator: str = ""  # identity of the one participant that operates; empty: nobody
    is_operator_here: bool = False
    participants: int = 0
    problem: str = ""  # why it does not work; empty: it does


class RemoteSessionList(Reply):
    """All sessions, and what the video has cost."""

    sessions: list[RemoteSessionInfo] = []
    operator: str = ""  # session; empty: none
    cameras: list[str] = []
    viewers_at_most: int = 0
    encoded: int = 0  # pictures since the start, once for all viewers
    dropped: int = 0  # pictures that came while another was encoded
    sent: int = 0  # pictures, over all viewers
    sent_bytes: int = 0  # since the start, of all sessions
    received_bytes: int = 0
    command_age: TimeCounts = TimeCounts()
    picture_age: TimeCounts = TimeCounts()
    loop_time: TimeCounts = TimeCounts()
    loop_jitter: TimeCounts = TimeCounts()
    room: LiveKitRoom = LiveKitRoom()


class OperatorReply(Reply):
    """Who has control now."""

    operator: str  # session; empty: none
    who: str = ""
    is_granted: bool = False
    message: str = ""


class LinkTest(Reply):
    """A connection of the robot's server with itself: data channel and encoder."""

    connected_ms: float
    round_trip_ms: float  # median
    encode_ms: float  # of one picture of 640 x 480
    addresses: list[str]  # ICE candidates that a peer is offered
    relay: str = ""  # the one of them at the TURN server
    problem: str = ""  # of the TURN server


def _connected(params: Connect, reply: Connected) -> str:
    what = "to operate" if params.wants_control else "to watch"
    return f"Remote session {reply.session} was opened {what}"


def _requested(params: RequestControl, reply: OperatorReply) -> str:
    if reply.is_granted:
        by = " by force" if params.force else ""
        return f"Session {params.session} has got control{by}"
    return f"Session {params.session} requested control"


ROWS = Rows("teleop", "teleopd")
_row = ROWS.row
_OPERATOR, _ADMIN = Level.OPERATOR, Level.ADMIN

# fmt: off
LIST_SESSIONS = _row(
    "list_sessions", "GET", "/sessions", Nothing, RemoteSessionList,
    "List the sessions of remote operation, and which one has control.",
)
ICE_SERVERS = _row(
    "ice_servers", "GET", "/ice", Nothing, IceServers,
    "List the STUN and TURN servers for a new session, with its password.",
)
SET_TURN_PASSWORD = _row(
    "set_turn_password", "PUT", "/turn", TurnPassword, Done,
    "Store the password of the TURN server of teleopd.yaml.",
    level=_ADMIN, log="The password of the TURN server was stored", severity="WARNING",
)
CONNECT = _row(
    "connect", "POST", "/sessions", Connect, Connected,
    "Open a session over WebRTC: an offer in, an answer out.",
    log=_connected, limit_s=15.0,
)
RENEW = _row(
    "renew", "POST", "/sessions/{session}/renew", SessionRef, Done,
    "Renew the lease of your session; it ends without, as after the end of a sign-in.",
)
REQUEST_CONTROL = _row(
    "request_control", "POST", "/sessions/{session}/control", RequestControl, OperatorReply,
    "Request control for your session: at once if there is no operator, else by the operator's "
    "grant.",
    level=_OPERATOR, log=_requested,
)
GRANT_CONTROL = _row(
    "grant_control", "POST", "/sessions/{session}/grant", SessionRef, OperatorReply,
    "Grant control to a session that requests it: the operator's own act, or an admin's.",
    level=_OPERATOR, log="Control was granted to session {session}",
)
RELEASE_CONTROL = _row(
    "release_control", "POST", "/sessions/{session}/release", SessionRef, OperatorReply,
    "Release control of your session.",
    level=_OPERATOR, log="Session {session} released control",
)
KICK = _row(
    "kick", "DELETE", "/sessions/{session}", SessionRef, Done,
    "End a session at once; what it drives stops.",
    level=_ADMIN, log="Remote session {session} was ended by an admin", severity="WARNING",
)
JOIN_ROOM = _row(
    "join_room", "POST", "/room", JoinRoom, LiveKitRoom,
    "Join the LiveKit room of teleopd.yaml and stay until it is left or the server restarts.",
    level=_ADMIN, log="The robot was sent to its LiveKit room", severity="WARNING",
    limit_s=30.0,
)
LEAVE_ROOM = _row(
    "leave_room", "DELETE", "/room", Nothing, LiveKitRoom,
    "Leave the LiveKit room; what its operator drives stops.",
    level=_OPERATOR, log="The robot left its LiveKit room",
)
TEST = _row(
    "test", "GET", "/test", Nothing, LinkTest,
    "Connect the server with itself, and measure data channel and encoder.",
    level=_OPERATOR, limit_s=20.0,
)
