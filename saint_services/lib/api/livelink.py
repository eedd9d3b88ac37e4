"""livelinkd's socket: the subjects that it hears, what they are tuned to, recordings."""

from typing import Annotated, Literal

from pydantic import Field

from ..access.levels import Level
from . import Done, Reply, Request
from .endpoint import Nothing, Rows

FormatName = Literal["llf", "json", "vmc", "ifacialmocap", "lines", "capture"]
Acceptance = Literal["known", "all"]  # senders that were accepted; every sender
SenderIp = Annotated[str, Field(pattern=r"^[0-9A-Fa-f:.]{2,45}$")]
SubjectName = Annotated[str, Field(min_length=1, max_length=100)]
ValueName = Annotated[str, Field(min_length=1, max_length=128)]
Rate = Annotated[int, Field(ge=1, le=100_000)]
RecordingName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$")]


class SubjectInfo(Reply):
    """One LiveLink subject."""

    subject_name: str
    subject_type: str
    device: str
    source_ip: str
    source_address: str  # "192.168.1.50:50000"
    frame_rate: float
    last_frame: float  # seconds since 1970, receive time
    age_ms: int
    frames: int
    lost: int
    tracked: bool  # false: alive, but no face
    properties: list[str]
    format: str = ""
    is_open: bool = False  # released: the next other sender gets it
    is_tuned: bool = False  # has a zero or a scale of its own


class SubjectList(Reply):
    """All subjects, and what was refused."""

    sources: list[SubjectInfo]
    refused: dict[str, int]  # datagrams, by reason
    refused_by_sender: dict[str, dict[str, int]] = {}  # by IP, then by reason


class SubjectDetail(Reply):
    """One subject with its newest values."""

    subject: SubjectInfo
    values: dict[str, float]  # as sent
    output: dict[str, float] = {}  # for the router: after zero and scale, in range
    zero: dict[str, float] = {}
    scale: dict[str, float] = {}


class FormatInfo(Reply):
    """One format and where it is heard."""

    format: str  # as in FormatName
    enabled: bool
    addresses: list[str]  # "udp 0.0.0.0:11111"


class FormatList(Reply):
    """All formats that have a listener."""

    formats: list[FormatInfo]
    datagrams_per_second: int = 0  # of one sender, where a format has no limit of its own


class SetFormats(Request):
    """Switch formats on or off; what is not given stays as it is."""

    formats: dict[FormatName, bool] = Field(default={}, max_length=6)
    datagrams_per_second: Rate | None = None  # of one sender: more are not looked at


class SenderRef(Request):
    """A sender is its format, address and subject."""

    format: FormatName
    ip: SenderIp
    subject_name: SubjectName


class SetCheck(Request):
    """ "all" turns the check off, for a closed network."""

    accept: Acceptance


class SenderInfo(Reply):
    """One sender. A waiting one moves nothing; its first values show which phone it is."""

    format: str
    ip: str
    subject_name: str
    accepted_by: str = ""  # "person", "settings", "code"; empty: it waits
    accepted_s: float = 0.0  # seconds since 1970
    device: str = ""
    subject_type: str = ""
    frames: int = 0
    frame_rate: float = 0.0
    age_ms: int = 0
    tracked: bool = False
    values: dict[str, float] = {}


class SenderList(Reply):
    """All senders that wait or are accepted."""

    accept: Acceptance  # "all": the check is off, and every sender may move the robot
    waiting: list[SenderInfo]
    accepted: list[SenderInfo]


class SenderCode(Reply):
    """A subject whose name ends with it is accepted by itself."""

    code: str


class SubjectRef(Request):
    """One subject by its name."""

    subject_name: SubjectName


class SetZero(SubjectRef):
    """The subject looks straight ahead now; or forget that it did."""

    clear: bool = False


class SetScale(SubjectRef):
    """How much each named value counts; negative turns it round, 1 removes it."""

    scale: dict[ValueName, Annotated[float, Field(ge=-100, le=100)]] = Field(max_length=1024)


class StartRecording(Request):
    """What is recorded, and for how long."""

    name: RecordingName
    formats: list[FormatName] = Field(default=[], max_length=6)  # empty: all
    seconds: float = Field(default=600.0, gt=0, le=86_400)


class RecordingRef(Request):
    """One recording by its name."""

    name: RecordingName


class PlayRecording(Request):
    """Which recording is played, and how."""

    name: RecordingName
    speed: float = Field(default=1.0, ge=0.01, le=1000)
    again: bool = False  # from the start when it is over


class RecordingInfo(Reply):
    """One recording on disk."""

    name: str
    size_bytes: int
    made: float  # seconds since 1970


class RecordingState(Reply):
    """What is being recorded, or was last."""

    name: str = ""
    recording: bool = False
    datagrams: int = 0
    size_bytes: int = 0
    dropped: int = 0
    seconds: float = 0.0
    problem: str = ""  # why it ended by itself


class RecordingList(Reply):
    """GET /recordings"""

    recordings: list[RecordingInfo]
    current: RecordingState | None = None
    playing: str = ""
    played: int = 0


