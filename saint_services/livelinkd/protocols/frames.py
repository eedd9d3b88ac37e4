"""Frames that the decoders return, whatever the sender's format."""

from collections.abc import Callable
from dataclasses import dataclass

from .skeleton import Pose, Quaternion


@dataclass(slots=True)  # not frozen: that doubles the cost of making one
class Frame:
    """One frame of one subject. `values` belong to `names` and are finite; both are empty when the
    sender is alive but tracks nothing.
    """

    subject: str
    device: str
    type: str  # "face", "animation", "transform", "camera"
    number: int  # the sender's; a running one where the format has none
    subframe: float  # 0 up to 1
    rate: tuple[int, int]  # frames per second as numerator, denominator; 0, 1: unknown
    names: tuple[str, ...]  # one shared tuple per set of names: the bus keeps its encoded bytes
    values: tuple[float, ...]
    pose: Pose | None = None  # of a skeleton: the rotations behind the values
    transform: "Transform | None" = None  # of a tracked object

    @property
    def is_tracked(self) -> bool:
        return bool(self.values)


@dataclass(frozen=True, slots=True)
class Transform:
    """Where an object is: metres, REP 103 axes (x forward, y left, z up)."""

    position: tuple[float, float, float]
    rotation: Quaternion


@dataclass(frozen=True, slots=True)
class Refused:
    """Reason why a datagram is refused. Reasons are few and fixed, as they are counted by text."""

    reason: str


class WrongError(Exception):
    """Carries the reason of a refusal inside a decoder, which never raises it to callers."""


Outcome = Frame | Refused
Decode = Callable[[bytes, str], list[Outcome]]  # a datagram and its sender -> what was in it
