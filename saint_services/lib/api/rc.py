"""rcd's socket: the RC receiver, its channels, and what a lost signal means."""

from typing import Annotated, Literal

from pydantic import AliasChoices, Field

from ..access.levels import Level
from . import Reply, Request
from .endpoint import Nothing, Rows

RcProtocol = Literal["crsf", "sbus", "ibus", "ppm", "pwm"]
FailsafeAction = Literal["hold", "neutral", "estop", "passthrough"]
SettingsPart = Literal["enabled", "protocol", "failsafe", "channels"]
LAST_CHANNEL = 18
LONGEST_US = 4095  # what a channel may be worth in any protocol
ChannelNumber = Annotated[int, Field(ge=1, le=LAST_CHANNEL)]


class RcChannel(Reply):
    """One channel; `normalized` runs -1 to 1."""

    channel: int
    name: str
    raw: int  # in the protocol's own units
    us: int  # microseconds
    normalized: float


class RcLine(Reply):
    """One receiver: where it hangs, and whether its signal may be believed."""

    receiver: Literal["primary", "failover"]
    protocol: str
    device: str
    connected: bool
    failsafe: bool
    rssi: float  # dBm; 0 when unknown
    link_quality: int  # percent; 0 when unknown
    frame_rate_hz: float
    frames: int
    rejected: int  # frames with a wrong check sum or length
    discarded_bytes: int
    lost_frames: int  # marked as lost by the receiver itself
    reason: str = ""  # why it is not believed


class RcStatus(Reply):
    """The receiver in charge, then all of them."""

    enabled: bool
    connected: bool
    protocol: str
    device: str
    failsafe: bool
    rssi: float  # dBm; 0 when unknown
    link_quality: int  # percent; 0 when unknown
    frame_rate_hz: float
    frames: int
    rejected: int  # frames with a wrong check sum or length
    discarded_bytes: int
    channels: list[RcChannel]
    reason: str = ""  # why it is not connected
    receiver: Literal["primary", "failover"] = "primary"  # which one is in charge
    receivers: list[RcLine] = []
    failsafe_action: FailsafeAction = "hold"
    told: FailsafeAction | None = None  # what the robot is told of a loss now; None: nothing
    armed: bool | None = None  # None: no arm switch is set
    arm_channel: int | None = None  # the switch that arms
    failsafe_channel: int | None = None  # where the receiver shows a loss by a position
    calibrating: bool = False  # then the sticks move nothing


class SetEnabled(Request):
    """On or off."""

    enabled: bool


class RcChannelConfig(Reply):
    """One channel's range in microseconds."""

    channel: int
    name: str
    min: int
    max: int
    center: int
    reversed: bool


class RcChannelList(Reply):
    """All channels."""

    channels: list[RcChannelConfig]


class ChannelRef(Request):
    """One channel."""

    channel: ChannelNumber


class SetChannel(ChannelRef):
    """Range and name of one channel in microseconds; what is left out stays."""

    name: str | None = Field(default=None, max_length=64)
    min: int | None = Field(default=None, ge=0, le=LONGEST_US)
    max: int | None = Field(default=None, ge=0, le=LONGEST_US)
    center: int | None = Field(default=None, ge=0, le=LONGEST_US)
    reversed: bool | None = None


class CalibrateChannel(ChannelRef):
    """Where the channel is now becomes this end, or the middle."""

    position: Literal["min", "max", "center"]


class FailsafeInfo(Reply):
    """When a signal is lost, and what happens then."""

    action: FailsafeAction
    timeout_ms: int
    lost_frames: int
    recovery_ms: int


class SetFailsafe(Request):
    """When a signal is lost, and what happens then; what is left out stays."""

    action: FailsafeAction | None = None
    timeout_ms: int | None = Field(default=None, ge=40, le=2000)
    lost_frames: int | None = Field(default=None, ge=1, le=1000)
    recovery_ms: int | None = Field(default=None, ge=0, le=10_000)


class ResetRequest(Request):
    """Which settings are forgotten, so that rcd.yaml counts again."""

    parts: list[SettingsPart] = Field(
        default=["enabled", "protocol", "failsafe", "channels"], min_length=1
    )


class ProtocolInfo(Reply):
    """Which protocol is listened for, and where."""

    protocol: RcProtocol
    device: str
    baud_rate: int | None  # None: it has none


class SetProtocol(Request):
    """Which protocol to listen for."""

    protocol: RcProtocol
    baud_rate: int | None = Field(default=None, ge=1200, le=4_000_000)  # None: its own


class CalibrationFinding(Reply):
    """Something that a guided calibration has noticed."""

    channel: int
    kind: Literal["reversed", "unplugged", "swapped", "narrow"]
    text: str


class SeenRange(Reply):
    """How far a channel was moved while a guided calibration runs, in microseconds."""

    channel: int
    us: int  # now
    center: int | None = None  # None: before that step was done
    low: int | None = None
    high: int | None = None


