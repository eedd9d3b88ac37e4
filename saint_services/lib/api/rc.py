"""rcd's socket: the RC receiver."""

from . import Reply, Request


class RcChannel(Reply):
    """One channel; `normalized` runs -1 to 1."""

    channel: int
    name: str
    raw: int  # in the protocol's own units
    us: int  # microseconds
    normalized: float


class RcStatus(Reply):
    """GET /status"""

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


class SetEnabled(Request):
    """POST /enabled"""

    enabled: bool
