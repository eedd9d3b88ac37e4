"""Records what a target is commanded, whichever master drives it, from its first motion on. No
clock: time comes in as an argument.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...lib.api.sequences import LONGEST_S, MOST_FRAMES, JointSequence
from ...lib.errors import Code, SaintError
from ..fields.claims import OutputField

_DIGITS = 4


@dataclass(slots=True)
class SequenceRecorder:
    """One recording. `is_over` says that it ended by itself: it is full, or the robot stopped."""

    name: str
    target: str
    outputs: Sequence[OutputField]
    frames: list[list[float]] = field(default_factory=list)
    source: str = ""
    is_over: bool = False
    _joints: list[OutputField] = field(default_factory=list, init=False)
    _start_s: float = field(default=0.0, init=False)

    @property
    def at_s(self) -> float:
        """How long it is."""
        return self.frames[-1][0] if self.frames else 0.0

    def look(self, now_s: float, *, is_stopped: bool) -> None:
        """Add the present commands."""
        if self.is_over:
            return
        if not self.frames:
            driven = [each for each in self.outputs if each.is_driven and each.value is not None]
            winner = next((each.winner for each in driven if each.winner), None)
            if is_stopped or winner is None:
                return
            self._joints, self._start_s, self.source = driven, now_s, winner.source
        elapsed_s = round(now_s - self._start_s, 4)
        is_full = len(self.frames) >= MOST_FRAMES or elapsed_s > LONGEST_S
        if is_stopped or is_full:
            self.is_over = True
        elif not self.frames or elapsed_s > self.at_s:
            values = [round(each.value or 0.0, _DIGITS) for each in self._joints]
            self.frames.append([elapsed_s, *values])

    def result(self) -> JointSequence:
        """Return what was recorded. Raises SaintError refused when nothing moved."""
        if len(self.frames) < 2:
            raise SaintError(
                Code.REFUSED,
                f"{self.target} was not driven while {self.name} was recorded",
                fix="Drive it by leader, page or program, then record again.",
            )
        return JointSequence.model_validate({
            "joints": [each.field for each in self._joints],
            "units": [each.unit for each in self._joints],
            "frames": self.frames,
            "source": f"recorded from {self.source}"[:200],
        })  # fmt: skip
