"""livelinkd's socket: the subjects that it hears, what they are tuned to, recordings."""

from typing import Annotated, Literal

from pydantic import Field

from . import Reply, Request

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
    """GET /subjects"""

    sources: list[SubjectInfo]
    refused: dict[str, int]  # datagrams, by reason
    refused_by_sender: dict[str, dict[str, int]] = {}  # by IP, then by reason


class SubjectDetail(Reply):
    """GET /subjects/{name}"""

    subject: SubjectInfo
    values: dict[str, float]  # as sent
    output: dict[str, float] = {}  # for the router: after zero and scale, in range
    zero: dict[str, float] = {}
    scale: dict[str, float] = {}


class Listener(Reply):
    """One format and where it is heard."""

    format: str  # as in FormatName
    enabled: bool
    addresses: list[str]  # "udp 0.0.0.0:11111"


class ListenerList(Reply):
    """GET /formats"""

    formats: list[Listener]
    datagrams_per_second: int = 0  # of one sender, where a format has no limit of its own


class SetFormats(Request):
    """POST /formats: switch formats on or off; what is not given stays as it is."""

    formats: dict[FormatName, bool] = Field(default={}, max_length=6)
    datagrams_per_second: Rate | None = None  # of one sender: more are not looked at


class SenderRef(Request):
    """POST /senders/accept, /senders/revoke: a sender is its format, address and subject."""

    format: FormatName
    ip: SenderIp
    subject_name: SubjectName


class SetCheck(Request):
    """POST /senders/check: "all" turns the check off, for a closed network."""

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
    """GET /senders"""

    accept: Acceptance  # "all": the check is off, and every sender may move the robot
    waiting: list[SenderInfo]
    accepted: list[SenderInfo]


class SenderCode(Reply):
    """GET /senders/code: a subject whose name ends with it is accepted by itself."""

    code: str


class SubjectRef(Request):
    """POST /release: the first other sender gets the subject."""

    subject_name: SubjectName


class Zero(SubjectRef):
    """POST /zero: the subject looks straight ahead now; or forget that it did."""

    clear: bool = False


class Scale(SubjectRef):
    """POST /scale: how much each named value counts; negative turns it round, 1 removes it."""

    scale: dict[ValueName, Annotated[float, Field(ge=-100, le=100)]] = Field(max_length=1024)


class Record(Request):
    """POST /recordings: begin to record."""

    name: RecordingName
    formats: list[FormatName] = Field(default=[], max_length=6)  # empty: all
    seconds: float = Field(default=600.0, gt=0, le=86_400)


class RecordingRef(Request):
    """One recording by its name."""

    name: RecordingName


class Play(Request):
    """POST /playback: play a recording as a source."""

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
    """GET /recordings/{name}"""

    name: str
    datagrams: int
    seconds: float
    formats: dict[str, int]
    senders: dict[str, int]
