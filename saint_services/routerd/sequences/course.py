"""Decides what a sequence requests at which time, and whether it fits a target. Pure. Not here: who
sends it (player.py), whether it may drive (fields/locks.py).
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field

from ...lib.api.sequences import JointSequence
from ...lib.errors import Code, SaintError
from ...lib.role_config.fields import FieldSpec

_ROUNDING = 1e-3  # of a unit: a recorded value may be rounded over the limit


@dataclass(slots=True)
class SequenceCourse:
    """A sequence on its way. Its time begins when the joints have reached the first frame."""

    sequence: JointSequence
    speed: float = 1.0
    is_loop: bool = False
    at_s: float = 0.0  # in the sequence
    rounds: int = 0
    is_there: bool = False  # the joints have reached the first frame
    _stamp_s: float | None = field(default=None, init=False)
    _times: list[float] = field(init=False)

    def __post_init__(self) -> None:
        self._times = [frame[0] for frame in self.sequence.frames]

    @property
    def is_over(self) -> bool:
        """Whether the last frame was reached, and no round follows."""
        return self.at_s >= self.sequence.duration_s and not self.is_loop

    def advance(self, now_s: float, has_arrived: bool) -> None:
        """Go on in time. `has_arrived` says whether the joints are where pose() requests."""
        elapsed_s = 0.0 if self._stamp_s is None else max(0.0, now_s - self._stamp_s)
        self._stamp_s = now_s
        if not self.is_there:
            self.is_there = has_arrived and elapsed_s > 0.0
            return
        self.at_s = min(self.at_s + elapsed_s * self.speed, self.sequence.duration_s)
        if self.at_s < self.sequence.duration_s:
            return
        self.rounds += 1
        if self.is_loop:
            self.at_s, self.is_there = 0.0, False

    def pose(self) -> tuple[float, ...]:
        """Return the values at the present time, on a straight way between two frames."""
        frames, after = self.sequence.frames, bisect_right(self._times, self.at_s)
        if after >= len(frames):
            return tuple(frames[-1][1:])
        first, second = frames[after - 1], frames[after]
        share = (self.at_s - first[0]) / (second[0] - first[0])
        pairs = zip(first[1:], second[1:], strict=True)
        return tuple(a + (b - a) * share for a, b in pairs)


def check_fits(
    name: str, sequence: JointSequence, target: str, fields: Mapping[str, FieldSpec]
) -> None:
    """Raise SaintError unless these fields can follow the sequence within their limits."""
    for index, (joint, unit) in enumerate(zip(sequence.joints, sequence.units, strict=True), 1):
        spec = fields.get(joint)
        if spec is None or spec.kind != "position":
            known = ", ".join(key for key, each in fields.items() if each.kind == "position")
            raise _refused(name, f"{target} has no joint {joint}; it has {known or 'none'}")
        if spec.unit != unit:
            raise _refused(name, f"{joint} is in {unit}, {target}.{joint} in {spec.unit}")
        low, high = spec.limits
        for frame in sequence.frames:
            if not low - _ROUNDING <= frame[index] <= high + _ROUNDING:
                raise _refused(
                    name,
                    f"{joint} goes to {frame[index]:g} {unit} at {frame[0]:g} s, beyond its "
                    f"limits {low:g} to {high:g} {unit}",
                )


def _refused(name: str, sentence: str) -> SaintError:
    return SaintError(
        Code.REQUEST_INVALID,
        f"sequence {name}: {sentence}",
        fix="Record or import it for this target.",
    )
