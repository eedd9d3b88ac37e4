"""MAVLink 1 and 2 of an RC link (ExpressLRS, mLRS, a telemetry radio) on a serial line.

RC_CHANNELS_OVERRIDE (70) and RADIO_RC_CHANNELS (420) become channels; everything else is passed
over. The first participant that sends channels is the receiver, until it is silent for a second:
two senders never mix. Its authority is that of any RC receiver; nothing else of MAVLink (arming,
modes, commands, parameters) is read, and nothing is answered. There is no network port for it.

Failsafe: the flag of 420; an override whose first channel is released (0) or left out (65535), or
with fewer channels than before; and silence. A message of unknown type has a check sum that cannot
be tested: it is passed over only where the next message begins right behind it. Signatures are not
verified.

Source: mavlink.io, serialization guide and message definitions.
"""

import struct

from .frames import Frame, RcFrame, Scale
from .ibus import MICROSECONDS
from .stream import StreamParser

GAP_US = 50_000  # telemetry radios send in pieces
ONE, TWO = 0xFE, 0xFD
SIGNED = 0x01  # the only flag of which every receiver must know the meaning
SIGNATURE_BYTES = 13
OVERRIDE, RADIO = 70, 420
# Message -> what its definition adds to the check sum.
CRC_EXTRAS = {
    0: 50, 1: 124, 2: 137, 4: 237, 22: 220, 24: 24, 30: 39, 33: 104, 35: 244, 65: 118,
    OVERRIDE: 124, 74: 20, 76: 152, 77: 143, 109: 185, 147: 154, 253: 83, RADIO: 20,
}  # fmt: skip
FAILSAFE_FLAG, OUTDATED_FLAG = 1, 2
LOWEST_US, HIGHEST_US = 700, 2300
RELEASE, LEFT_OUT = 0, 0xFFFF
SENDER_US = 1_000_000  # after such a silence another sender may be the receiver
# 13 bits around 0: -4096 is 860 us, 4096 is 2140 us. Counted from 0 here.
_MOST = 4096
RADIO_SCALE = Scale.linear(2 * _MOST + 1, 5 / 32, 1500 - _MOST * 5 / 32)
_LOW = struct.Struct("<8HBB")
_RADIO = struct.Struct("<IHBBB")


class MavlinkParser(StreamParser):
    """Finds messages by their check sum, and channels in two of them."""

    gap_us = GAP_US

    def __init__(self) -> None:
        super().__init__()
        self._sender: tuple[int, int] | None = None
        self._sent_us = 0
        self._count = 0  # channels that this sender has sent

    def reset(self) -> None:
        super().reset()
        self._sender = None

    def _scan(self, data: bytes, found: list[Frame], final: bool) -> bytes:
        start, size = 0, len(data)
        while start < size:
            end = _end(data, start)
            if end == start:
                self._skip(broken=False)
            elif end is None or end > size or (end == size and not final and _is_new(data, start)):
                if not final:
                    break
                self._skip(broken=False)
            elif _is_sound(data, start, end):
                self._consume(data, start, end, found)
                self._in_step, self._until_due = True, 0
                start = end
                continue
            else:
                self._skip(broken=True, claimed=end - start)
            start += 1
        return data[start:]

    def _consume(self, data: bytes, start: int, end: int, found: list[Frame]) -> None:
        frame = self._channels(data, start)
        if frame is None:
            self.passed_bytes += end - start
            return
        self.frames += 1
        found.append(frame)

    def _channels(self, data: bytes, start: int) -> RcFrame | None:
        sender, message, payload = _opened(data, start)
        if message not in (OVERRIDE, RADIO):
            return None
        if sender != self._sender:
            if self._sender is not None and self._last_us - self._sent_us < SENDER_US:
                return None
            self._sender, self._count = sender, 0
        self._sent_us = self._last_us
        decode = _override if message == OVERRIDE else _radio
        frame = decode(payload, self._last_us)
        # A channel that is missing now may be the one with the stop switch.
        frame.failsafe |= len(frame.raw) < self._count
        self._count = max(self._count, len(frame.raw))
        return frame


def _override(payload: bytes, now_us: int) -> RcFrame:
    values = _LOW.unpack(payload[: _LOW.size].ljust(_LOW.size, b"\0"))[:8]
    more = payload[_LOW.size :]
    values += struct.unpack(f"<{len(more) // 2}H", more[: len(more) // 2 * 2])
    count = next((i for i, us in enumerate(values) if not LOWEST_US <= us <= HIGHEST_US), 18)
    return RcFrame(now_us, values[:count], MICROSECONDS, failsafe=not count)


def _radio(payload: bytes, now_us: int) -> RcFrame:
    padded = payload.ljust(_RADIO.size + 64, b"\0")
    _, flags, _, _, count = _RADIO.unpack_from(padded)
    values = struct.unpack_from("<32h", padded, _RADIO.size)[: min(count, 18)]
    is_sound = bool(values) and all(-_MOST <= value <= _MOST for value in values)
    return RcFrame(
        now_us,
        tuple(value + _MOST for value in values) if is_sound else (),
        RADIO_SCALE,
        failsafe=bool(flags & FAILSAFE_FLAG) or not is_sound,
        frame_lost=bool(flags & OUTDATED_FLAG),
    )


def _opened(data: bytes, start: int) -> tuple[tuple[int, int], int, bytes]:
    """Return sender, message and payload of a whole message."""
    length = data[start + 1]
    if data[start] == ONE:
        return (data[start + 3], data[start + 4]), data[start + 5], data[start + 6 :][:length]
    message = int.from_bytes(data[start + 7 : start + 10], "little")
    return (data[start + 5], data[start + 6]), message, data[start + 10 :][:length]


def _end(data: bytes, start: int) -> int | None:
    """Return the end of the message that may begin here; `start` without one; None: wait."""
    if data[start] not in (ONE, TWO):
        return start
    if len(data) - start < 3:
        return None
    if data[start] == ONE:
        return start + 8 + data[start + 1]
    if data[start + 2] & ~SIGNED:
        return start  # in a form that nobody has defined yet
    signature = SIGNATURE_BYTES if data[start + 2] & SIGNED else 0
    return start + 12 + data[start + 1] + signature


def _is_new(data: bytes, start: int) -> bool:
    """Return True for a whole message of unknown type."""
    return _opened(data, start)[1] not in CRC_EXTRAS


def _is_sound(data: bytes, start: int, end: int) -> bool:
    message = _opened(data, start)[1]
    if message not in CRC_EXTRAS:
        return end == len(data) or data[end] in (ONE, TWO)
    tail = end - (SIGNATURE_BYTES if data[start] == TWO and data[start + 2] & SIGNED else 0)
    content = data[start + 1 : tail - 2] + bytes((CRC_EXTRAS[message],))
    return crc16(content) == int.from_bytes(data[tail - 2 : tail], "little")


def _crc_table() -> tuple[int, ...]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x8408 if value & 1 else 0)
        table.append(value)
    return tuple(table)


_CRC = _crc_table()


def crc16(data: bytes) -> int:
    """Compute CRC-16/MCRF4XX, which MAVLink calls X.25."""
    crc = 0xFFFF
    for byte in data:
        crc = crc >> 8 ^ _CRC[(crc ^ byte) & 0xFF]
    return crc
