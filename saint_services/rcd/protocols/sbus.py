"""SBUS and SBUS2 (Futaba and others): 25 bytes without a check sum, so pauses delimit frames.

A burst is what arrives without a pause. A frame counts when it begins where a burst begins, or
right behind a frame that counted. Elsewhere it must end where the burst ends, be followed by a
second frame, or overlap with nothing that looks better. Many frames end in zeros, so that a
stray 0F makes a complete wrong frame: then the one that something else confirms wins.

A frame that is the whole burst so far is handed out at once: nothing waits for the pause, except
when its first bytes hold another 0F, which might be the true start.
"""

from collections.abc import Iterator

from .frames import ELEVEN_BIT, Frame, RcFrame
from .stream import StreamParser

GAP_US = 2_000  # frames are at least 3 ms apart, the bytes of one frame 0.12 ms
START, LENGTH = 0x0F, 25
FLAGS, END = 23, 24
STRAY_BYTES = 4  # up to so many noise bytes in front of a frame are recognised
SLOT, MAX_SLOTS = 3, 8  # SBUS2: telemetry behind a frame, bytes of one slot
USUAL = (172, 1811)  # 988 to 2012 us
LOOK_AHEAD = 3 * LENGTH + MAX_SLOTS * SLOT  # beyond this nothing changes a verdict
_SHIFTS = tuple(range(0, 11 * 16, 11))
_DIGITAL = tuple((bool(flags & 1), bool(flags & 2)) for flags in range(4))


class SbusParser(StreamParser):
    """Finds frames in bursts of bytes; `final` means that the burst has ended."""

    gap_us = GAP_US

    def _scan(self, data: bytes, found: list[Frame], final: bool) -> bytes:
        at, size = 0, len(data)
        while at < size:
            if self._in_step:
                end = _end_of_due(data, at, final)
                if end is None:
                    break
                if end > at:
                    self._consume(data, at, end, found)
                    at = end
                    continue
                self.rejected += data[at] == START
                self._in_step = False
                self.discarded_bytes += 1
                at += 1
            start, self._in_step = _search(data, at, final)
            self.discarded_bytes += start - at
            at = start
            if not self._in_step:
                break
        return data[at:]

    def _consume(self, data: bytes, at: int, end: int, found: list[Frame]) -> None:
        if data[at] != START:
            self.passed_bytes += end - at
            return
        self.frames += 1
        flags = data[at + FLAGS]
        failsafe, lost, digital = bool(flags & 8), bool(flags & 4), _DIGITAL[flags & 3]
        found.append(
            RcFrame(self._last_us, _channels(data, at), ELEVEN_BIT, failsafe, lost, digital)
        )


def _channels(data: bytes, at: int) -> tuple[int, ...]:
    bits = int.from_bytes(data[at + 1 : at + FLAGS], "little")
    return tuple([bits >> shift & 0x7FF for shift in _SHIFTS])


def _is_frame(data: bytes, at: int) -> bool:
    """Check start and end byte: 00 (SBUS) or 04, 14, 24, 34 (SBUS2)."""
    if data[at] != START or at + LENGTH > len(data):
        return False
    end = data[at + END]
    return end == 0 or end & 0xCF == 4


def _behind_slots(data: bytes, at: int) -> int:
    """Return the end of the SBUS2 telemetry slots (3 bytes each) at `at`."""
    last = at + MAX_SLOTS * SLOT
    while at < last and at + SLOT <= len(data) and data[at] & 7 == 3:
        at += SLOT
    return at


def _end_of_due(data: bytes, at: int, final: bool) -> int | None:
    """Return the end of the frame or slots due at `at`; `at` without any; None: wait."""
    size = len(data)
    if data[at] != START:
        return _end_of_due_slots(data, at, final)
    end = at + LENGTH
    if end > size:
        return at if final else None
    if not _is_frame(data, at):
        return at
    if end == size:
        is_doubtful = not final and START in data[at + 1 : at + 1 + STRAY_BYTES]
        return None if is_doubtful else end
    after = _behind_slots(data, end)
    if after == size or data[after] == START:
        return end
    if not final and size - at < LOOK_AHEAD:
        return None  # something else follows: the end of the burst decides
    contenders = (_is_likely(data, s) and _is_confirmed(data, s, final) for s in _starts(data, at))
    return at if any(contenders) else end


def _end_of_due_slots(data: bytes, at: int, final: bool) -> int | None:
    """Do the same for slots: they count when a frame or the end of the burst follows."""
    end, size = _behind_slots(data, at), len(data)
    if end == size or (size - end < SLOT and data[end] & 7 == 3):
        return end if final else None
    return end if data[end] == START else at


def _search(data: bytes, at: int, final: bool) -> tuple[int, bool]:
    """Return the next confirmed frame and True, or where more bytes must decide and False."""
    start = data.find(START, at)
    while start >= 0:
        if start + LENGTH > len(data):
            if not final:
                return start, False
        elif _is_likely(data, start):
            verdict = _verdict(data, start, final)
            if verdict is None:
                return start, False
            if verdict:
                return start, True
        start = data.find(START, start + 1)
    return len(data), False


def _is_likely(data: bytes, at: int) -> bool:
    """Check a frame in a search, where the undefined bits 4 to 7 of the flags must be 0."""
    return _is_frame(data, at) and data[at + FLAGS] < 0x10


def _is_confirmed(data: bytes, at: int, final: bool) -> bool:
    after = _behind_slots(data, at + LENGTH)
    if after == len(data):
        return final
    return _is_frame(data, after)


def _verdict(data: bytes, at: int, final: bool) -> bool | None:
    """Judge a possible frame; None: more bytes or a pause decide."""
    if _is_confirmed(data, at, final):
        return True
    if not final and len(data) - at < LOOK_AHEAD:
        return None
    sane = _sane(data, at)
    starts = _starts(data, at)
    return not any(_is_likely(data, each) and _sane(data, each) > sane for each in starts)


def _sane(data: bytes, at: int) -> int:
    """Count the channels in the usual range of sticks and switches."""
    return sum(USUAL[0] <= raw <= USUAL[1] for raw in _channels(data, at))


def _starts(data: bytes, at: int) -> Iterator[int]:
    """Yield the start bytes inside the frame at `at`."""
    start = data.find(START, at + 1, at + LENGTH)
    while start >= 0:
        yield start
        start = data.find(START, start + 1, at + LENGTH)
