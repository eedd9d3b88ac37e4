"""DSM2 and DSMX (Spektrum satellites): 16 bytes without a check sum, so pauses delimit frames.

Two bytes of header (fades, and a mode that satellites fill differently), then seven words of
channel number and position: 4 + 11 bits, on older transmitters 5 + 10. A transmitter with more than
seven channels sends two kinds of frames in turn. Which form it is follows from the numbers: in the
wrong one they repeat, or are too high.

As nothing checks the content, a frame counts only when its numbers, in their order, are those of a
kind of frame that was seen before, and channels are handed out only while each one that was ever
seen came within the last two frames. There is no failsafe flag: a satellite without a link is
silent.

Channels keep the transmitter's numbers: CH 1 throttle, CH 2 aileron, CH 3 elevator, CH 4 rudder.
Source: Spektrum, "Specification for Spektrum Remote Receiver Interfacing".
"""

from collections import deque

from .frames import Frame, RcFrame, Scale
from .stream import StreamParser

GAP_US = 4_000  # frames are 11 or 22 ms apart, the bytes of one 0.09 ms
FORGET_US = 1_000_000  # after such a silence it may be another transmitter
LENGTH, HEADER = 16, 2
MAX_CHANNELS = {11: 12, 10: 9}  # higher numbers of 11 bits are a video transmitter's, or X-Plus
OTHER = -1
LOOK_BACK = 8  # frames
SEEN = 3  # of these have the same numbers, before they count
# 100 % of travel is 1100 to 1900 us.
SCALES = {
    11: Scale.linear(2048, 400 / 682, 1500 - 1024 * 400 / 682),
    10: Scale.linear(1024, 400 / 341, 1500 - 512 * 400 / 341),
}

Kind = tuple[int, ...]  # the channel numbers of a frame, in their order; empty: no such form


class DsmParser(StreamParser):
    """Cuts bursts into frames, and merges the kinds of frames of one transmitter."""

    gap_us = GAP_US
    forget_us = FORGET_US

    def _forget(self) -> None:
        self._bits = 0  # of a position; 0: not known yet
        self._seen: deque[dict[int, Kind]] = deque(maxlen=LOOK_BACK)
        self._channels: set[int] = set()  # all that were ever confirmed: each must keep coming
        self._recent: deque[dict[int, int]] = deque(maxlen=2)  # positions in the last frames

    def _scan(self, data: bytes, found: list[Frame], final: bool) -> bytes:
        at = 0
        while len(data) - at >= LENGTH:
            frame = self._frame(data[at : at + LENGTH])
            if frame is not None:
                found.append(frame)
            at += LENGTH
        if not final or at == len(data):
            return data[at:]
        self.rejected += 1
        self.discarded_bytes += len(data) - at
        self._recent.clear()
        return b""

    def _frame(self, data: bytes) -> RcFrame | None:
        pairs = zip(data[HEADER::2], data[HEADER + 1 :: 2], strict=True)
        words = [high << 8 | low for high, low in pairs if (high, low) != (0xFF, 0xFF)]
        kinds = {bits: _kind(words, bits) for bits in SCALES}
        self._seen.append(kinds)
        if not any(kinds.values()):
            self.rejected += 1
            self.discarded_bytes += LENGTH
            self._recent.clear()  # which half of the channels it was is not known
            return None
        raw = self._positions(kinds, words)
        if raw is None:
            self.passed_bytes += LENGTH
            return None
        self.frames += 1
        return RcFrame(self._last_us, raw, SCALES[self._bits])

    def _positions(self, kinds: dict[int, Kind], words: list[int]) -> tuple[int, ...] | None:
        """Return all channels; None while the form or one of the channels is not known."""
        self._decide()
        kind = kinds.get(self._bits, ())
        if not kind or sum(each[self._bits] == kind for each in self._seen) < SEEN:
            self._recent.clear()
            return None
        self._channels.update(number for number in kind if number != OTHER)
        mask = (1 << self._bits) - 1
        self._recent.append(
            {n: word & mask for n, word in zip(kind, words, strict=True) if n != OTHER}
        )
        values: dict[int, int] = {}
        for each in self._recent:
            values |= each
        if not self._channels <= values.keys():
            return None
        count = next(n for n in range(len(values) + 1) if n not in values)
        return tuple(values[n] for n in range(count)) or None

    def _decide(self) -> None:
        """Choose the form that fits all frames seen; begin again when it fits none of them."""
        sound = [each for each in self._seen if any(each.values())]
        if self._bits:
            if not any(each[self._bits] for each in sound):
                self._forget()
            return
        fitting = [bits for bits in SCALES if all(each[bits] for each in sound)]
        if len(sound) >= SEEN and fitting:
            self._bits = fitting[0]  # both: too few channels for 11 bits to look like 10


def _kind(words: list[int], bits: int) -> Kind:
    """Return the channel numbers; empty if they cannot be those of this form."""
    most = MAX_CHANNELS[bits]
    numbers = [(word & 0x7FFF) >> bits for word in words]
    if bits == 11:
        numbers = [number if number < most else OTHER for number in numbers]
    named = [number for number in numbers if number != OTHER]
    is_sound = bool(named) and len(set(named)) == len(named) and max(named) < most
    return tuple(numbers) if is_sound else ()
