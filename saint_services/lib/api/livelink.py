"""LiveLink subjects, formats, senders and recordings: the socket of livelinkd."""

from typing import Annotated, Literal

from pydantic import Field

from ..access.levels import Level
from . import Done, Reply, Request
from .endpoint import Nothing, Rows
from .measurement import Measurement, ValueName

FormatName = Literal["llf", "json", "vmc", "ifacialmocap", "lines", "capture"]
Acceptance = Literal["known", "all"]  # accepted senders only; every sender
SenderIp = Annotated[str, Field(pattern=r"^[0-9A-Fa-f:.]{2,45}$")]
SubjectName = Annotated[str, Field(min_length=1, max_length=100)]
Rate = Annotated[int, Field(ge=1, le=100_000)]
RecordingName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$")]


class SubjectInfo(Reply):
    """A LiveLink subject."""

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
    tracked: bool  # false: connected, but no face detected
    properties: list[str]
    format: str = ""
    is_open: bool = False  # released: the next other sender takes over
    is_tuned: bool = False  # has a zero offset or a scale


class SubjectList(Reply):
    """All subjects, and counts of rejected datagrams."""

    sources: list[SubjectInfo]
    refused: dict[str, int]  # rejected datagrams by reason
    refused_by_sender: dict[str, dict[str, int]] = {}  # by IP, then by reason


class SubjectDetail(Reply):
    """A subject with its newest values."""

    subject: SubjectInfo
    values: dict[str, float]  # as sent
    output: dict[str, float] = {}  # for the router: after zero offset and scale, in range
    zero: dict[str, float] = {}
    scale: dict[str, float] = {}


class FormatInfo(Reply):
    """A format and the addresses of its listeners."""

    format: str  # as in FormatName
    enabled: bool
    addresses: list[str]  # "udp 0.0.0.0:11111"


class FormatList(Reply):
    """All formats that have a listener."""

    formats: list[FormatInfo]
    datagrams_per_second: int = 0  # per sender, where the format has no limit of its own


class SetFormats(Request):
    """Switch formats on or off; formats that are left out stay unchanged."""

    formats: dict[FormatName, bool] = Field(default={}, max_length=6)
    datagrams_per_second: Rate | None = Field(
        default=None, description="Datagrams per second of one sender. A phone sends 60."
    )


class SenderRef(Request):
    """A sender, identified by format, address and subject."""

    format: FormatName
    ip: SenderIp
    subject_name: SubjectName


class SetCheck(Request):
    """ "all" accepts every sender, for a closed network."""

    accept: Acceptance = Field(description="known: only accepted senders drive. all: every sender.")


class SenderInfo(Reply):
    """A sender. A waiting sender moves nothing; its values help to identify the phone."""

    format: str
    ip: str
    subject_name: str
    accepted_by: str = ""  # "person", "settings", "code"; empty: waiting
    accepted_s: float = 0.0  # seconds since 1970
    device: str = ""
    subject_type: str = ""
    frames: int = 0
    frame_rate: float = 0.0
    age_ms: int = 0
    tracked: bool = False
    values: dict[str, float] = {}


class SenderList(Reply):
    """All waiting and accepted senders."""

    accept: Acceptance  # "all": every sender may move the robot
    waiting: list[SenderInfo]
    accepted: list[SenderInfo]


class SenderCode(Reply):
    """A sender whose subject name ends with this code is accepted automatically."""

    code: str


class SubjectRef(Request):
    """A subject by name."""

    subject_name: SubjectName


class MeasureSubject(SubjectRef):
    """Which values of a subject are measured, and for how long."""

    seconds: float = Field(default=2.0, ge=0.5, le=8.0, description="How long to measure, in s.")
    names: list[ValueName] = Field(
        default=[], max_length=128, description="Values to report. Default: all."
    )


class SetZero(SubjectRef):
    """Set the zero offset of a subject from its current values, or clear it."""

    clear: bool = Field(default=False, description="Clear the zero offset.")


class SetScale(SubjectRef):
    """Set the scale of each named value; negative reverses it, 1 removes the scale."""

    scale: dict[ValueName, Annotated[float, Field(ge=-100, le=100)]] = Field(max_length=1024)


class StartRecording(Request):
    """Name, formats and longest duration of a recording."""

    name: RecordingName = Field(description="Letters, digits, dots and dashes.")
    formats: list[FormatName] = Field(
        default=[],
        max_length=6,
        description="llf, json, vmc, ifacialmocap or lines. Repeatable. Default: all.",
    )
    seconds: float = Field(
        default=600.0, gt=0, le=86_400, description="The recording ends after this time."
    )


class RecordingRef(Request):
    """A recording by name."""

    name: RecordingName = Field(description="Letters, digits, dots and dashes.")


class PlayRecording(Request):
    """Play a recording."""

    name: RecordingName
    speed: float = Field(default=1.0, ge=0.01, le=1000, description="2 is twice as fast.")
    again: bool = Field(default=False, description="Repeat from the start until stopped.")


class RecordingInfo(Reply):
    """A recording on disk."""

    name: str
    size_bytes: int
    made: float  # seconds since 1970


class RecordingState(Reply):
    """The running or last recording."""

    name: str = ""
    recording: bool = False
    datagrams: int = 0
    size_bytes: int = 0
    dropped: int = 0
    seconds: float = 0.0
    problem: str = ""  # why the recording ended early


class RecordingList(Reply):
    """All recordings, and what is recorded or played now."""

    recordings: list[RecordingInfo]
    current: RecordingState | None = None
    playing: str = ""
    played: int = 0