class RecordingDetail(Reply):
    """How long a recording is, and who sent what is in it."""

    name: str
    datagrams: int
    seconds: float
    formats: dict[str, int]
    senders: dict[str, int]


def _heard(_: SetFormats, reply: FormatList) -> str:
    on = ", ".join(each.format for each in reply.formats if each.enabled)
    return f"LiveLink hears {on or 'nothing'}"


def _checked(params: SetCheck, _: SenderList) -> str:
    who = "Every LiveLink sender" if params.accept == "all" else "Only known LiveLink senders"
    return f"{who} may drive from now on"


def _zeroed(params: SetZero, _: SubjectDetail) -> str:
    what = "has no zero any more" if params.clear else "got a new zero"
    return f"Subject {params.subject_name} {what}"


ROWS = Rows("livelink", "livelinkd")
_row = ROWS.row
_OPERATOR, _ADMIN = Level.OPERATOR, Level.ADMIN

# fmt: off
LIST_SOURCES = _row(
    "list_sources", "GET", "/subjects", Nothing, SubjectList, "All subjects."
)
GET_SUBJECT = _row(
    "get_subject", "GET", "/subjects/{subject_name}", SubjectRef, SubjectDetail,
    "One subject with its newest values.",
)
LIST_FORMATS = _row(
    "list_formats", "GET", "/formats", Nothing, FormatList,
    "Which formats are on, and where each is heard.",
)
SET_FORMATS = _row(
    "set_formats", "POST", "/formats", SetFormats, FormatList,
    "Switches formats on or off, and sets how much one sender may send.",
    level=_ADMIN, log=_heard,
)
LIST_SENDERS = _row(
    "list_senders", "GET", "/senders", Nothing, SenderList,
    "Which senders wait for somebody to accept them, and which are accepted.",
)
ACCEPT_SENDER = _row(
    "accept_sender", "POST", "/senders/accept", SenderRef, SenderList,
    "Lets a sender drive through the routes from now on.",
    level=_OPERATOR, log="Sender {subject_name} of {ip} ({format}) was accepted",
    severity="WARNING",
)
REVOKE_SENDER = _row(
    "revoke_sender", "POST", "/senders/revoke", SenderRef, SenderList,
    "Ends what a sender drives; it must be accepted again.",
    level=_OPERATOR, log="Sender {subject_name} of {ip} ({format}) was revoked",
    severity="WARNING",
)
GET_SENDER_CODE = _row(
    "get_sender_code", "GET", "/senders/code", Nothing, SenderCode,
    "The code with which a sender is accepted by itself, at the end of its subject's name.",
    level=_OPERATOR,
)
RENEW_SENDER_CODE = _row(
    "renew_sender_code", "POST", "/senders/code", Nothing, SenderCode,
    "Makes a new code; senders with the old one are no longer accepted.",
    level=_ADMIN, log="The code for LiveLink senders was renewed", severity="WARNING",
)
SET_SENDER_CHECK = _row(
    "set_sender_check", "POST", "/senders/check", SetCheck, SenderList,
    'Whether senders must be accepted; "all" is for a closed network.',
    level=_ADMIN, log=_checked, severity="WARNING",
)
RELEASE = _row(
    "release", "POST", "/release", SubjectRef, Done,
    "Gives a subject to the next other sender.",
    level=_OPERATOR, log="Subject {subject_name} was released",
)
ZERO = _row(
    "zero", "POST", "/zero", SetZero, SubjectDetail, "The subject looks straight ahead now.",
    level=_OPERATOR, log=_zeroed,
)
SCALE = _row(
    "scale", "POST", "/scale", SetScale, SubjectDetail,
    "How much values count, and with which sign.",
    level=_OPERATOR, log="Subject {subject_name} was scaled",
)
LIST_RECORDINGS = _row(
    "list_recordings", "GET", "/recordings", Nothing, RecordingList,
    "Recordings on the robot, and what is being recorded or played.",
)
RECORD = _row(
    "record", "POST", "/recordings", StartRecording, RecordingState,
    "Begins to record what arrives.",
    level=_OPERATOR, log="Recording {name} was begun",
)
GET_RECORDING = _row(
    "get_recording", "GET", "/recordings/{name}", RecordingRef, RecordingDetail,
    "How long a recording is, and who sent what is in it.",
    limit_s=60.0,  # one of the largest size, from a slow card
)
DELETE_RECORDING = _row(
    "delete_recording", "DELETE", "/recordings/{name}", RecordingRef, Done,
    "Removes it for good.",
    level=_OPERATOR, log="Recording {name} was deleted", severity="WARNING",
)
STOP_RECORDING = _row(
    "stop_recording", "POST", "/recordings/stop", Nothing, RecordingState, "Ends and keeps it.",
    level=_OPERATOR, log="Recording {reply.name} was ended",
)
PLAY = _row(
    "play", "POST", "/playback", PlayRecording, Done, "Plays a recording as a source.",
    level=_OPERATOR, log="Recording {name} is played",
)
STOP_PLAYING = _row(
    "stop_playing", "POST", "/playback/stop", Nothing, Done, "Ends what plays.",
    level=_OPERATOR, log="Playing a recording was ended",
)
