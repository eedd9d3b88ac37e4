"""RC receivers, channels and failsafe: the socket of rcd."""

from typing import Annotated, Literal

from pydantic import AliasChoices, Field

from ..access.levels import Level
from . import Reply, Request
from .endpoint import Nothing, Rows

RcProtocol = Literal["sbus", "crsf", "ibus", "dsm", "ghst", "mavlink", "ppm", "pwm"]
FailsafeAction = Literal["hold", "neutral", "estop", "passthrough"]
SettingsPart = Literal["enabled", "protocol", "failsafe", "channels"]
LAST_CHANNEL = 18
MOST_PINS = 8  # of a PWM receiver: one per channel
LONGEST_US = 4095  # largest channel value of any protocol
ChannelNumber = Annotated[int, Field(ge=1, le=LAST_CHANNEL)]


class RcChannel(Reply):
    """A channel; `normalized` is -1 to 1."""

    channel: int
    name: str
    raw: int  # in the protocol's own units
    us: int  # microseconds
    normalized: float


class RcLine(Reply):
    """A receiver: its port, and whether its signal is valid."""

    receiver: Literal["primary", "failover"]
    protocol: str
    device: str
    connected: bool
    failsafe: bool
    rssi: float  # dBm; 0 when unknown
    link_quality: int  # percent; 0 when unknown
    frame_rate_hz: float
    frames: int
    rejected: int  # frames with a wrong checksum or length
    discarded_bytes: int
    lost_frames: int  # marked as lost by the receiver itself
    losses: int = 0  # of the whole signal, as in the log
    reason: str = ""  # why the signal is not valid
    pins: list[int] = []  # GPIO of PPM; of PWM, CH 1 first


class RcStatus(Reply):
    """The active receiver, and all receivers."""

    enabled: bool
    connected: bool
    protocol: str
    device: str
    failsafe: bool
    rssi: float  # dBm; 0 when unknown
    link_quality: int  # percent; 0 when unknown
    frame_rate_hz: float
    frames: int
    rejected: int  # frames with a wrong checksum or length
    discarded_bytes: int
    lost_frames: int = 0  # marked as lost by the receiver itself
    losses: int = 0  # of the whole signal, as in the log
    channels: list[RcChannel]
    reason: str = ""  # why the receiver is not connected
    receiver: Literal["primary", "failover"] = "primary"  # the active receiver
    receivers: list[RcLine] = []
    failsafe_action: FailsafeAction = "hold"
    told: FailsafeAction | None = None  # failsafe action published now; None: none
    armed: bool | None = None  # None: no arm switch is configured
    arm_channel: int | None = None  # channel of the arm switch
    failsafe_channel: int | None = None  # channel whose position signals a lost link
    calibrating: bool = False  # if true, the sticks move nothing
    pins: list[int] = []  # GPIO of PPM; of PWM, CH 1 first


class SetEnabled(Request):
    """Switch the receiver on or off."""

    enabled: bool


class RcChannelConfig(Reply):
    """Range of a channel in microseconds."""

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
    """A channel by number."""

    channel: ChannelNumber = Field(description="Number of the channel, 1 to 18.")


class SetChannel(ChannelRef):
    """Range (microseconds) and name of a channel; values that are left out stay unchanged."""

    name: str | None = Field(default=None, max_length=64, description="What the channel is for.")
    min: int | None = Field(
        default=None, ge=0, le=LONGEST_US, description="Microseconds that become -1."
    )
    max: int | None = Field(
        default=None, ge=0, le=LONGEST_US, description="Microseconds that become 1."
    )
    center: int | None = Field(
        default=None, ge=0, le=LONGEST_US, description="Microseconds that become 0."
    )
    reversed: bool | None = Field(default=None, description="Reverse the channel.")


class CalibrateChannel(ChannelRef):
    """Set an end or the center of a channel from its current value."""

    position: Literal["min", "max", "center"] = Field(
        description="The end that the stick is at, or its middle."
    )


class FailsafeInfo(Reply):
    """When the signal counts as lost, and what happens then."""

    action: FailsafeAction
    timeout_ms: int
    lost_frames: int
    recovery_ms: int


class SetFailsafe(Request):
    """When the signal counts as lost, and what happens then; values that are left out stay
    unchanged.
    """

    action: FailsafeAction | None = Field(
        default=None, description="What happens when the signal is lost."
    )
    timeout_ms: int | None = Field(
        default=None,
        ge=40,
        le=2000,
        description="The signal is lost after this time without a frame.",
    )
    lost_frames: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        description="The signal is lost after this many lost frames in a row.",
    )
    recovery_ms: int | None = Field(
        default=None,
        ge=0,
        le=10_000,
        description="The signal is back after this time of good frames.",
    )


class ResetRequest(Request):
    """Settings to forget, so that rcd.yaml applies again."""

    parts: list[SettingsPart] = Field(
        default=["enabled", "protocol", "failsafe", "channels"],
        min_length=1,
        description="Settings to reset. Default: all.",
    )


class ProtocolInfo(Reply):
    """Protocol and port of the receiver."""

    protocol: RcProtocol
    device: str
    baud_rate: int | None  # None: the protocol has none
    pins: list[int] = []  # GPIO of PPM; of PWM, CH 1 first


class SetProtocol(Request):
    """Protocol of the receiver."""

    protocol: RcProtocol = Field(description="Protocol of the receiver.")
    pins: list[Annotated[int, Field(ge=0, le=27)]] | None = Field(
        default=None,
        min_length=1,
        max_length=MOST_PINS,
        description="PPM: its GPIO. PWM: one for each channel, CH 1 first. Default: rcd.yaml's.",
    )
    baud_rate: int | None = Field(
        default=None, ge=1200, le=4_000_000, description="Baud rate. Default: the protocol's own."
    )


