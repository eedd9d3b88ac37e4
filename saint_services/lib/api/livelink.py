"""livelinkd's socket: the subjects that it hears."""

from . import Reply


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


class SubjectList(Reply):
    """GET /subjects"""

    sources: list[SubjectInfo]
    refused: dict[str, int]  # datagrams, by reason


class SubjectDetail(Reply):
    """GET /subjects/{name}"""

    subject: SubjectInfo
    values: dict[str, float]
