"""IBUS (FlySky): 32 bytes with a 16-bit sum; the older IA6 sends 31 bytes with another sum.

Telemetry polls and answers share the wire (first byte 4 or 6): they are recognised and passed
over. Only the low 12 bits of a word are the channel: newer receivers hide four more channels in
the high bits. There is no failsafe flag: a lost signal looks like silence, held or preset values.
"""

import struct

from .frames import Frame, RcFrame, Scale

GAP_US = 2_000
FRAME_LENGTH = 0x20
TELEMETRY_LENGTHS = (0x04, 0x06)
IA6_SYNC, IA6_LENGTH = 0x55, 31
MICROSECONDS = Scale.linear(4096, 1.0, 0.0)
_CHANNELS = struct.Struct("<14H")
_WORD = struct.Struct("<H")
_LENGTHS = {FRAME_LENGTH: FRAME_LENGTH, 4: 4, 6: 6, IA6_SYNC: IA6_LENGTH}


class IbusParser:
    """Finds frames in a byte stream; after an error it searches on one byte further."""

    gap_us = GAP_US

    def __init__(self) -> None:
        self.frames = 0
        self.rejected = 0
        self.discarded_bytes = 0
        self._held = b""
        self._last_us = 0
        self._in_step = True
        self._may_be_ia6 = True  # until a receiver of the newer kind was heard

    @property
    def is_waiting(self) -> bool:
        return bool(self._held)

    def feed(self, data: bytes, now_us: int) -> list[Frame]:
        found: list[Frame] = []
        if self._held and not 0 <= now_us - self._last_us < GAP_US:
            found = self.flush()
        elif not self._held and now_us - self._last_us >= GAP_US:
            self._in_step = True
        self._last_us = now_us
        self._scan(self._held + data if self._held else data, found, final=False)
        return found

    def flush(self) -> list[Frame]:
        found: list[Frame] = []
        self._scan(self._held, found, final=True)
        self._in_step = True
        return found

    def reset(self) -> None:
        self.discarded_bytes += len(self._held)
        self._held = b""
        self._in_step = self._may_be_ia6 = True

    def _scan(self, data: bytes, found: list[Frame], final: bool) -> None:
        start, size = 0, len(data)
        while start < size:
            first = data[start]
            length = _LENGTHS.get(first, 0)
            if not length or (first == IA6_SYNC and not self._ia6_is_due()):
                self._skip(broken=False)
            elif start + length > size:
                if not final:
                    break
                self._skip(broken=False)
            elif _sum_is_right(data, start, length):
                if first not in TELEMETRY_LENGTHS:
                    found.append(self._frame(data, start))
                self._in_step = True
                start += length
                continue
            else:
                self._skip(broken=first not in TELEMETRY_LENGTHS)
            start += 1
        self._held = data[start:]

    def _ia6_is_due(self) -> bool:
        # Its sum is weak (zeros sum to zero), so the place must be right as well.
        return self._may_be_ia6 and self._in_step

    def _skip(self, broken: bool) -> None:
        self.discarded_bytes += 1
        self.rejected += broken and self._in_step
        self._in_step = False

    def _frame(self, data: bytes, start: int) -> RcFrame:
        self.frames += 1
        if data[start] == FRAME_LENGTH:
            self._may_be_ia6 = False
            start += 2
        else:
            start += 1
        raw = tuple([word & 0x0FFF for word in _CHANNELS.unpack_from(data, start)])
        return RcFrame(self._last_us, raw, MICROSECONDS)


def _sum_is_right(data: bytes, start: int, length: int) -> bool:
    end = start + length - 2
    expected: int = _WORD.unpack_from(data, end)[0]
    if data[start] == IA6_SYNC:
        words: tuple[int, ...] = _CHANNELS.unpack_from(data, start + 1)
        return sum(words) & 0xFFFF == expected
    return 0xFFFF - sum(data[start:end]) == expected
