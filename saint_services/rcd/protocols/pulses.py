"""PPM (all channels one after the other on one pin) and PWM (one pin per channel) from the times of
edges. Pure. Neither has a check sum, a failsafe flag or an address: only lengths can be checked.

PPM is read from rising edges alone: whichever way round the pulses are, two rising edges are one
channel apart. A frame ends with a long gap; once two frames agree on the number of channels, a
frame counts as soon as it has that many, without waiting for the gap.
"""

from .frames import RcFrame
from .ibus import MICROSECONDS

SHORTEST_US, LONGEST_US = 700, 2300  # of a channel
GAP_US = 2_700  # the shortest pause between two PPM frames
MIN_CHANNELS, MAX_CHANNELS = 4, 16
AGREED = 2  # frames with as many channels, before that number is believed


class PpmDecoder:
    """Rising edges in, frames out. Edges must come in the order of their times."""

    def __init__(self) -> None:
        self.frames = 0
        self.rejected = 0
        self._edge_ns: int | None = None
        self._us: list[int] = []
        self._is_broken = True  # until the first gap: this frame was begun before we listened
        self._is_first = True
        self._count = 0  # channels that were agreed on; 0: none yet
        self._seen = 0  # channels of the last frame ...
        self._times_seen = 0  # ... and how many frames in a row had so many

    def edge(self, pin: int, high: bool, t_ns: int) -> RcFrame | None:
        """One edge; the frame that is complete with it."""
        del pin
        if not high:
            return None
        before_ns, self._edge_ns = self._edge_ns, t_ns
        if before_ns is None:
            return None
        length_us = (t_ns - before_ns + 500) // 1000
        if length_us >= GAP_US:
            self._end()
            return None
        if not SHORTEST_US <= length_us <= LONGEST_US or len(self._us) == MAX_CHANNELS:
            self._is_broken = True
        if self._is_broken:
            return None
        self._us.append(length_us)
        return self._frame(t_ns) if len(self._us) == self._count else None

    def reset(self) -> None:
        """The pin was closed."""
        self._edge_ns = None
        self._us.clear()
        self._is_broken = self._is_first = True
        self._count = self._seen = self._times_seen = 0

    def _end(self) -> None:
        count, is_broken = len(self._us), self._is_broken or len(self._us) < MIN_CHANNELS
        self._us.clear()
        was_first, self._is_first, self._is_broken = self._is_first, False, False
        if was_first:
            return
        if is_broken or (self._count and count != self._count):
            self.rejected += 1
        if is_broken:
            self._times_seen = 0
            return
        self._times_seen = self._times_seen + 1 if count == self._seen else 1
        self._seen = count
        if self._times_seen >= AGREED:
            self._count = count

    def _frame(self, t_ns: int) -> RcFrame:
        self.frames += 1
        return RcFrame(t_ns // 1000, tuple(self._us), MICROSECONDS)


class PwmDecoder:
    """Edges of several pins in; a frame out whenever each pin has had a new pulse. A pin that is
    silent therefore silences all: a robot must not be driven by a part of its channels.
    """

    def __init__(self, pins: list[int]) -> None:
        self.frames = 0
        self.rejected = 0
        self._pins = tuple(pins)
        self._rose_ns: dict[int, int] = {}
        self._us: dict[int, int] = {}

    def edge(self, pin: int, high: bool, t_ns: int) -> RcFrame | None:
        """One edge; the frame that is complete with it."""
        if pin not in self._pins:
            return None
        if high:
            self._rose_ns[pin] = t_ns
            return None
        rose_ns = self._rose_ns.pop(pin, None)
        if rose_ns is None:
            return None
        length_us = (t_ns - rose_ns + 500) // 1000
        if not SHORTEST_US <= length_us <= LONGEST_US:
            self.rejected += 1
            self._us.pop(pin, None)
            return None
        self._us[pin] = length_us
        if len(self._us) < len(self._pins):
            return None
        raw = tuple(self._us[each] for each in self._pins)
        self._us.clear()
        self.frames += 1
        return RcFrame(t_ns // 1000, raw, MICROSECONDS)

    def reset(self) -> None:
        """The pins were closed."""
        self._rose_ns.clear()
        self._us.clear()
