"""rcd's socket: the RC receiver."""

from typing import Literal

from pydantic import AliasChoices, Field

from . import Reply, Request

Protocol = Literal["crsf", "sbus", "ibus", "ppm", "pwm"]
Action = Literal["hold", "neutral", "estop", "passthrough"]
Part = Literal["enabled", "protocol", "failsafe", "channels"]
LAST_CHANNEL = 18
LONGEST_US = 4095  # what a channel may be worth in any protocol


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
    """GET /status, and every line of GET /watch. The receiver in charge, then all of them."""

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
    failsafe_action: Action = "hold"
    told: Action | None = None  # what the robot is told of a loss now; None: nothing
    armed: bool | None = None  # None: no arm switch is set
    arm_channel: int | None = None  # the switch that arms
    failsafe_channel: int | None = None  # where the receiver shows a loss by a position
    calibrating: bool = False  # then the sticks move nothing


class SetEnabled(Request):
    """POST /enabled"""

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
    """GET /channels"""

    channels: list[RcChannelConfig]


class SetChannel(Request):
    """PATCH /channels/{number}; what is left out stays."""

    name: str | None = Field(default=None, max_length=64)
    min: int | None = Field(default=None, ge=0, le=LONGEST_US)
    max: int | None = Field(default=None, ge=0, le=LONGEST_US)
    center: int | None = Field(default=None, ge=0, le=LONGEST_US)
    reversed: bool | None = None


class CalibrateChannel(Request):
    """POST /channels/{number}/calibrate: where the channel is now becomes this of it."""

    position: Literal["min", "max", "center"]


class FailsafeInfo(Reply):
    """GET /failsafe"""

    action: Action
    timeout_ms: int
    lost_frames: int
    recovery_ms: int


class SetFailsafe(Request):
    """POST /failsafe; what is left out stays."""

    action: Action | None = None
    timeout_ms: int | None = Field(default=None, ge=40, le=2000)
    lost_frames: int | None = Field(default=None, ge=1, le=1000)
    recovery_ms: int | None = Field(default=None, ge=0, le=10_000)


class ResetRequest(Request):
    """POST /reset: forget what was set by page or terminal; rcd.yaml counts again."""

    parts: list[Part] = Field(default=["enabled", "protocol", "failsafe", "channels"], min_length=1)


class ProtocolInfo(Reply):
    """GET /protocol"""

    protocol: Protocol
    device: str
    baud_rate: int | None  # None: it has none


class SetProtocol(Request):
    """POST /protocol"""

    protocol: Protocol
    baud_rate: int | None = Field(default=None, ge=1200, le=4_000_000)  # None: its own


class Finding(Reply):
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
    """GET /calibration; also the answer to each step."""

    step: Literal["idle", "center", "ends", "directions", "done"]
    text: str  # what the operator is to do now
    channel: int | None = None  # the one that is asked for
    findings: list[Finding] = []
    seen: list[SeenRange] = []
    proposal: list[RcChannelConfig] = []  # at the end: what save would set


class CalibrationStep(Request):
    """POST /calibration"""

    step: Literal["start", "next", "skip", "save", "cancel"] = Field(
        validation_alias=AliasChoices("step", "action")
    )


class Seen(Reply):
    """What was seen on the line with one setting."""

    protocol: Protocol
    baud_rate: int
    bytes: int
    frames: int
    rejected: int
    discarded_bytes: int


class DetectRequest(Request):
    """POST /detect: listen for every protocol in turn; the robot is not driven meanwhile."""

    seconds: float = Field(default=1.0, ge=0.2, le=5.0)  # for each setting
    apply: bool = False  # use what was found


class DetectReport(Reply):
    """What speaks on the line."""

    protocol: Protocol | None
    baud_rate: int | None
    text: str
    seen: list[Seen]