class CalibrationInfo(Reply):
    """Where the guided calibration is; also the answer to each step."""

    step: Literal["idle", "center", "ends", "directions", "done"]
    text: str  # what the operator is to do now
    channel: int | None = None  # the one that is asked for
    findings: list[CalibrationFinding] = []
    seen: list[SeenRange] = []
    proposal: list[RcChannelConfig] = []  # at the end: what save would set


class CalibrationStep(Request):
    """What a person does in the guided calibration."""

    step: Literal["start", "next", "skip", "save", "cancel"] = Field(
        validation_alias=AliasChoices("step", "action")
    )


class DetectedSettings(Reply):
    """What was seen on the line with one setting."""

    protocol: RcProtocol
    baud_rate: int
    bytes: int
    frames: int
    rejected: int
    discarded_bytes: int


class DetectRequest(Request):
    """How to listen for every protocol in turn; the robot is not driven meanwhile."""

    seconds: float = Field(default=1.0, ge=0.2, le=5.0)  # for each setting
    apply: bool = False  # use what was found


class DetectReport(Reply):
    """What speaks on the line."""

    protocol: RcProtocol | None
    baud_rate: int | None
    text: str
    seen: list[DetectedSettings]


def _calibrated(params: CalibrationStep, _: CalibrationInfo) -> str:
    is_told = params.step in ("start", "save", "cancel")
    return f"RC calibration: {params.step}" if is_told else ""


def _switched(params: SetEnabled, _: RcStatus) -> str:
    return f"RC receiver was switched {'on' if params.enabled else 'off'}"


ROWS = Rows("rc", "rcd")
_row = ROWS.row
_OPERATOR = Level.OPERATOR

# fmt: off
GET_STATUS = _row(
    "get_status", "GET", "/status", Nothing, RcStatus, "Receivers and channels as they are now."
)
WATCH = _row(
    "watch", "GET", "/watch", Nothing, RcStatus, "The same again and again, one reply a line.",
    is_action=False, is_stream=True,
)
SET_ENABLED = _row(
    "set_enabled", "POST", "/enabled", SetEnabled, RcStatus,
    "Switch the receiver on or off; while it is off, others may drive.",
    level=_OPERATOR, log=_switched, severity="WARNING",
)
LIST_CHANNELS = _row(
    "list_channels", "GET", "/channels", Nothing, RcChannelList,
    "Ranges and names of all channels.", is_action=False,
)
GET_CHANNEL = _row(
    "get_channel", "GET", "/channels/{channel}", ChannelRef, RcChannelConfig,
    "Range and name of one channel.", is_action=False,
)
SET_CHANNEL_CONFIG = _row(
    "set_channel_config", "PATCH", "/channels/{channel}", SetChannel, RcChannelConfig,
    "Range and name of one channel, in force with its next frame.",
    level=_OPERATOR, log="RC channel {channel} was set up",
)
CALIBRATE_CHANNEL = _row(
    "calibrate_channel", "POST", "/channels/{channel}/calibrate", CalibrateChannel,
    RcChannelConfig, "Take where the stick is now as an end or the middle of one channel.",
    level=_OPERATOR, log="RC channel {channel}: its {position} is where the stick was",
)
GET_FAILSAFE = _row(
    "get_failsafe", "GET", "/failsafe", Nothing, FailsafeInfo,
    "When the signal is lost, and what happens then.",
)
SET_FAILSAFE = _row(
    "set_failsafe", "POST", "/failsafe", SetFailsafe, FailsafeInfo,
    "Set when the signal is lost, and what happens then.",
    level=_OPERATOR, log="RC failsafe is now: {reply.action}", severity="WARNING",
)
GET_RECEIVER = _row(
    "get_receiver", "GET", "/protocol", Nothing, ProtocolInfo,
    "Which protocol is listened for, on which port.", is_action=False,
)
SET_PROTOCOL = _row(
    "set_protocol", "POST", "/protocol", SetProtocol, ProtocolInfo,
    "Listen for another protocol.",
    level=_OPERATOR, log="RC protocol is now {reply.protocol}", severity="WARNING",
)
GET_CALIBRATION = _row(
    "get_calibration", "GET", "/calibration", Nothing, CalibrationInfo,
    "Where the guided calibration is.",
)
CALIBRATION = _row(
    "calibration", "POST", "/calibration", CalibrationStep, CalibrationInfo,
    "Go one step on in the guided calibration; while it runs, the sticks move nothing.",
    level=_OPERATOR, log=_calibrated, severity="WARNING",
)
RESET = _row(
    "reset", "POST", "/reset", ResetRequest, RcStatus,
    "Forget what was set by hand, or these parts of it: rcd.yaml counts again.",
    level=_OPERATOR, log=lambda params, _: f"RC receiver was reset: {', '.join(params.parts)}",
    severity="WARNING",
)
DETECT_PROTOCOL = _row(
    "detect_protocol", "POST", "/detect", DetectRequest, DetectReport,
    "Listen for every protocol in turn; the transmitter moves nothing meanwhile.",
    level=_OPERATOR, log="RC protocols were listened for: {reply.text}", severity="WARNING",
    limit_s=60.0,
)
