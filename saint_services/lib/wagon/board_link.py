"""Declares the messages on the serial link between the wagon's two boards, and finds them in its
bytes: 0xAA, length, type, payload, CRC-8 over all but the first byte; little-endian. Pure.

Source: the reference of SAUL-TEE, section 4, whose types are a draft. After a broken frame the
search goes on one byte further, also at the end of the input.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Final

from ..binary_layout import F32, U8, U32, BinaryLayout, FieldForm, LayoutError

BAUD: Final = 460_800
START: Final = 0xAA
OVERHEAD: Final = 4  # start, length, type, check sum
MOST_PAYLOAD: Final = 255
HEARTBEAT_LIMIT_MS: Final = 200  # without one for longer the IO board switches its motors off
RC_CHANNELS: Final = 16
UID_LENGTHS: Final = (4, 7)  # of ISO 14443 tags


@dataclass(frozen=True, slots=True)
class BoardRcChannels:
    """IO to BALANCE: pulses in microseconds, and flags of the receiver."""

    us: Annotated[tuple[int, ...], FieldForm("H", count=RC_CHANNELS)]
    flags: U8


@dataclass(frozen=True, slots=True)
class BoardSensor:
    """IO to BALANCE: one measurement."""

    sensor_id: U8
    value: F32


@dataclass(frozen=True, slots=True)
class BoardNfc:
    """IO to BALANCE: a tag was seen; the first `length` bytes of `uid` are its number."""

    uid: Annotated[bytes, FieldForm("s", count=7)]
    length: Annotated[int, FieldForm("B", among=UID_LENGTHS)]


@dataclass(frozen=True, slots=True)
class BoardActuators:
    """BALANCE to IO: lights, horn, headlight, fan, buzzer."""

    leds: U8
    horn: U8
    light: U8
    fan: U8
    buzzer: U8


@dataclass(frozen=True, slots=True)
class BoardStatus:
    """BALANCE to IO: state of the drive, for the lights."""

    state: U8
    pitch: F32
    speed: F32


@dataclass(frozen=True, slots=True)
class BoardHeartbeat:
    """Both ways: time since the start of the sender."""

    uptime_ms: U32


@dataclass(frozen=True, slots=True)
class BoardOther:
    """A frame of a type that is not in the table."""

    type: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class BoardFrame:
    """One row: type, name and bytes of a message."""

    type: int
    name: str
    layout: BinaryLayout[Any]


TABLE: Final = (
    BoardFrame(0x01, "rc_channels", BinaryLayout(BoardRcChannels, "<")),
    BoardFrame(0x02, "sensor", BinaryLayout(BoardSensor, "<")),
    BoardFrame(0x03, "nfc", BinaryLayout(BoardNfc, "<")),
    BoardFrame(0x10, "actuators", BinaryLayout(BoardActuators, "<")),
    BoardFrame(0x11, "status", BinaryLayout(BoardStatus, "<")),
    BoardFrame(0xFF, "heartbeat", BinaryLayout(BoardHeartbeat, "<")),
)
BY_TYPE: Final = {row.type: row for row in TABLE}
_BY_KIND: Final = {row.layout.kind: row for row in TABLE}


def row_of(message: object) -> BoardFrame:
    """Return the row of a message. Raises KeyError for what is none."""
    return _BY_KIND[type(message)]


def _crc_table() -> bytes:
    table = bytearray()
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x8C if value & 1 else 0)  # 0x31, reflected
        table.append(value)
    return bytes(table)


_CRC: Final = _crc_table()


def crc8(data: bytes) -> int:
    """Compute CRC-8/MAXIM."""
    table, crc = _CRC, 0
    for byte in data:
        crc = table[crc ^ byte]
    return crc


def encode(message: object) -> bytes:
    """Return the frame of a message. Raises LayoutError for a value that cannot be carried."""
    if isinstance(message, BoardOther):
        return _framed(message.type, message.payload)
    row = row_of(message)
    return _framed(row.type, row.layout.encode(message))


def _framed(kind: int, payload: bytes) -> bytes:
    if len(payload) > MOST_PAYLOAD:
        raise LayoutError(f"the payload has {len(payload)} bytes; a frame has at most 255")
    body = bytes((len(payload), kind)) + payload
    return bytes((START,)) + body + bytes((crc8(body),))


def decode(kind: int, payload: bytes) -> Any:
    """Return the message of a frame whose check sum is right. Raises LayoutError."""
    row = BY_TYPE.get(kind)
    return BoardOther(kind, payload) if row is None else row.layout.decode(payload)


class BoardLinkParser:
    """Finds frames in a byte stream, however it is cut into reads; holds less than one frame.

    `rejected` counts broken frames, but not what looks like one within another. `discarded_bytes`
    counts all bytes of no frame.
    """

    def __init__(self) -> None:
        self.frames = 0
        self.rejected = 0
        self.discarded_bytes = 0
        self._held = b""
        self._within = 0  # bytes to where the last broken frame would have ended

    def feed(self, data: bytes) -> list[Any]:
        """Return the messages that are complete now."""
        return self._scan(data, is_final=False)

    def flush(self) -> list[Any]:
        """Decide about held bytes at the end, or after a pause, and discard the rest."""
        found = self._scan(b"", is_final=True)
        self._within = 0
        return found

    def _scan(self, data: bytes, *, is_final: bool) -> list[Any]:
        data, found, at = self._held + data, [], 0
        while at < len(data):
            size = data[at + 1] + OVERHEAD if at + 1 < len(data) else OVERHEAD
            if data[at] == START and at + size > len(data):
                if not is_final:
                    break
                self._skip(0)
            elif data[at] != START:
                self._skip(0)
            elif (message := _message(data, at, size)) is not None:
                found.append(message)
                self.frames += 1
                self._within = 0
                at += size
                continue
            else:
                self._skip(size)
            at += 1
        self._held = data[at:]
        return found

    def _skip(self, claimed: int) -> None:
        """Discard one byte; `claimed`: length of the broken frame that begins with it."""
        self.discarded_bytes += 1
        if claimed and not self._within:
            self.rejected += 1
            self._within = claimed
        self._within = max(0, self._within - 1)


def _message(data: bytes, at: int, size: int) -> Any | None:
    """Return the message of a complete frame; None for a broken one."""
    body = data[at + 1 : at + size - 1]
    if crc8(body) != data[at + size - 1]:
        return None
    try:
        return decode(body[1], body[2:])
    except LayoutError:
        return None
