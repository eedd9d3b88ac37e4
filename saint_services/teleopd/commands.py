"""Decides what one message of a session commands: which values, whether it stops the robot, and why
it is refused. Pure. Not here: who has control (seats.py), the bytes (lib/teleop).

A command of the binary form has neither sequence nor time. It is held, and sent again with each
heartbeat of the same session; without heartbeats the router drops it after 300 ms. Whatever moved
the robot before a gap, a change of control or the end of the picture has to be released before
anything moves again (release.py). Released is a control without motion: of the named form also
heartbeats without targets. They come while a key is held, too, so it has to last, or they say it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import ceil, inf

from pydantic import ValidationError

from ..lib.binary_layout import LayoutError
from ..lib.reading_age import KEPT_S, ReadingAge
from ..lib.teleop.fields import LARGEST_BYTES, FieldsMessage
from ..lib.teleop.structs import COMMAND, wants_stop
from ..lib.teleop.velocity import VelocityTarget
from .release import ControlRelease

MOST_PER_S = 250  # messages of a session that count; an input loop sends 50
GAP_S = 0.3  # after a longer pause the control has to be released first
RELEASED_S = GAP_S  # a held control sends more often, between its heartbeats
UNTIMED_S = 0.5  # the most that a release of the named form takes when its times say nothing yet

TargetValues = Mapping[str, Mapping[str, float]]

NOT_OPERATOR = "You watch. Request control to move the robot."
MALFORMED = "The message is malformed."
NO_TARGET = "This robot has no target for velocities."
RELEASE_FOR = (
    "Nothing arrived for a while. Send {released} for {seconds:.1f} s without a pause, then move "
    "again."
)
RELEASE_SO_LONG = (
    "Nothing arrived for a while. Release the control for {seconds:.1f} s, then move again."
)
RELEASE_FIRST = (
    "Link or picture was interrupted, or control has changed. Release the control, then move again."
)
DAMP_FIRST = (
    "The robot has damped: its link was interrupted, or control has changed. Send damp, then stand."
)


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
    refusal: str = ""  # why not all of it counts; shown to the sender
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
    _held: TargetValues = field(default_factory=dict)  # what counts of the newest binary command
    _is_held_moving: bool = False  # all of it
    _refusing: ControlRelease | None = None  # what refused the newest motion
    _binary: ControlRelease = field(default_factory=ControlRelease)
    _named: ControlRelease = field(default_factory=lambda: ControlRelease(RELEASED_S, UNTIMED_S))
    _received_s: float | None = None
    _has_begun: bool = False  # a message has arrived
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

    @property
    def is_owing(self) -> bool:
        """Whether the motion that was refused last still would be."""
        return self._refusing is not None and self._refusing.is_required

    def opened(self, now_s: float) -> None:
        """Begin: what arrives later than GAP_S from now on may have waited as long."""
        if self._received_s is None:
            self._received_s = now_s

    def control_changed(self, now_s: float) -> None:
        """Require a release: what the operator before commanded has ended."""
        self._held, self._is_held_moving = {}, False
        for release in (self._binary, self._named):
            release.require(now_s, has_stopped=True)

    def picture_ended(self, now_s: float) -> None:
        """Require a release: to drive on without a picture takes a new decision."""
        self._held = self._at_rest(self._held)
        for release in (self._binary, self._named):
            release.require(now_s, has_stopped=False)

    def binary(self, data: bytes, now_s: float, *, is_operator: bool) -> Decision:
        """Decide on a TeleopCommand_S."""
        is_pressed = wants_stop(data)
        is_stop = is_pressed and not self.is_held_stop
        self.is_held_stop = is_pressed
        try:
            command = COMMAND.decode(data)
        except LayoutError:
            return Decision(is_stop=is_stop, refusal=MALFORMED, count="malformed")
        self._listen(now_s)
        if not is_operator:
            return Decision(is_stop=is_stop, refusal=NOT_OPERATOR, count="not_operator")
        if self.velocity is None:
            return Decision(is_stop=is_stop, refusal=NO_TARGET, count="no_target")
        targets = {self.velocity.target: self.velocity.values(command)}
        held = targets
        if command.e_stop:  # is no release of its stick
            held = {self.velocity.target: self.velocity.values(replace(command, e_stop=0))}
        self._is_held_moving = self._is_moving(held, self._binary)
        self._held, refusal, count = self._allowed(
            targets, self._binary, now_s, is_moving=self._is_held_moving
        )
        return Decision(self._held, is_beat=True, is_stop=is_stop, refusal=refusal, count=count)

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
            if message.rest is False or self._is_moving(message.targets, self._named):
                self._named.allows(now_s, is_moving=True)  # it is not released, at least
            return Decision(count="stale", answer=answer)  # late, it says how late
        self._listen(now_s)
        values, refusal, count = self._fresh(message.targets, message.rest, now_s, is_operator)
        return Decision(
            values, is_beat=True, refusal=refusal, count=count, is_talking=message.talk,
            sound=message.sound, answer=answer, age_s=self._age.late_s,
        )  # fmt: skip

    def _fresh(
        self, targets: TargetValues, rest: bool | None, now_s: float, is_operator: bool
    ) -> tuple[TargetValues, str, str]:
        """Return the values that count now, else why not, for the sender and for the counters."""
        if targets and not is_operator:
            return {}, NOT_OPERATOR, "not_operator"
        if targets:
            is_moving = self._is_moving(targets, self._named)
            allowed = self._allowed(targets, self._named, now_s, is_moving=is_moving)
            if self.velocity is None or self.velocity.target in targets:
                self._held, self._is_held_moving = {}, False  # the newest form counts
            return allowed
        if rest and not (self._is_walker and self._named.has_stopped):  # which has to damp
            self._named.rest(now_s)
        self._named.allows(now_s, is_moving=rest is False)
        if self._refusing is self._named and not self._named.is_required:
            self._refusing = None
        if not is_operator or not self._held:
            return {}, "", ""
        # a heartbeat repeats what is held
        if self._binary.allows(now_s, is_moving=self._is_held_moving):
            return self._held, "", ""
        return self._held, self._refused(self._binary), "release"

    def _allowed(
        self, targets: TargetValues, release: ControlRelease, now_s: float, *, is_moving: bool
    ) -> tuple[TargetValues, str, str]:
        """Return what of these targets counts before the control was released, and why not all.
        After a gap or a change of control a walker has damped, and nothing but damp counts; when
        the picture ends it goes on standing.
        """
        if release.allows(now_s, is_moving=is_moving):
            base = self.velocity.target if self.velocity else ""
            if not release.is_required and (self._refusing is release or base in targets):
                self._refusing = None
            return targets, "", ""
        values = {} if release.has_stopped else self._at_rest(targets)
        return values, self._refused(release), "release"

    @property
    def _is_walker(self) -> bool:
        return self.velocity is not None and self.velocity.has_mode

    def _is_moving(self, targets: TargetValues, release: ControlRelease) -> bool:
        base = self.velocity
        if base is None or targets.keys() - {base.target}:
            return bool(targets)  # a position: who sends it, moves
        return base.moves(targets.get(base.target, {}), counts_mode=release.has_stopped)

    def _at_rest(self, targets: TargetValues) -> TargetValues:
        """Return the base without its velocities, which needs its mode where it walks."""
        velocity = self.velocity
        if velocity is None or not velocity.has_mode or velocity.target not in targets:
            return {}
        return {velocity.target: velocity.at_rest(targets[velocity.target])}

    def _refused(self, release: ControlRelease) -> str:
        """Return what the sender has to do before anything moves."""
        self._refusing = release
        is_damped = self._is_walker and release.has_stopped
        if release.owed_s <= RELEASED_S:
            return DAMP_FIRST if is_damped else RELEASE_FIRST
        if release is self._named:
            return RELEASE_SO_LONG.format(seconds=ceil(release.owed_s * 10) / 10)
        released = "damp" if is_damped else "no motion"
        return RELEASE_FOR.format(released=released, seconds=ceil(release.owed_s * 10) / 10)

    def _listen(self, now_s: float) -> None:
        """Record a sign of life; what was held before a gap counts no more."""
        before_s, self._received_s = self._received_s, now_s
        has_begun, self._has_begun = self._has_begun, True
        if before_s is None or now_s - before_s <= GAP_S:
            return
        self._binary.note_gap(before_s, now_s)
        was_moved = self._is_held_moving or not self._named.was_released(before_s)
        if not has_begun or now_s - before_s > KEPT_S:  # nothing says how old its messages are
            self._named.note_gap(max(before_s, now_s - UNTIMED_S), now_s)
        elif self._is_walker or was_moved:  # a walker has damped
            self._named.require(now_s, has_stopped=True)
        self._held, self._is_held_moving = {}, False
