"""Declares the named form of remote operation: one JSON object per message of the data channel
`fields` (unordered, not repeated, the newest wins), for every robot. Not here: the binary structs
(structs.py).

Version 1. Operator to robot: `v`, `seq` (rises), `t` (milliseconds of the operator's clock), and
`targets` with values by field, `talk` while the talk button is held, `rest`: no control is held,
`sound`: which place to listen at and to speak through. A message without targets is a heartbeat of
the operator's input loop.
Robot to operator, 20 times per second in turns: `RobotReport` and `RobotPulse`, a sign of life with
the first fields of it. To others 4 times, and at once when something has changed: `RobotReport`.
"""

from typing import Annotated, Final, Literal

from pydantic import Field

from ..api import Reply, Request
from ..api.mapping import FiniteNumber

VERSION: Final = 1
LARGEST_BYTES: Final = 4096
CHANNELS: Final = ("commands", "state", "fields")

TargetName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_.]{0,63}$")]
FieldName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_.]{0,63}$")]
Values = Annotated[dict[FieldName, FiniteNumber], Field(min_length=1, max_length=32)]


class FieldsMessage(Request):
    """A command, or a heartbeat."""

    v: Literal[1]
    seq: int = Field(ge=0, lt=1 << 53, strict=True)
    t: float = Field(ge=0, lt=1e15)  # ms
    targets: dict[TargetName, Values] = Field(default={}, max_length=8)
    # The newest report that has arrived, for how long it has been here, and the age of the picture
    # on the screen, since its capture: by them the robot measures the delay.
    ack: int | None = Field(default=None, ge=0, lt=1 << 53, strict=True)
    ack_ms: float = Field(default=0.0, ge=0, le=60_000)
    picture_ms: float | None = Field(default=None, ge=0, le=600_000)
    # Of `sound.places` of the report: "head", "server"; empty: that of the camera, or the first.
    sound: str = Field(default="", pattern=r"^([a-z][a-z0-9_.]{0,63})?$")
    talk: bool = False  # the talk button is held: the sound that comes with it is played
    # True: no control is held; false: one is. Left out, 0.3 s without motion say the first.
    rest: bool | None = None


class PictureReport(Reply):
    """The newest picture of this session's camera."""

    camera: str = ""
    state: Literal["live", "none"] = "none"  # none: no new one for 350 ms
    age_ms: float | None = None  # from capture until it was sent
    number: int = 0
    kbps: int = 0  # what the stream may have now


class SoundReport(Reply):
    """The microphone and the loudspeaker of this session. Levels in dB below full scale. Places are
    roles, whose nodes have sound, and "server".
    """

    place: str = ""  # of the microphone; empty: none
    loudspeaker_place: str = ""
    places: list[str] = []  # that may be chosen

    microphone: Literal["off", "live", "none"] = "off"  # off: not configured; none: no sound comes
    microphone_db: float | None = None
    loudspeaker: Literal["off", "ready", "speaking", "none"] = "off"
    loudspeaker_db: float | None = None  # of what is played
    problem: str = ""


class RobotPulse(Reply):
    """A sign of life between two reports, which measures the link; the rest is as reported last."""

    v: Literal[1] = 1
    seq: int
    t: float  # ms since 1970, the robot's clock
    echo: float | None = None  # `t` of the newest message that arrived
    echo_age_ms: float | None = None  # how long ago that was


class RobotReport(RobotPulse):
    """What the robot reports to each session."""

    seat: Literal["operator", "viewer"] = "viewer"
    operator: str = ""  # who has control; empty: nobody
    requests: list[tuple[str, str]] = []  # session and user that request control
    refused: int = 0
    why: str = ""  # why the newest command does not move the robot; empty: it counts
    stopped: bool | None = None  # the e-stop; None: unknown
    battery_v: float | None = None
    battery_percent: float | None = None
    speed_mps: float | None = None
    delay_ms: float | None = None  # from the robot to the operator's screen, and back
    speed_share: float = 1.0  # of the top speed, which that delay leaves
    picture: PictureReport = PictureReport()
    sound: SoundReport = SoundReport()
    room: str = (
        ""  # why the configured LiveKit room does not work; empty: it does, or there is none
    )
