"""Decodes PPM (all channels one after the other on one pin) and PWM (one pin per channel) from the
times of edges. Pure. Neither has a check sum, a failsafe flag or an address: only lengths, counts
and pauses can be checked, so a value counts when the pause behind it shows that it was whole.

PPM is read from rising edges alone: whichever way round the pulses are, two rising edges are one
channel apart. A frame is what stands between two long gaps, and has as many channels as the frames
before it: one edge too many or too few makes no frame. What cannot be noticed: one edge too many
and one too few in the same frame, all lengths staying in range.

A gap is known with the next edge, or earlier by `silence()`, due at `due_ns`.
"""

from dataclasses import dataclass
from typing import Final

from .frames import RcFrame
from .ibus import MICROSECONDS

SHORTEST_US, LONGEST_US = 700, 2300  # of a channel
GAP_US = 2_700  # the shortest pause between two PPM frames
MIN_CHANNELS, MAX_CHANNELS = 4, 16
AGREED = 2  # frames in a row with as many channels, before that number is believed
# ... before another number is believed: noise that comes again does not shift the channels. The
# signal is lost meanwhile.
CHANGED = 10
PAUSE_US = 600  # a PWM pin is low for longer between two pulses, at up to 333 pulses a second

_NS: Final = 1000  # of a microsecond


