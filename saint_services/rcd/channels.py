"""Converts raw channel values to -1..1 by tables: one look-up per channel and frame."""

from collections.abc import Iterable
from functools import cache

from .config import Channel
from .protocols import RcFrame, Scale

MAX_CHANNELS = 18
# SBUS's two digital channels follow its 16 as channels 17 and 18.
DIGITAL = {
    None: (),
    (False, False): (-1.0, -1.0),
    (True, False): (1.0, -1.0),
    (False, True): (-1.0, 1.0),
    (True, True): (1.0, 1.0),
}
Table = tuple[float, ...]


@cache
def names(first: int, count: int) -> tuple[str, ...]:
    """Return the channels' names; the same tuple each time, as the bus caches its encoded bytes."""
    return tuple(f"channel_{number}" for number in range(first + 1, first + count + 1))


def normalized(us: float, channel: Channel) -> float:
    """Map min, center and max to -1, 0 and 1 (1, 0, -1 when reversed); clamp beyond them."""
    if us >= channel.center:
        value = min((us - channel.center) / (channel.max - channel.center), 1.0)
    else:
        value = max((us - channel.center) / (channel.center - channel.min), -1.0)
    return -value if channel.reversed else value


class Normalizer:
    """Converts frames by every channel's range."""

    def __init__(self, channels: Iterable[Channel]) -> None:
        set_up = {channel.number: channel for channel in channels}
        self.channels = [
            set_up.get(number) or Channel(number=number) for number in range(1, MAX_CHANNELS + 1)
        ]
        self._tables: dict[Scale, tuple[Table, ...]] = {}

    def values(self, frame: RcFrame) -> tuple[float, ...]:
        """Return the normalized channels of a frame, digital ones included."""
        tables = self._tables.get(frame.scale) or self._add(frame.scale)
        if frame.first_channel:
            tables = tables[frame.first_channel :]
        found = tuple([table[raw] for table, raw in zip(tables, frame.raw, strict=False)])
        return found + DIGITAL[frame.digital] if frame.digital is not None else found

    def _add(self, scale: Scale) -> tuple[Table, ...]:
        tables: dict[tuple[int, int, int, bool], Table] = {}
        for channel in self.channels:
            key = _range(channel)
            if key not in tables:
                tables[key] = tuple(normalized(us, channel) for us in scale.exact)
        self._tables[scale] = tuple(tables[_range(channel)] for channel in self.channels)
        return self._tables[scale]


def _range(channel: Channel) -> tuple[int, int, int, bool]:
    return channel.min, channel.center, channel.max, channel.reversed
