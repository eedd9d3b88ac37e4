"""GHST (ImmersionRC Ghost): address, length, type, payload and CRC-8 as in CRSF, 14 bytes at most.

Each frame carries CH 1 to 4 with 12 bits and, in turn, four more channels with 8 bits, or the
link's quality. Frames are merged: channels are handed out only while every group of four that was
ever received came within the last frames, so that no switch stays where it was.

After an error the search goes on one byte further, as in crsf.py. A link quality of 0 is a lost
signal; else a receiver without its transmitter is silent.

Sources: the decoders of ArduPilot and Betaflight agree on addresses, types and scales.
"""

from .crsf import crc8
from .frames import CrsfFrame, Frame, LinkFrame, RcFrame, Scale
from .stream import StreamParser

GAP_US = 5_000
ADDRESS = 0x82  # flight controller
MIN_LENGTH, MAX_LENGTH = 2, 12
RC_LENGTH = 12  # type, 10 bytes, CRC
COARSE, FINE = 0x10, 0x30  # the older scale, and all twelve bits
_GROUPS = 3  # CH 5 to 8, 9 to 12, 13 to 16
_LINK = 3  # the type behind them: link quality and RSSI
OLD_FRAMES = 16  # a group that is older holds the whole frame back
FORGET_US = 1_000_000
# 8 bits in the units of the 12: 8 of these are 2 us in the new scale, 16 are 5 us in the older one.
FORMS = {
    COARSE: (Scale.linear(4096, 0.3125, 880.5), 16),
    FINE: (Scale.linear(4096, 0.25, 988.0), 8),
}


class GhstParser(StreamParser):
    """Finds frames of channels and of the link, and merges the channels."""

    gap_us = GAP_US
    forget_us = FORGET_US

    def _forget(self) -> None:
        self._groups: dict[int, tuple[int, ...]] = {}
        self._ages: dict[int, int] = {}  # frames since each group
        self._form = FINE

    def _scan(self, data: bytes, found: list[Frame], final: bool) -> bytes:
        start, size = 0, len(data)
        while size - start >= 2:
            length = data[start + 1]
            end = start + 2 + length
            if data[start] != ADDRESS or not MIN_LENGTH <= length <= MAX_LENGTH:
                self._skip(data[start] == ADDRESS)
            elif end > size:
                if not final:
                    break
                self._skip(broken=False)
            elif crc8(data[start + 2 : end - 1]) == data[end - 1]:
                self._consume(data[start:end], found)
                self._in_step, self._until_due = True, 0
                start = end
                continue
            else:
                self._skip(broken=True, claimed=end - start)
            start += 1
        if size - start == 1 and (final or data[start] != ADDRESS):
            self._skip(broken=False)
            start = size
        return data[start:]

    def _consume(self, frame: bytes, found: list[Frame]) -> None:
        kind = frame[2]
        form, which = kind & 0xF0, kind & 0x0F
        if form not in FORMS or which > _LINK or len(frame) != RC_LENGTH + 2:
            self.frames += 1
            found.append(CrsfFrame(self._last_us, frame[0], kind, frame[3:-1]))
            return
        if which == _LINK:
            self.frames += 1
            found.append(LinkFrame(self._last_us, min(frame[9], 100), -frame[10]))
            return
        raw = self._merged(form, which, frame)
        if raw is None:
            self.passed_bytes += len(frame)
            return
        self.frames += 1
        found.append(RcFrame(self._last_us, raw, FORMS[form][0], address=frame[0], type=kind))

    def _merged(self, form: int, group: int, frame: bytes) -> tuple[int, ...] | None:
        """Return all channels; None while a known group is missing."""
        if form != self._form:
            self._forget()
            self._form = form
        bits, step = int.from_bytes(frame[3:9], "little"), FORMS[form][1]
        first = tuple(bits >> shift & 0xFFF for shift in (0, 12, 24, 36))
        self._ages = {each: age + 1 for each, age in self._ages.items()}
        self._groups[group] = tuple(each * step for each in frame[9:13])
        self._ages[group] = 0
        if max(self._ages.values()) > OLD_FRAMES:
            return None
        raw = first
        for each in range(_GROUPS):
            if each not in self._groups:
                break
            raw += self._groups[each]
        return raw
