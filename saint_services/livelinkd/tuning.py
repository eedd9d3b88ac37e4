"""Converts a sender's values for the router: subtracts the zero offset, scales, limits the range.
Pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .protocols import Frame
from .protocols.names import ANGLES, SHAPES, range_of
from .protocols.skeleton import Quaternion, relative

MAX_NAMES = 256  # the router's limit for one input sample
_IDENTITY = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Tuning:
    """Zero, rest and scale of one subject; all empty: values pass unchanged."""

    zero: Mapping[str, float] = field(default_factory=dict)  # value that is mapped to 0
    rest: Mapping[str, Quaternion] = field(default_factory=dict)  # rotation that is mapped to none
    scale: Mapping[str, float] = field(default_factory=dict)  # negative: reversed

    @property
    def is_empty(self) -> bool:
        return not (self.zero or self.rest or self.scale)


def looking_straight(frame: Frame, tuning: Tuning) -> Tuning:
    """Return the tuning with this frame as zero; not for a face's shapes, which rest at 0."""
    if frame.pose is not None:
        bones = frame.pose.layout.bones
        rest = dict(zip(bones, frame.pose.rotations, strict=True))
    else:
        rest = {}
    counted = frozenset(ANGLES)
    if frame.type != "face" and not rest:
        counted = frozenset(frame.names) - frozenset(SHAPES)
    pairs = zip(frame.names, frame.values, strict=True)
    return Tuning({name: value for name, value in pairs if name in counted}, rest, tuning.scale)


class TuningFilter:
    """Applies a tuning to frames; caches ranges and factors for the last set of names."""

    def __init__(self, tuning: Tuning | None = None) -> None:
        self.tuning = tuning or Tuning()
        self.names: tuple[str, ...] = ()  # of the last frame, up to the router's limit
        self._given: tuple[str, ...] = ()
        self._lows: list[float] = []
        self._highs: list[float] = []
        self._floor = self._ceiling = 0.0  # within these all are in range
        self._steps: list[tuple[float, float]] = []  # zero and factor of each

    def values(self, frame: Frame) -> tuple[float, ...]:
        """Return the frame's values for the router, in the order of `names`."""
        values = frame.values
        if not values:
            return values
        if frame.names is not self._given:
            self._learn(frame.names)
        tuning = self.tuning
        if tuning.rest and frame.pose is not None:
            values = self._from_rest(frame)
        if self._steps:
            values = tuple(
                [(v - zero) * k for v, (zero, k) in zip(values, self._steps, strict=True)]
            )
        if len(values) > MAX_NAMES:
            values = values[:MAX_NAMES]
        if min(values) >= self._floor and max(values) <= self._ceiling:
            return values
        bounds = zip(values, self._lows, self._highs, strict=True)
        return tuple([low if v < low else high if v > high else v for v, low, high in bounds])

    def _learn(self, names: tuple[str, ...]) -> None:
        tuning = self.tuning
        self._given = names
        self.names = names[:MAX_NAMES] if len(names) > MAX_NAMES else names
        ranges = [range_of(name) for name in self.names]
        self._lows, self._highs = [low for low, _ in ranges], [high for _, high in ranges]
        self._floor, self._ceiling = max(self._lows), min(self._highs)
        self._steps = []
        if tuning.zero or tuning.scale:
            self._steps = [
                (tuning.zero.get(name, 0.0), tuning.scale.get(name, 1.0)) for name in names
            ]

    def _from_rest(self, frame: Frame) -> tuple[float, ...]:
        pose = frame.pose
        assert pose is not None
        rest = self.tuning.rest
        rotations = [
            relative(rest.get(bone, _IDENTITY), rotation)
            for bone, rotation in zip(pose.layout.bones, pose.rotations, strict=True)
        ]
        return type(pose)(pose.layout, rotations, pose.parameters, pose.position).values()