class PpmDecoder:
    """Rising edges in, frames out. Edges must come in the order of their times."""

    def __init__(self) -> None:
        self.frames = 0
        self.rejected = 0
        self._edge_ns: int | None = None
        self._us: list[int] = []
        self._is_broken: bool = True  # until the first gap: this frame was begun before we listened
        self._is_first = True
        self._is_given = False  # silence has ended the frame; the edge behind the gap is to come
        self._count = 0  # channels that were agreed on; 0: none yet
        self._seen = 0  # channels of the last frame ...
        self._times_seen = 0  # ... and how many frames in a row had so many

    def edge(self, pin: int, high: bool, t_ns: int) -> RcFrame | None:
        """Accept one edge; return the frame before the gap that this edge ends."""
        del pin
        if not high:
            return None
        before_ns, self._edge_ns = self._edge_ns, t_ns
        if before_ns is None:
            return None
        length_us = (t_ns - before_ns + 500) // _NS
        was_given, self._is_given = self._is_given, False
        if length_us >= GAP_US:
            return None if was_given else self._end(before_ns)
        is_channel = SHORTEST_US <= length_us <= LONGEST_US and len(self._us) < MAX_CHANNELS
        if was_given or not is_channel:
            self._is_broken = True
        if not self._is_broken:
            self._us.append(length_us)
        return None

    @property
    def due_ns(self) -> int | None:
        """When silence ends a frame that has all its channels; None while one is incomplete."""
        is_whole = len(self._us) == self._count > 0 and not self._is_broken
        return self._edge_ns + GAP_US * _NS if is_whole and self._edge_ns is not None else None

    def silence(self, now_ns: int) -> RcFrame | None:
        """Return the frame that no edge up to now has followed for the length of a gap."""
        due_ns = self.due_ns
        if due_ns is None or now_ns < due_ns:
            return None
        self._is_given = True
        return self._end(due_ns - GAP_US * _NS)

    def reset(self) -> None:
        """Forget everything: the pin was closed."""
        self._edge_ns = None
        self._us.clear()
        self._is_broken = self._is_first = True
        self._is_given = False
        self._count = self._seen = self._times_seen = 0

    def _end(self, last_ns: int) -> RcFrame | None:
        """End a frame at a gap; return it if it is whole and has the agreed number of channels."""
        raw, is_broken = tuple(self._us), self._is_broken or len(self._us) < MIN_CHANNELS
        self._us.clear()
        was_first, self._is_first, self._is_broken = self._is_first, False, False
        if was_first:
            return None
        self._agree(0 if is_broken else len(raw))
        if is_broken or (self._count and len(raw) != self._count):
            self.rejected += 1
        if is_broken or len(raw) != self._count:
            return None
        self.frames += 1
        return RcFrame(last_ns // _NS, raw, MICROSECONDS)

    def _agree(self, count: int) -> None:
        """Count frames in a row with as many channels; 0: a broken one."""
        self._times_seen = self._times_seen + 1 if count == self._seen else 1
        self._seen = count
        if count and self._times_seen >= (CHANGED if self._count else AGREED):
            self._count = count


@dataclass(slots=True)
class _Pulse:
    """The pulses of one PWM pin."""

    edge_ns: int | None = None  # the last edge
    is_high: bool = False  # after it
    is_whole: bool = False  # since a pause there was a rise, and nothing else but its fall
    us: int | None = None  # of the whole pulse; it counts after a pause


class PwmDecoder:
    """Edges of several pins in; a frame out whenever each pin has had a new pulse. A pin that is
    silent therefore silences all: a robot must not be driven by a part of its channels. A pulse
    counts when the pin is quiet before and behind it: a spike would cut it into two.
    """

    def __init__(self, pins: list[int]) -> None:
        self.frames = 0
        self.rejected = 0
        self._pins = tuple(pins)
        self._pulses = {pin: _Pulse() for pin in pins}
        self._us: dict[int, int] = {}  # of the pulses that count

    def edge(self, pin: int, high: bool, t_ns: int) -> RcFrame | None:
        """Accept one edge; return the frame that was complete before it."""
        pulse = self._pulses.get(pin)
        if pulse is None:
            return None
        frame = self.silence(t_ns)
        before_ns, pulse.edge_ns = pulse.edge_ns, t_ns
        was_high, pulse.is_high = pulse.is_high, high
        is_after_pause = before_ns is None or t_ns - before_ns >= PAUSE_US * _NS
        if high and not was_high and is_after_pause:
            self._count_pulse(pin, pulse)
            pulse.is_whole = True
        elif pulse.is_whole and not high and was_high and before_ns is not None:
            self._measure(pin, pulse, (t_ns - before_ns + 500) // _NS)
        elif pulse.is_whole:
            self._reject(pin, pulse)
        return frame

    @property
    def due_ns(self) -> int | None:
        """When silence completes a frame; None while a pin has no new pulse."""
        if any(self._pulses[pin].us is None and pin not in self._us for pin in self._pins):
            return None
        ends_ns = [each.edge_ns for each in self._pulses.values() if each.us is not None]
        return max(end_ns for end_ns in ends_ns if end_ns is not None) + PAUSE_US * _NS

    def silence(self, now_ns: int) -> RcFrame | None:
        """Return the frame whose last pulse no edge of its pin has followed for a pause."""
        due_ns = self.due_ns
        if due_ns is None or now_ns < due_ns:
            return None
        for pin, pulse in self._pulses.items():
            self._count_pulse(pin, pulse)
        raw = tuple(self._us[each] for each in self._pins)
        self._us.clear()
        self.frames += 1
        return RcFrame(due_ns // _NS - PAUSE_US, raw, MICROSECONDS)

    def reset(self) -> None:
        """Forget everything: the pins were closed."""
        self._pulses = {pin: _Pulse() for pin in self._pins}
        self._us.clear()

    def _count_pulse(self, pin: int, pulse: _Pulse) -> None:
        if pulse.us is not None:
            self._us[pin], pulse.us = pulse.us, None

    def _measure(self, pin: int, pulse: _Pulse, length_us: int) -> None:
        if SHORTEST_US <= length_us <= LONGEST_US:
            pulse.us = length_us
        else:
            self._reject(pin, pulse)

    def _reject(self, pin: int, pulse: _Pulse) -> None:
        """Drop a pulse that is not whole, and what this pin has had before it."""
        self.rejected += 1
        pulse.is_whole, pulse.us = False, None
        self._us.pop(pin, None)
