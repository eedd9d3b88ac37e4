"""What the decoders hand out, whatever the sender's format was."""

from dataclasses import dataclass


@dataclass(slots=True)  # not frozen: that doubles the cost of making one
class Frame:
    """One frame of one subject. `values` belong to `names` and are finite; both are empty when the
    sender is alive but tracks nothing.
    """

    subject: str
    device: str
    type: str  # "face", "animation", "transform"
    number: int
    subframe: float  # 0 up to 1
    rate: tuple[int, int]  # frames per second as numerator, denominator; both above 0
    names: tuple[str, ...]  # one shared tuple per format: the bus keeps its encoded bytes
    values: tuple[float, ...]

    @property
    def is_tracked(self) -> bool:
        return bool(self.values)


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a datagram was not used. The reasons are few and fixed: they are counted by text."""

    reason: str
