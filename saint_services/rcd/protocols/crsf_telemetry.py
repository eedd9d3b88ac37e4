"""Decodes CRSF frames without channels: link statistics and telemetry."""

import struct
from dataclasses import dataclass

from .frames import CrsfFrame

BATTERY, LINK_STATISTICS, ATTITUDE, FLIGHT_MODE = 0x08, 0x14, 0x1E, 0x21
_TX_POWERS_MW = (0, 10, 25, 100, 500, 1000, 2000, 250, 50)
_LINK = struct.Struct(">BBBbBBBBBb")
_BATTERY = struct.Struct(">HH3sB")
_ATTITUDE = struct.Struct(">hhh")


@dataclass(frozen=True, slots=True)
class LinkStatistics:
    """Type 0x14. The RF mode's numbers differ between makers, so it stays a number."""

    uplink_rssi_1_dbm: int
    uplink_rssi_2_dbm: int
    uplink_lq_percent: int
    uplink_snr_db: int
    antenna: int
    rf_mode: int
    tx_power_mw: int | None  # None: a code that we do not know
    downlink_rssi_dbm: int
    downlink_lq_percent: int
    downlink_snr_db: int

    @property
    def rssi_dbm(self) -> int:
        """RSSI of the better antenna; a receiver with one antenna reports 0 for the other."""
        reported = [rssi for rssi in (self.uplink_rssi_1_dbm, self.uplink_rssi_2_dbm) if rssi]
        return max(reported, default=0)


@dataclass(frozen=True, slots=True)
class Battery:
    """Type 0x08."""

    voltage_v: float
    current_a: float
    used_mah: int
    remaining_percent: int


@dataclass(frozen=True, slots=True)
class Attitude:
    """Type 0x1E."""

    pitch_rad: float
    roll_rad: float
    yaw_rad: float


@dataclass(frozen=True, slots=True)
class FlightMode:
    """Type 0x21."""

    text: str


Telemetry = LinkStatistics | Battery | Attitude | FlightMode
KINDS: dict[type[Telemetry], str] = {
    LinkStatistics: "link_statistics",
    Battery: "battery",
    Attitude: "attitude",
    FlightMode: "flight_mode",
}


def telemetry(frame: CrsfFrame) -> Telemetry | None:
    """Decode a frame's content; None for other types and for payloads that are too short."""
    payload = frame.payload
    if frame.type == LINK_STATISTICS and len(payload) >= _LINK.size:
        return _link_statistics(payload)
    if frame.type == BATTERY and len(payload) >= _BATTERY.size:
        volts, amps, used, percent = _BATTERY.unpack_from(payload)
        return Battery(volts / 10, amps / 10, int.from_bytes(used, "big"), percent)
    if frame.type == ATTITUDE and len(payload) >= _ATTITUDE.size:
        pitch, roll, yaw = _ATTITUDE.unpack_from(payload)
        return Attitude(pitch / 10_000, roll / 10_000, yaw / 10_000)
    if frame.type == FLIGHT_MODE and payload:
        return FlightMode(payload.partition(b"\0")[0].decode(errors="replace"))
    return None


def _link_statistics(payload: bytes) -> LinkStatistics:
    up_1, up_2, up_lq, up_snr, antenna, mode, power, down, down_lq, down_snr = _LINK.unpack_from(
        payload
    )
    milliwatts = _TX_POWERS_MW[power] if power < len(_TX_POWERS_MW) else None
    return LinkStatistics(
        -up_1, -up_2, up_lq, up_snr, antenna, mode, milliwatts, -down, down_lq, down_snr
    )