class CalibrationFinding(Reply):
    """Something that a guided calibration noticed."""

    channel: int
    kind: Literal["reversed", "unplugged", "swapped", "narrow"]
    text: str


class SeenRange(Reply):
    """Range of a channel during a guided calibration, in microseconds."""

    channel: int
    us: int  # now
    center: int | None = None  # None: before that step
    low: int | None = None
    high: int | None = None


class CalibrationInfo(Reply):
    """State of the guided calibration; also the reply to each step."""

    step: Literal["idle", "center", "ends", "directions", "done"]
    text: str  # instruction for the operator
    channel: int | None = None  # the channel to move
    findings: list[CalibrationFinding] = []
    seen: list[SeenRange] = []
    proposal: list[RcChannelConfig] = []  # at the end: the settings that `save` applies


class CalibrationStep(Request):
    """A step of the guided calibration."""

    step: Literal["start", "next", "skip", "save", "cancel"] = Field(
        validation_alias=AliasChoices("step", "action")
    )


class DetectedSettings(Reply):
    """What was received on the line with one setting."""

    protocol: RcProtocol
    baud_rate: int
    bytes: int
    frames: int
    rejected: int
    discarded_bytes: int


class DetectRequest(Request):
    """Listen for every protocol in turn; the receiver does not drive the robot meanwhile."""

    seconds: float = Field(
        default=1.0, ge=0.2, le=5.0, description="Time for each setting, 0.2 to 5 s."
    )
    apply: bool = Field(default=False, description="Use the protocol that was found.")


class DetectReport(Reply):
    """The detected protocol."""

    protocol: RcProtocol | None
    baud_rate: int | None
    text: str
    seen: list[DetectedSettings]


def _calibrated(params: CalibrationStep, _: CalibrationInfo) -> str:
    is_logged = params.step in ("start", "save", "cancel")
    return f"RC calibration: {params.step}" if is_logged else ""


def _switched(params: SetEnabled, _: RcStatus) -> str:
    return f"RC receiver was switched {'on' if params.enabled else 'off'}"


ROWS = Rows("rc", "rcd")
_row = ROWS.row
_OPERATOR = Level.OPERATOR

# fmt: off
GET_STATUS = _row(
    "get_status", "GET", "/status", Nothing, RcStatus,
    "Get the current state of receivers and channels.",
)
WATCH = _row(
    "watch", "GET", "/watch", Nothing, RcStatus, "Stream the status, one reply per line.",
    is_action=False, is_stream=True,
)
SET_ENABLED = _row(
    "set_enabled", "POST", "/enabled", SetEnabled, RcStatus,
    "Switch the receiver on or off; while it is off, other inputs may drive.",
    level=_OPERATOR, log=_switched, severity="WARNING",
)
LIST_CHANNELS = _row(
    "list_channels", "GET", "/channels", Nothing, RcChannelList,
    "List ranges and names of all channels.", is_action=False,
)
GET_CHANNEL = _row(
    "get_channel", "GET", "/channels/{channel}", ChannelRef, RcChannelConfig,
    "Get range and name of a channel.", is_action=False,
)
SET_CHANNEL_CONFIG = _row(
    "set_channel_config", "PATCH", "/channels/{channel}", SetChannel, RcChannelConfig,
    "Set range and name of a channel, in force with the next frame.",
    level=_OPERATOR, log="RC CH {channel} was configured",
)
CALIBRATE_CHANNEL = _row(
    "calibrate_channel", "POST", "/channels/{channel}/calibrate", CalibrateChannel,
    RcChannelConfig, "Set an end or the center of a channel from the stick's current position.",
    level=_OPERATOR, log="RC CH {channel}: {position} set from the stick",
)
GET_FAILSAFE = _row(
    "get_failsafe", "GET", "/failsafe", Nothing, FailsafeInfo,
    "Get when the signal counts as lost, and what happens then.",
)
SET_FAILSAFE = _row(
    "set_failsafe", "POST", "/failsafe", SetFailsafe, FailsafeInfo,
    "Set when the signal counts as lost, and what happens then.",
    level=_OPERATOR, log="RC failsafe is now: {reply.action}", severity="WARNING",
)
GET_RECEIVER = _row(
    "get_receiver", "GET", "/protocol", Nothing, ProtocolInfo,
    "Get protocol and port of the receiver.", is_action=False,
)
SET_PROTOCOL = _row(
    "set_protocol", "POST", "/protocol", SetProtocol, ProtocolInfo,
    "Set the protocol of the receiver.",
    level=_OPERATOR, log="RC protocol is now {reply.protocol}", severity="WARNING",
)
GET_CALIBRATION = _row(
    "get_calibration", "GET", "/calibration", Nothing, CalibrationInfo,
    "Get the state of the guided calibration.",
)
CALIBRATION = _row(
    "calibration", "POST", "/calibration", CalibrationStep, CalibrationInfo,
    "Take the next step of the guided calibration; while it runs, the sticks move nothing.",
    level=_OPERATOR, log=_calibrated, severity="WARNING",
)
RESET = _row(
    "reset", "POST", "/reset", ResetRequest, RcStatus,
    "Forget all settings, or these parts: rcd.yaml applies again.",
    level=_OPERATOR, log=lambda params, _: f"RC receiver was reset: {', '.join(params.parts)}",
    severity="WARNING",
)
DETECT_PROTOCOL = _row(
    "detect_protocol", "POST", "/detect", DetectRequest, DetectReport,
    "Detect the protocol by listening for each in turn; the transmitter moves nothing meanwhile.",
    level=_OPERATOR, log="RC protocol detection: {reply.text}", severity="WARNING",
    limit_s=60.0,
)
