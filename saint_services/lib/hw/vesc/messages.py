"""Declares the messages of VESC motor controllers on CAN: 29-bit identifiers
(command << 8 | id), big-endian.

Source: bldc, documentation/comm_can.md and comm/comm_can.c. Its sender cuts scaled numbers toward
zero, this one rounds them, so that a decoded message is encoded to the same bytes. Not here: the
6-byte SET_CURRENT, which sender and receiver of the firmware read differently; buffers of several
frames.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Final

from ...binary_layout import I32, U8, BinaryLayout, FieldForm, LayoutError
from ..can.frame import CanFrame

ALL: Final = 255  # the id that addresses every VESC
_MOST_ID: Final = 255

_Thousandths = Annotated[float, FieldForm("i", scale=1_000)]
_Share = Annotated[float, FieldForm("i", scale=100_000)]
_Charge = Annotated[float, FieldForm("i", scale=10_000)]
_Tenths = Annotated[float, FieldForm("h", scale=10)]
_Volts = Annotated[float, FieldForm("h", scale=1_000)]


@dataclass(frozen=True, slots=True)
class SetDuty:
    """Duty cycle, -1 to 1."""

    value: _Share


@dataclass(frozen=True, slots=True)
class SetCurrent:
    """Motor current in A."""

    value: _Thousandths


@dataclass(frozen=True, slots=True)
class SetCurrentBrake:
    """Braking current in A."""

    value: _Thousandths


@dataclass(frozen=True, slots=True)
class SetRpm:
    """Electrical revolutions per minute: those of the motor times its pole pairs."""

    value: I32


@dataclass(frozen=True, slots=True)
class SetPos:
    """Position in degrees."""

    value: Annotated[float, FieldForm("i", scale=1_000_000)]


@dataclass(frozen=True, slots=True)
class SetCurrentRel:
    """Motor current as a share of its limit, -1 to 1."""

    value: _Share


@dataclass(frozen=True, slots=True)
class SetCurrentBrakeRel:
    """Braking current as a share of its limit, 0 to 1."""

    value: _Share


@dataclass(frozen=True, slots=True)
class SetCurrentHandbrake:
    """Holding current in A."""

    value: _Thousandths


@dataclass(frozen=True, slots=True)
class SetCurrentHandbrakeRel:
    """Holding current as a share of its limit, 0 to 1."""

    value: _Share


@dataclass(frozen=True, slots=True)
class Status1:
    """Speed, motor current and duty cycle."""

    erpm: I32
    current_a: _Tenths
    duty: Annotated[float, FieldForm("h", scale=1_000)]


@dataclass(frozen=True, slots=True)
class Status2:
    """Charge that was used and that was regenerated, in Ah."""

    amp_hours: _Charge
    amp_hours_charged: _Charge


@dataclass(frozen=True, slots=True)
class Status3:
    """Energy that was used and that was regenerated, in Wh."""

    watt_hours: _Charge
    watt_hours_charged: _Charge


@dataclass(frozen=True, slots=True)
class Status4:
    """Temperatures, input current and position. The input voltage is in Status5."""

    temp_fet_c: _Tenths
    temp_motor_c: _Tenths
    current_in_a: _Tenths
    pid_pos_deg: Annotated[float, FieldForm("h", scale=50)]


@dataclass(frozen=True, slots=True)
class Status5:
    """Tachometer, six counts for an electrical revolution, and input voltage."""

    tachometer_raw: I32
    v_in_v: _Tenths


@dataclass(frozen=True, slots=True)
class Status6:
    """Voltages of the analog inputs, and the PPM input from -1 to 1."""

    adc1_v: _Volts
    adc2_v: _Volts
    adc3_v: _Volts
    ppm: _Volts


@dataclass(frozen=True, slots=True)
class Ping:
    """Requests a Pong; addressed to a VESC."""

    sender_id: U8


@dataclass(frozen=True, slots=True)
class Pong:
    """Reply to a Ping; addressed to its sender. A type of hardware follows."""

    vesc_id: U8


@dataclass(frozen=True, slots=True)
class VescMessage:
    """A message and the id in its identifier: the VESC that it commands or that reports, or the
    receiver of a Pong.
    """

    id: int
    content: Any


@dataclass(frozen=True, slots=True)
class VescCommand:
    """One row: the command's number, its name and its bytes."""

    number: int
    name: str
    layout: BinaryLayout[Any]


TABLE: Final = (
    VescCommand(0, "SET_DUTY", BinaryLayout(SetDuty, ">")),
    VescCommand(1, "SET_CURRENT", BinaryLayout(SetCurrent, ">")),
    VescCommand(2, "SET_CURRENT_BRAKE", BinaryLayout(SetCurrentBrake, ">")),
    VescCommand(3, "SET_RPM", BinaryLayout(SetRpm, ">")),
    VescCommand(4, "SET_POS", BinaryLayout(SetPos, ">")),
    VescCommand(9, "STATUS_1", BinaryLayout(Status1, ">")),
    VescCommand(10, "SET_CURRENT_REL", BinaryLayout(SetCurrentRel, ">")),
    VescCommand(11, "SET_CURRENT_BRAKE_REL", BinaryLayout(SetCurrentBrakeRel, ">")),
    VescCommand(12, "SET_CURRENT_HANDBRAKE", BinaryLayout(SetCurrentHandbrake, ">")),
    VescCommand(13, "SET_CURRENT_HANDBRAKE_REL", BinaryLayout(SetCurrentHandbrakeRel, ">")),
    VescCommand(14, "STATUS_2", BinaryLayout(Status2, ">")),
    VescCommand(15, "STATUS_3", BinaryLayout(Status3, ">")),
    VescCommand(16, "STATUS_4", BinaryLayout(Status4, ">")),
    VescCommand(17, "PING", BinaryLayout(Ping, ">")),
    VescCommand(18, "PONG", BinaryLayout(Pong, ">", reserved=1, optional=1)),
    VescCommand(27, "STATUS_5", BinaryLayout(Status5, ">", reserved=2, optional=2)),
    VescCommand(58, "STATUS_6", BinaryLayout(Status6, ">")),
)
BY_NUMBER: Final = {row.number: row for row in TABLE}
BY_NAME: Final = {row.name: row for row in TABLE}
_BY_KIND: Final = {row.layout.kind: row for row in TABLE}


def row_of(content: object) -> VescCommand:
    """Return the row of a message's content. Raises KeyError for what is none."""
    return _BY_KIND[type(content)]


def decode(frame: CanFrame) -> VescMessage:
    """Return the message of a frame. Raises LayoutError."""
    if not frame.is_extended:
        raise LayoutError("a VESC uses 29-bit identifiers, and this one has 11 bits")
    row = BY_NUMBER.get(frame.id >> 8)
    if row is None:
        raise LayoutError(f"command {frame.id >> 8} of a VESC is not known")
    try:
        return VescMessage(frame.id & 0xFF, row.layout.decode(frame.data))
    except LayoutError as err:
        raise LayoutError(f"{row.name}: {err}") from None


def encode(message: VescMessage) -> CanFrame:
    """Return the frame of a message. Raises LayoutError for a value that cannot be carried."""
    if not 0 <= message.id <= _MOST_ID:
        raise LayoutError(f"the id of a VESC is 0 to {_MOST_ID}")
    row = row_of(message.content)
    return CanFrame(row.number << 8 | message.id, row.layout.encode(message.content), True)
