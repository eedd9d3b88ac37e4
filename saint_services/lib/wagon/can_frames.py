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
NO_SIGNAL_DBM: Final = -128

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
class WagonReceivers:
    """Signal strength of both RC receivers in dBm, NO_SIGNAL_DBM where none arrives, and the link
    quality of the one in use in percent.
    """

    first_dbm: I8
    second_dbm: I8
    quality: U8


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
# Own, as the document has one strength for two receivers. `saintctl can` prints it as unknown: its
# lines are those of the document.
OWN: Final = (WagonFrame(0x402, "RECEIVERS", BinaryLayout(WagonReceivers, "<"), True),)
BY_ID: Final = {row.id: row for row in TABLE}
_ALL: Final = {row.id: row for row in (*TABLE, *OWN)}
_REPORTS: Final = frozenset(number for number, row in _ALL.items() if row.is_telemetry)
# Of the board's reports on a bus that motor controllers fill.
REPORT_FILTERS: Final = tuple(CanFilter(number, 0x7FF, False) for number in sorted(_REPORTS))
BY_NAME: Final = {row.name: row for row in TABLE}
_BY_KIND: Final = {row.layout.kind: row for row in _ALL.values()}


def row_of(message: object) -> WagonFrame:
    """Return the row of a message. Raises KeyError for what is none."""
    return _BY_KIND[type(message)]


def is_report(frame: CanFrame) -> bool:
    """Return whether a frame has the identifier of a report of the board."""
    return not frame.is_extended and frame.id in _REPORTS


def decode(frame: CanFrame) -> Any:
    """Return the message of a frame. Raises LayoutError."""
    row = None if frame.is_extended else _ALL.get(frame.id)
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
