"""Declares the wagon's own CAN frames, 0x300 to 0x401: 11-bit identifiers, little-endian.

Source: the reference of SAUL-TEE, section 5, which states no byte order. Not here: the VESCs on the
same bus (lib/hw/vesc).
"""

from dataclasses import dataclass
from typing import Annotated, Any, Final

from ..binary_layout import F16, I8, U8, U16, BinaryLayout, FieldForm, Flag, LayoutError
from ..hw.can.frame import CanFrame
from ..hw.can.port import CanFilter

FULL_SPEED: Final = 1000
ESTOP_MAGIC: Final = b"\xe5"

Share = Annotated[int, FieldForm("h", least=-FULL_SPEED, most=FULL_SPEED)]


@dataclass(frozen=True, slots=True)
class WagonDrive:
    """Speed and steering in thousandths of the full range; also the computer's heartbeat."""

    speed: Share
    steer: Share
    mode: U8
    flags: U8


@dataclass(frozen=True, slots=True)
class WagonArm:
    """Arms or disarms the motors."""

    arm: Flag


@dataclass(frozen=True, slots=True)
class WagonGains:
    """Gains of the balance controller."""

    kp: F16
    ki: F16
    kd: F16


@dataclass(frozen=True, slots=True)
class WagonEstop:
    """Switches all motors off and disarms; a magic byte stands for all content."""


@dataclass(frozen=True, slots=True)
class WagonAttitude:
    """Attitude and state of the drive, as the board reports them."""

    pitch: F16
    speed: F16
    yaw_rate: F16
    state: U8
    flags: U8


@dataclass(frozen=True, slots=True)
class WagonPower:
    """Battery voltage in mV, fault code, and signal strength of the RC receiver in dBm."""

    battery_mv: U16
    fault_code: U8
    rssi: I8


@dataclass(frozen=True, slots=True)
class WagonFrame:
    """One row: the identifier, the name, the bytes, and whether the balance board sends it."""

    id: int
    name: str
    layout: BinaryLayout[Any]
    is_telemetry: bool = False


TABLE: Final = (
    WagonFrame(0x300, "DRIVE", BinaryLayout(WagonDrive, "<", reserved=2)),
    WagonFrame(0x301, "ARM", BinaryLayout(WagonArm, "<")),
    WagonFrame(0x302, "GAINS", BinaryLayout(WagonGains, "<", reserved=2)),
    WagonFrame(0x303, "ESTOP", BinaryLayout(WagonEstop, "<", constant=ESTOP_MAGIC)),
    WagonFrame(0x400, "ATTITUDE", BinaryLayout(WagonAttitude, "<"), is_telemetry=True),
    WagonFrame(0x401, "POWER", BinaryLayout(WagonPower, "<"), is_telemetry=True),
)
BY_ID: Final = {row.id: row for row in TABLE}
# Of the board's reports on a bus that motor controllers fill.
REPORT_FILTERS: Final = tuple(CanFilter(row.id, 0x7FF, False) for row in TABLE if row.is_telemetry)
BY_NAME: Final = {row.name: row for row in TABLE}
_BY_KIND: Final = {row.layout.kind: row for row in TABLE}


def row_of(message: object) -> WagonFrame:
    """Return the row of a message. Raises KeyError for what is none."""
    return _BY_KIND[type(message)]


def decode(frame: CanFrame) -> Any:
    """Return the message of a frame. Raises LayoutError."""
    row = None if frame.is_extended else BY_ID.get(frame.id)
    if row is None:
        raise LayoutError(f"no frame of the wagon has the identifier 0x{frame.id:x}")
    try:
        return row.layout.decode(frame.data)
    except LayoutError as err:
        raise LayoutError(f"{row.name}: {err}") from None


def encode(message: object) -> CanFrame:
    """Return the frame of a message. Raises LayoutError for a value that cannot be carried."""
    row = row_of(message)
    return CanFrame(row.id, row.layout.encode(message))
