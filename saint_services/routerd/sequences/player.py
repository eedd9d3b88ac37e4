"""Plays one sequence on one target, as an input of the router with the target's lock. Another
source that takes the lock ends it, and so does the e-stop. No clock: time comes in as an argument.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from ...lib.api.sequences import JointSequence, PlayingInfo, PlaySequence
from ...lib.errors import Code, SaintError
from ...lib.generated.saint_msgs import InputSample
from ..fields.claims import OutputField
from ..fields.masters import sequence_source
from ..logic import Router
from .course import SequenceCourse, check_fits

LOCK_S: Final = 0.3  # it sends much more often
APPROACH_S: Final = 60.0  # at most, to the first frame
_NEAR: Final = 1e-3  # of a field's range


@dataclass(slots=True)
class SequencePlayer:
    """A sequence on its way. `reason` says why it has ended; empty while it plays."""

    router: Router
    name: str
    target: str
    course: SequenceCourse
    reason: str = ""
    _there_s: float = field(default=0.0, init=False)  # when it was on its course last
    _joints: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        self._joints = tuple(self.course.sequence.joints)

    @classmethod
    def begin(
        cls, router: Router, sequence: JointSequence, request: PlaySequence, now_s: float
    ) -> "SequencePlayer":
        """Lock the target and begin. Raises SaintError conflict, refused or request_invalid."""
        target, name = request.target, request.sequence_name
        if router.latch.active:
            raise SaintError(Code.REFUSED, "the e-stop is active", fix="Clear the e-stop first.")
        check_fits(name, sequence, target, router.robot.fields.get(target, {}))
        course = SequenceCourse(sequence, request.speed, request.loop)
        player = cls(router, name, target, course)
        source = player.source
        router.masters.forget(source)  # a person requests its first motion
        router.take_control(target, source, LOCK_S, now_s, takes_over=request.takeover)
        player._there_s = now_s
        player.step(now_s)
        if not any(each.winner and each.winner.source == source for each in player._outputs()):
            player.end("no route lets it drive", now_s)
            raise SaintError(
                Code.REFUSED,
                f"no route lets a sequence drive {target}",
                fix=f"Add a passthrough route of autonomous sources to {target}.",
            )
        return player

    @property
    def source(self) -> str:
        """Its name as an input."""
        return sequence_source(self.target)

    def step(self, now_s: float) -> None:
        """Send the present pose, or end."""
        router = self.router
        lock = router.locks.held.get(self.target)
        if router.latch.active:
            self.end("the e-stop was pressed", now_s)
        elif lock is None or lock.holder != self.source:
            self.end(f"{lock.holder if lock else 'nobody'} has the lock", now_s)
        elif self.course.is_over:
            self.end("played to the end", now_s)
        elif now_s - self._there_s > APPROACH_S:
            self.end("its joints did not reach the first frame", now_s)
        if not self.reason:
            self.course.advance(now_s, self._has_arrived())
            if self.course.is_there:
                self._there_s = now_s
            self._send(now_s)

    def end(self, reason: str, now_s: float) -> None:
        """End, and release the target if it still holds it."""
        self.reason = self.reason or reason
        lock = self.router.locks.held.get(self.target)
        if lock is not None and lock.holder == self.source:
            self.router.sample(self._sample(is_lost=True), "", now_s)
            self.router.release_control(self.target, self.source, now_s)

    def info(self) -> PlayingInfo:
        """Return it as replies show it."""
        is_moving = "playing" if self.course.is_there else "approaching"
        return PlayingInfo.model_validate({
            "target": self.target, "name": self.name, "at_s": round(self.course.at_s, 3),
            "state": "ended" if self.reason else is_moving, "rounds": self.course.rounds,
            "reason": self.reason,
        })  # fmt: skip

    def _send(self, now_s: float) -> None:
        self.router.sample(self._sample(), "", now_s)

    def _sample(self, *, is_lost: bool = False) -> InputSample:
        known = self.router.sources.get(self.source)
        sample = InputSample(source=self.source, sequence=known.sequence + 1 if known else 1)
        sample.target, sample.failsafe = self.target, is_lost
        if not is_lost:
            sample.names, sample.values = self._joints, self.course.pose()
        return sample

    def _outputs(self) -> Iterator[OutputField]:
        return (self.router.by_name[self.target, joint] for joint in self._joints)

    def _has_arrived(self) -> bool:
        for output, want in zip(self._outputs(), self.course.pose(), strict=True):
            near = _NEAR * (output.high - output.low)
            if output.value is None or abs(output.value - want) > near:
                return False
        return True
