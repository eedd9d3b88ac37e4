"""A frame of classic CAN. Pure."""

from dataclasses import dataclass, field
from typing import Final

STANDARD_IDS: Final = 1 << 11
EXTENDED_IDS: Final = 1 << 29
MOST_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class CanFrame:
    """One data frame. Raises ValueError for what no bus carries."""

    id: int
    data: bytes = b""
    is_extended: bool = False  # 29 bits: another identifier than the same number with 11
    t_ns: int = field(default=0, compare=False)  # CLOCK_MONOTONIC, of a received frame

    def __post_init__(self) -> None:
        bits, ids = (29, EXTENDED_IDS) if self.is_extended else (11, STANDARD_IDS)
        if not 0 <= self.id < ids:
            raise ValueError(f"the identifier does not fit {bits} bits")
        if len(self.data) > MOST_BYTES:
            raise ValueError(f"the data has {len(self.data)} bytes; a frame has at most 8")
