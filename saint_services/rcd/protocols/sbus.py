"""SBUS and SBUS2 (Futaba and others): 25 bytes without a check sum, so the pauses must speak.

A burst is what arrives without a pause. A frame counts when it begins where a burst begins, or
right behind a frame that counted; with bytes in front of it that are not a frame, it must end
where the burst ends or be followed by a second frame. Many frames end in zeros, so that a stray
0F makes a complete wrong frame: then the one that ends with the burst wins.

A frame that is the whole burst so far is handed out at once: nothing waits for the pause, except
when its first bytes hold another 0F, which might be the true start.
"""

from .frames import ELEVEN_BIT, Frame, RcFrame

GAP_US = 2_000  # frames are at least 3 ms apart, the bytes of one frame 0.12 ms
START, LENGTH = 0x0F, 25
FLAGS, END = 23, 24
MAX_HELD = 8 * LENGTH  # without a pause and without a frame: wrong speed, or not SBUS
STRAY_BYTES = 4  # so much noise in front of a frame is told from a frame
_SHIFTS = tuple(range(0, 11 * 16, 11))
_DIGITAL = tuple((bool(flags & 1), bool(flags & 2)) for flags in range(4))


class SbusParser:
    """Finds frames in bursts of bytes."""

    gap_us = GAP_US

    def __init__(self) -> None:
        self.frames = 0
        self.rejected = 0
        self.discarded_bytes = 0
        self._held = b""
        self._last_us = 0
        self._in_step = True  # _held begins where a frame is due

    @property
    def is_waiting(self) -> bool:
        return bool(self._held)

    def feed(self, data: bytes, now_us: int) -> list[Frame]:
        found: list[Frame] = []
        if not 0 <= now_us - self._last_us < GAP_US:
            found = self.flush()
        self._last_us = now_us
        self._held += data
        self._take(found, final=False)
        return found

    def flush(self) -> list[Frame]:
        found: list[Frame] = []
        self._take(found, final=True)
        self.discarded_bytes += len(self._held)
        self._held = b""
        self._in_step = True
        return found

    def reset(self) -> None:
        self.discarded_bytes += len(self._held)
        self._held = b""
        self._in_step = True

    def _take(self, found: list[Frame], final: bool) -> None:
        """Take out of the burst what is certain; `final`: the burst has ended."""
        while self._held:
            if self._in_step:
                end = self._end_of_due(final)
                if end is None:
                    return
                if end:
                    self._consume(end, found)
                    continue
                self.rejected += self._held[0] == START
                self._in_step = False
            start = _search(self._held, final)
            if start is None:
                self._drop_excess()
                return
            self._drop(start)
            self._in_step = True

    def _end_of_due(self, final: bool) -> int | None:
        """Where the frame or slots that are due here end; 0: there are none; None: wait."""
        held = self._held
        if held[0] != START:
            return _end_of_due_slots(held, final)
        if len(held) < LENGTH:
            return 0 if final else None
        if not _is_frame(held, 0):
            return 0
        if len(held) == LENGTH:
            doubtful = not final and START in held[1 : 1 + STRAY_BYTES]
            return None if doubtful else LENGTH
        after = _behind_slots(held, LENGTH)
        if after == len(held) or held[after] == START:
            return LENGTH
        if not final:
            return None  # something else follows: the end of the burst decides
        return LENGTH if _search(held, final=True) is None else 0

    def _consume(self, end: int, found: list[Frame]) -> None:
        if self._held[0] == START:
            self._accept(self._held, 0, found)
        self._held = self._held[end:]

    def _accept(self, data: bytes, start: int, found: list[Frame]) -> None:
        self.frames += 1
        bits = int.from_bytes(data[start + 1 : start + FLAGS], "little")
        flags = data[start + FLAGS]
        raw = tuple([bits >> shift & 0x7FF for shift in _SHIFTS])
        failsafe, lost = bool(flags & 8), bool(flags & 4)
        found.append(RcFrame(self._last_us, raw, ELEVEN_BIT, failsafe, lost, _DIGITAL[flags & 3]))

    def _drop(self, count: int) -> None:
        self.discarded_bytes += count
        self._held = self._held[count:]

    def _drop_excess(self) -> None:
        if len(self._held) > MAX_HELD:
            self._drop(len(self._held) - MAX_HELD // 2)


def _is_frame(data: bytes, start: int) -> bool:
    """Start and end byte are right: 00 (SBUS) or 04, 14, 24, 34 (SBUS2)."""
    end = data[start + END]
    return data[start] == START and (end == 0 or end & 0xCF == 4)


def _behind_slots(data: bytes, start: int) -> int:
    """Where the telemetry slots of SBUS2 (3 bytes each) that may stand at `start` end."""
    while start + 3 <= len(data) and data[start] & 7 == 3:
        start += 3
    return start


def _end_of_due_slots(held: bytes, final: bool) -> int | None:
    """The same where slots are due: they count when a frame or the burst's end follows."""
    end = _behind_slots(held, 0)
    if end == len(held) or (held[end] & 7 == 3 and len(held) - end < 3):
        return end if final else None
    return end if held[end] == START else 0


def _search(data: bytes, final: bool) -> int | None:
    """The first place behind the first byte where frames stand that something else confirms."""
    start = data.find(START, 1)
    while 0 < start <= len(data) - LENGTH:
        # Bits 4 to 7 of the flags are undefined: fine at the right place, not in a search.
        is_likely = _is_frame(data, start) and data[start + FLAGS] < 0x10
        if is_likely and _is_confirmed(data, start, final):
            return start
        start = data.find(START, start + 1)
    return None


def _is_confirmed(data: bytes, start: int, final: bool) -> bool:
    after = _behind_slots(data, start + LENGTH)
    if after == len(data):
        return final
    return after + LENGTH <= len(data) and _is_frame(data, after)
