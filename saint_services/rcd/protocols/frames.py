"""Frames that the parsers return. Values stay in the protocol's units; a Scale converts them."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Scale:
    """raw -> microseconds, as tables: `exact` for control, `whole` (half rounded up) for people.

    Compared by identity on purpose: it is a key of look-up tables in the hot path.
    """

    exact: tuple[float, ...] = field(repr=False)
    whole: tuple[int, ...] = field(repr=False)

    __hash__ = object.__hash__
    __eq__ = object.__eq__

    @classmethod
    def linear(cls, size: int, step_us: float, offset_us: float) -> "Scale":
        """Tabulate raw * step + offset for raw values 0 to size - 1."""
        exact = tuple(raw * step_us + offset_us for raw in range(size))
        return cls(exact, tuple(int(us + 0.5) for us in exact))


# CRSF: (raw - 992) * 5/8 + 1500, SBUS: raw * 5/8 + 880: the same line.
ELEVEN_BIT = Scale.linear(2048, 0.625, 880.0)


@dataclass(slots=True)
class RcFrame:
    """One frame of channels."""

    t_us: int  # when its last byte was read
    raw: tuple[int, ...]
    scale: Scale
    failsafe: bool = False
    frame_lost: bool = False
    digital: tuple[bool, bool] | None = None  # SBUS channels 17 and 18
    first_channel: int | None = None  # CRSF subset frames: counted from 0
    address: int | None = None  # CRSF, GHST
    type: int | None = None

    @property
    def us(self) -> list[int]:
        """Return the channels in whole microseconds."""
        whole = self.scale.whole
        return [whole[raw] for raw in self.raw]


@dataclass(slots=True)
class CrsfFrame:
    """A valid CRSF or GHST frame that carries no channels."""

    t_us: int
    address: int
    type: int
    payload: bytes


@dataclass(slots=True)
class LinkFrame:
    """A valid frame that reports the radio link, of a protocol other than CRSF."""

    t_us: int
    uplink_lq_percent: int
    rssi_dbm: int


Frame = RcFrame | CrsfFrame | LinkFrame
