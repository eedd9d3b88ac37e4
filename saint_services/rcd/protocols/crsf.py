"""CRSF (Crossfire, ExpressLRS): address, length, type, payload, CRC-8.

Rules from bugs of other parsers: the length is checked before anything waits for
bytes; after an error the search goes on one byte further, never past the claimed length; after a
pause what is held is searched once more before it is dropped, because a good frame may stand
behind a false start that claims to be long.

Source: TBS CRSF specification, and peers' bug reports named in ARCHITECTURE.md.
"""

from .frames import ELEVEN_BIT, CrsfFrame, Frame, RcFrame, Scale
from .stream import StreamParser

GAP_US = 5_000  # the longest frame lasts 1.4 ms; beyond this a started frame will not be completed
MIN_LENGTH, MAX_LENGTH = 2, 62
CHANNELS, SUBSET = 0x16, 0x17
CHANNELS_BYTES = 22
BROADCAST = 0x00
# Flight controller (and general sync), radio, receiver, transmitter module, broadcast.
ADDRESSES = frozenset((0xC8, 0xEA, 0xEC, 0xEE, BROADCAST))
MAX_CHANNELS = 16
# Subset frames: resolution bits -> bits per channel and us = raw * 2^-n + 988.
SUBSET_SCALES = tuple((10 + n, Scale.linear(1 << (10 + n), 0.5**n, 988.0)) for n in range(4))
# Lengths by type, and types of any length: distinguish a frame to the broadcast address from zeros
# in damaged data.
LENGTHS = {CHANNELS: 24, 0x02: 17, 0x07: 4, 0x08: 10, 0x14: 12, 0x1E: 8, 0x28: 4}
OTHER_TYPES = frozenset((SUBSET, 0x21, 0x29, 0x2A, 0x2B, 0x2C, 0x2D, 0x2E, 0x32, 0x3A))
_SHIFTS = tuple(range(0, 11 * MAX_CHANNELS, 11))


def _crc_table(polynomial: int) -> bytes:
    table = bytearray()
    for value in range(256):
        for _ in range(8):
            value = (value << 1 ^ polynomial if value & 0x80 else value << 1) & 0xFF
        table.append(value)
    return bytes(table)


_CRC = _crc_table(0xD5)


def crc8(data: bytes) -> int:
    """Compute CRC-8/DVB-S2 over type and payload."""
    table, crc = _CRC, 0
    for byte in data:
        crc = table[crc ^ byte]
    return crc


class CrsfParser(StreamParser):
    """Finds frames of channels, and all others."""

    gap_us = GAP_US

    def _scan(self, data: bytes, found: list[Frame], final: bool) -> bytes:
        start, size = 0, len(data)
        while size - start >= 2:
            length = data[start + 1]
            end = start + 2 + length
            if not self._may_start(data, start):
                self._skip(data[start] in ADDRESSES)
            elif end > size:
                if not final:
                    break
                self._skip(broken=False)
            elif crc8(data[start + 2 : end - 1]) == data[end - 1]:
                found.append(self._frame(data, start, end))
                self._in_step, self._until_due = True, 0
                start = end
                continue
            else:
                self._skip(broken=True, claimed=end - start)
            start += 1
        if size - start == 1 and (final or data[start] not in ADDRESSES):
            self._skip(broken=False)
            start = size
        return data[start:]

    def _may_start(self, data: bytes, start: int) -> bool:
        address, length = data[start], data[start + 1]
        if address not in ADDRESSES or not MIN_LENGTH <= length <= MAX_LENGTH:
            return False
        if address != BROADCAST or self._in_step:
            return True
        # Zeros are everywhere in damaged payloads, and a CRC-8 alone lets 1 in 256 pass.
        if start + 2 == len(data):
            return True
        kind = data[start + 2]
        return LENGTHS.get(kind, length if kind in OTHER_TYPES else 0) == length

    def _frame(self, data: bytes, start: int, end: int) -> Frame:
        self.frames += 1
        address, kind = data[start], data[start + 2]
        payload = data[start + 3 : end - 1]
        if kind == CHANNELS and len(payload) >= CHANNELS_BYTES:
            bits = int.from_bytes(payload[:CHANNELS_BYTES], "little")
            raw = tuple([bits >> shift & 0x7FF for shift in _SHIFTS])
            return RcFrame(self._last_us, raw, ELEVEN_BIT, address=address, type=kind)
        if kind == SUBSET:
            subset = _subset(payload)
            if subset is not None:
                first, raw, scale = subset
                return RcFrame(
                    self._last_us, raw, scale, first_channel=first, address=address, type=kind
                )
        return CrsfFrame(self._last_us, address, kind, payload)


def _subset(payload: bytes) -> tuple[int, tuple[int, ...], Scale] | None:
    """Return first channel, values and scale; None without a channel that we support."""
    if len(payload) < 2:
        return None
    first = payload[0] & 0x1F
    width, scale = SUBSET_SCALES[payload[0] >> 5 & 3]
    count = min((len(payload) - 1) * 8 // width, MAX_CHANNELS - first)
    if count <= 0:
        return None
    bits, mask = int.from_bytes(payload[1:], "little"), (1 << width) - 1
    return first, tuple(bits >> i * width & mask for i in range(count)), scale