class RecordingDetail(Reply):
    """Duration, formats and senders of a recording."""

    name: str
    datagrams: int
    seconds: float
    formats: dict[str, int]
    senders: dict[str, int]


def _formats(_: SetFormats, reply: FormatList) -> str:
    on = ", ".join(each.format for each in reply.formats if each.enabled)
    return f"LiveLink formats switched on: {on or 'none'}"


def _checked(params: SetCheck, _: SenderList) -> str:
    who = "every sender" if params.accept == "all" else "accepted senders only"
    return f"LiveLink accepts {who}"


def _zeroed(params: SetZero, _: SubjectDetail) -> str:
    what = "cleared" if params.clear else "set"
    return f"Zero offset of {params.subject_name} {what}"


ROWS = Rows("livelink", "livelinkd")
_row = ROWS.row
_OPERATOR, _ADMIN = Level.OPERATOR, Level.ADMIN

# fmt: off
LIST_SOURCES = _row(
    "list_sources", "GET", "/subjects", Nothing, SubjectList, "List all subjects."
)
GET_SUBJECT = _row(
    "get_subject", "GET", "/subjects/{subject_name}", SubjectRef, SubjectDetail,
    "Get a subject with its newest values.",
)
LIST_FORMATS = _row(
    "list_formats", "GET", "/formats", Nothing, FormatList,
    "List the formats, whether each is on, and its addresses.",
)
SET_FORMATS = _row(
    "set_formats", "POST", "/formats", SetFormats, FormatList,
    "Switch formats on or off, and set the rate limit per sender.",
    level=_ADMIN, log=_formats,
)
LIST_SENDERS = _row(
    "list_senders", "GET", "/senders", Nothing, SenderList,
    "List waiting and accepted senders.",
)
ACCEPT_SENDER = _row(
    "accept_sender", "POST", "/senders/accept", SenderRef, SenderList,
    "Accept a sender, which may then drive the robot through the routes.",
    level=_OPERATOR, log="Sender {subject_name} of {ip} ({format}) was accepted",
    severity="WARNING",
)
REVOKE_SENDER = _row(
    "revoke_sender", "POST", "/senders/revoke", SenderRef, SenderList,
    "Revoke a sender: it stops driving until it is accepted again.",
    level=_OPERATOR, log="Sender {subject_name} of {ip} ({format}) was revoked",
    severity="WARNING",
)
GET_SENDER_CODE = _row(
    "get_sender_code", "GET", "/senders/code", Nothing, SenderCode,
    "Get the code that accepts a sender automatically, at the end of its subject's name.",
    level=_OPERATOR,
)
RENEW_SENDER_CODE = _row(
    "renew_sender_code", "POST", "/senders/code", Nothing, SenderCode,
    "Make a new code; senders with the old code are no longer accepted.",
    level=_ADMIN, log="The code for LiveLink senders was renewed", severity="WARNING",
)
SET_SENDER_CHECK = _row(
    "set_sender_check", "POST", "/senders/check", SetCheck, SenderList,
    'Set whether senders must be accepted; "all" is for a closed network.',
    level=_ADMIN, log=_checked, severity="WARNING",
)
RELEASE = _row(
    "release", "POST", "/release", SubjectRef, Done,
    "Release a subject to the next other sender.",
    level=_OPERATOR, log="Subject {subject_name} was released",
)
MEASURE = _row(
    "measure", "GET", "/subjects/{subject_name}/measurement", MeasureSubject, Measurement,
    "Measure for some seconds how a subject's values move: percentiles and noise.",
    limit_s=15.0,
)
ZERO = _row(
    "zero", "POST", "/zero", SetZero, SubjectDetail,
    "Set the zero offset of a subject: it looks straight ahead now.",
    level=_OPERATOR, log=_zeroed,
)
SCALE = _row(
    "scale", "POST", "/scale", SetScale, SubjectDetail,
    "Set the scale of a subject's values.",
    level=_OPERATOR, log="Scale of {subject_name} set",
)
LIST_RECORDINGS = _row(
    "list_recordings", "GET", "/recordings", Nothing, RecordingList,
    "List the recordings, and what is recorded or played now.",
)
RECORD = _row(
    "record", "POST", "/recordings", StartRecording, RecordingState,
    "Start a recording of received datagrams.",
    level=_OPERATOR, log="Recording {name} started",
)
GET_RECORDING = _row(
    "get_recording", "GET", "/recordings/{name}", RecordingRef, RecordingDetail,
    "Get duration, formats and senders of a recording.",
    limit_s=60.0,  # the largest recording, from a slow card
)
DELETE_RECORDING = _row(
    "delete_recording", "DELETE", "/recordings/{name}", RecordingRef, Done,
    "Delete a recording.",
    level=_OPERATOR, log="Recording {name} was deleted", severity="WARNING",
)
STOP_RECORDING = _row(
    "stop_recording", "POST", "/recordings/stop", Nothing, RecordingState,
    "Stop and save the recording.",
    level=_OPERATOR, log="Recording {reply.name} stopped",
)
PLAY = _row(
    "play", "POST", "/playback", PlayRecording, Done, "Play a recording as a source.",
    level=_OPERATOR, log="Playback of {name} started",
)
STOP_PLAYING = _row(
    "stop_playing", "POST", "/playback/stop", Nothing, Done, "Stop the playback.",
    level=_OPERATOR, log="Playback stopped",
)
