"""IBUS (FlySky): 32 bytes with a 16-bit sum; the older IA6 sends 31 bytes with another sum.

Telemetry polls and answers share the wire (first byte 4 or 6): they are recognised and passed
over; polls are held for ibus_telemetry.py, which answers. Only the low 12 bits of a word are the
channel: newer receivers hide four more channels in the high bits, which older ones use otherwise,
so a setting says whether they are channels.
There is no failsafe flag: a lost signal looks like silence, held or preset values.
"""

import struct
from collections import deque
from typing import Literal

from .frames import Frame, RcFrame, Scale
from .stream import StreamParser

GAP_US = 2_000
FRAME_LENGTH = 0x20
POLL_LENGTH = 0x04
TELEMETRY_LENGTHS = (POLL_LENGTH, 0x06)
MOST_POLLS = 4  # kept; the receiver no longer waits for the answer to an older one
IA6_SYNC, IA6_LENGTH = 0x55, 31
MICROSECONDS = Scale.linear(4096, 1.0, 0.0)
_CHANNELS = struct.Struct("<14H")
_WORD = struct.Struct("<H")
_LENGTHS = {FRAME_LENGTH: FRAME_LENGTH, 4: 4, 6: 6, IA6_SYNC: IA6_LENGTH}

Variant = Literal["auto", "ia6b", "ia6"]


class IbusParser(StreamParser):
    """Finds frames of channels; after an error the search goes on one byte further.

    "auto" accepts the older form until a frame of the newer one was received.
    """

    gap_us = GAP_US

    def __init__(self, variant: Variant = "auto", has_18_channels: bool = False) -> None:
        super().__init__()
        self._variant = variant
        self._has_18_channels = has_18_channels
        self._may_be_ia6 = variant != "ia6b"
        self._polls: deque[int] = deque(maxlen=MOST_POLLS)

    def take_polls(self) -> list[int]:
        """Return the second bytes of the polls since the last call."""
        found = list(self._polls)
        self._polls.clear()
        return found

    def reset(self) -> None:
        super().reset()
        self._polls.clear()
        self._may_be_ia6 = self._variant != "ia6b"

    def _scan(self, data: bytes, found: list[Frame], final: bool) -> bytes:
        start, size = 0, len(data)
        while start < size:
            length = self._length(data[start])
            if not length:
                self._skip(broken=False)
            elif start + length > size:
                if not final:
                    break
                self._skip(broken=False)
            elif _sum_is_right(data, start, length):
                if length in TELEMETRY_LENGTHS:
                    self.passed_bytes += length
                    if length == POLL_LENGTH:
                        self._polls.append(data[start + 1])
                else:
                    found.append(self._frame(data, start))
                self._in_step, self._until_due = True, 0
                start += length
                continue
            else:
                self._skip(broken=length not in TELEMETRY_LENGTHS, claimed=length)
            start += 1
        return data[start:]

    def _length(self, first: int) -> int:
        """Return the length of a frame by its first byte; 0 where none begins."""
        if first == IA6_SYNC and not self._may_be_ia6:
            return 0
        if first == FRAME_LENGTH and self._variant == "ia6":
            return 0
        return _LENGTHS.get(first, 0)

    def _frame(self, data: bytes, start: int) -> RcFrame:
        self.frames += 1
        is_ia6 = data[start] == IA6_SYNC
        self._may_be_ia6 = is_ia6
        words = _CHANNELS.unpack_from(data, start + (1 if is_ia6 else 2))
        raw = tuple([word & 0x0FFF for word in words])
        if self._has_18_channels and not is_ia6:
            raw += _hidden(words)
        return RcFrame(self._last_us, raw, MICROSECONDS)


def _hidden(words: tuple[int, ...]) -> tuple[int, ...]:
    """Decode channels 15 to 18: the high nibbles of three words each, the lowest first."""
    high = [word >> 12 for word in words]
    return tuple(high[i] | high[i + 1] << 4 | high[i + 2] << 8 for i in (0, 3, 6, 9))


def _sum_is_right(data: bytes, start: int, length: int) -> bool:
    end = start + length - 2
    expected: int = _WORD.unpack_from(data, end)[0]
    if data[start] == IA6_SYNC:
        words: tuple[int, ...] = _CHANNELS.unpack_from(data, start + 1)
        return any(words) and sum(words) & 0xFFFF == expected  # zeros sum to zero
    return 0xFFFF - sum(data[start:end]) == expected
