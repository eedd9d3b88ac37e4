"""Decides what one message of a session commands: which values, whether it stops the robot, and why
it is refused. Pure. Not here: who has control (seats.py), the bytes (lib/teleop).

A command of the binary form has neither sequence nor time. It is held, and sent again with each
heartbeat of the same session; without heartbeats the router drops it after 300 ms. Whatever was
held when the heartbeats failed counts no more: the control has to be released first. In the named
form that is a heartbeat without targets; in the binary form it has to last (release.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil, inf, isfinite

from pydantic import ValidationError

from ..lib.binary_layout import LayoutError
from ..lib.reading_age import ReadingAge
from ..lib.teleop.fields import LARGEST_BYTES, FieldsMessage
from ..lib.teleop.structs import COMMAND, TeleopCommand
from ..lib.teleop.velocity import DAMP, MOVE, VelocityTarget
from .release import ControlRelease

MOST_PER_S = 250  # messages of a session that count; an input loop sends 50
GAP_S = 0.3  # after a longer pause a held velocity has to be released first

TargetValues = Mapping[str, Mapping[str, float]]

NOT_OPERATOR = "You watch. Request control to move the robot."
MALFORMED = "The message is malformed."
NO_TARGET = "This robot has no target for velocities."
RELEASE_FOR = (
    "Nothing arrived for a while. Send {released} for {seconds:.1f} s without a pause, then move "
    "again."
)
RELEASE_FIRST = "Link or picture was interrupted. Release the control, then move again."


@dataclass(slots=True)
class ReportAnswer:
    """Which report has arrived at the sender, how long ago, and how old its picture is."""

    number: int
    held_ms: float
    picture_ms: float | None


@dataclass(slots=True)  # frozen, each would cost three times as much on the way of a command
class Decision:
    """What follows from one message."""

    values: TargetValues = field(default_factory=dict)
    is_beat: bool = False  # the input loop of the sender runs
    is_stop: bool = False
    refusal: str = ""  # shown to the sender
    count: str = ""  # why it was dropped or refused, for the counters
    is_talking: bool | None = None  # None: the message cannot say it
    sound: str | None = None  # the place of the microphone and loudspeaker
    answer: "ReportAnswer | None" = None
    age_s: float | None = None  # more than the quickest message took on its way


@dataclass(slots=True)
class CommandStream:
    """The messages of one session."""

    velocity: VelocityTarget | None
    is_held_stop: bool = False
    echo_t: float | None = None
    echo_s: float = 0.0
    _held: TeleopCommand | None = None
    _release: ControlRelease = field(default_factory=ControlRelease)  # of the binary form
    _must_release_named: bool = False
    _was_named: bool = False  # the newest message of the named form had targets
    _received_s: float | None = None
    _sequence: int = -1
    _second_s: float = -inf
    _count: int = 0
    _age: ReadingAge = field(default_factory=ReadingAge)

    def is_flood(self, now_s: float) -> bool:
        """Count a message; return whether it is one too many in this second."""
        if now_s - self._second_s >= 1.0:
            self._second_s, self._count = now_s, 0
        self._count += 1
        return self._count > MOST_PER_S

    def forget(self) -> None:
        """Drop what is held, until the control was released: the operator has changed."""
        self._held, self._must_release_named = None, True
        self._release.require()

    def binary(self, data: bytes, now_s: float, *, is_operator: bool) -> Decision:
        """Decide on a TeleopCommand_S."""
        try:
            command = COMMAND.decode(data)
        except LayoutError:
            return Decision(refusal=MALFORMED, count="malformed")
        is_stop = bool(command.e_stop) and not self.is_held_stop
        self.is_held_stop = bool(command.e_stop)
        if not all(map(isfinite, (command.vx, command.vy, command.vyaw))):
            return Decision(is_stop=is_stop, refusal=MALFORMED, count="malformed")
        self._listen(now_s)
        if not is_operator:
            return Decision(is_stop=is_stop, refusal=NOT_OPERATOR, count="not_operator")
        if self.velocity is None:
            return Decision(is_stop=is_stop, refusal=NO_TARGET, count="no_target")
        if not self._release.allows(now_s, is_moving=self._is_moving(command)):
            self._held = None
            refusal = self._release_first()
            return Decision(is_beat=True, is_stop=is_stop, refusal=refusal, count="release")
        self._held = command
        return Decision(self._values(command), is_beat=True, is_stop=is_stop)

    def named(self, text: str | bytes, now_s: float, *, is_operator: bool) -> Decision:
        """Decide on a message of the named form: a command, or a heartbeat."""
        if len(text) > LARGEST_BYTES:
            return Decision(refusal=MALFORMED, count="malformed")
        try:
            message = FieldsMessage.model_validate_json(text)
        except ValidationError:
            return Decision(refusal=MALFORMED, count="malformed")
        if message.seq <= self._sequence:
            return Decision(count="overtaken")
        self._sequence = message.seq
        answer = (
            ReportAnswer(message.ack, message.ack_ms, message.picture_ms)
            if message.ack is not None
            else None
        )
        self.echo_t, self.echo_s = message.t, now_s
        if self._age.is_stale(message.t / 1000.0, now_s):
            return Decision(count="stale", answer=answer)  # late, it says how late
        values, refusal, count = self._fresh(message.targets, now_s, is_operator)
        return Decision(
            values, is_beat=True, refusal=refusal, count=count, is_talking=message.talk,
            sound=message.sound, answer=answer, age_s=self._age.late_s,
        )  # fmt: skip

    def _fresh(
        self, targets: TargetValues, now_s: float, is_operator: bool
    ) -> tuple[TargetValues, str, str]:
        """Return the values that count now, else why not, for the sender and for the counters."""
        self._listen(now_s)
        if targets and not is_operator:
            return {}, NOT_OPERATOR, "not_operator"
        if targets and self._must_release_named:
            return {}, RELEASE_FIRST, "release"
        self._must_release_named, self._was_named = False, bool(targets)
        if targets:
            self._held = None  # the newest form counts
            return targets, "", ""
        held = self._held if is_operator else None
        return self._values(held) if held else {}, "", ""

    def _is_moving(self, command: TeleopCommand) -> bool:
        """Return whether a command needs a control that was released. After a gap a walker has
        damped, and an old mode must not have it stand up; who takes over one that stands goes on.
        """
        is_walker = self.velocity is not None and self.velocity.has_mode
        if is_walker and self._release.owed_s:
            return bool(command.enable) and not command.e_stop and command.mode != DAMP
        return _moves(command)

    def _release_first(self) -> str:
        """Return what the sender has to do."""
        if not self._release.owed_s:
            return RELEASE_FIRST
        released = "damp" if self.velocity and self.velocity.has_mode else "no motion"
        return RELEASE_FOR.format(released=released, seconds=ceil(self._release.owed_s * 10) / 10)

    def _listen(self, now_s: float) -> None:
        """Record a sign of life; what was held before a gap counts no more."""
        before_s, self._received_s = self._received_s, now_s
        if before_s is None or now_s - before_s <= GAP_S:
            return
        self._release.note_gap(before_s, now_s)
        if self._was_named or (self._held is not None and _moves(self._held)):
            self._must_release_named, self._was_named = True, False
        self._held = None

    def _values(self, command: TeleopCommand) -> TargetValues:
        velocity = self.velocity
        return {velocity.target: velocity.values(command)} if velocity else {}


def _moves(command: TeleopCommand) -> bool:
    velocities = (command.vx, command.vy, command.vyaw)
    return bool(command.enable) and command.mode == MOVE and any(velocities)
