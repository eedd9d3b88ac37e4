"""The router: takes samples, moves output fields, holds the e-stop latch, and calls its parts in
the right order: inputs, routes, fields, estop. No clock, no I/O.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from math import isfinite

from ..lib.api.routing import Blending, Route, RouteFile
from ..lib.generated.saint_msgs import InputSample
from .estop import latch as latches
from .fields.board import FieldBoard, test_motion
from .fields.claims import Claim, InputStream
from .fields.exclusive import ExclusiveControl
from .fields.guided_samples import apply_sample
from .fields.locks import Locks
from .fields.masters import CLUTCH, Masters
from .fields.motion import NEVER, STEP_S
from .fields.output_fields import output_fields
from .fields.targets import RobotTargets
from .inputs.intake import SampleIntake
from .inputs.source_classes import timeouts
from .inputs.sources import InputSource, is_restart, measure
from .inputs.writers import AdmittedSource
from .routes import conditions
from .routes.checks import ESTOP, check_file
from .routes.plan import Planner

# How long the newest failsafe sample holds fields for its source. Longer than a time-out: samples
# may be late on a busy machine, and velocities are at rest in the meantime.
KEEP_S = 0.5
STOPPED = "e-stop is active"  # of `refused`


class Router:
    """Feed it with sample() and advance(); read `dirty`, `wake_at`, `latch` and `outputs`."""

    def __init__(
        self,
        robot: RobotTargets,
        routes: Sequence[Route] = (),
        latch: latches.Latch | None = None,
        blending: Blending | None = None,
    ) -> None:
        self.robot = robot
        self.by_name = output_fields(robot)
        self.board = FieldBoard(self.by_name.values())
        self.outputs = self.board.outputs
        self.latch = latch or latches.Latch()
        self.samples = 0
        self.blending = blending or Blending()
        self.locks = Locks(tuple(robot.fields))
        self._planner = Planner(self.by_name, robot.commands)
        self._exclusive = ExclusiveControl(
            self.locks, self.board, lambda: self.claims, lambda: self.latch.active
        )
        self._intake = SampleIntake(
            self._planner, self.outputs, robot.fields, self._exclusive.apply
        )
        self.sources = self._intake.sources
        self.refused: Counter[str] = self._intake.refused
        self.masters = Masters(
            *(self.locks, self.outputs, self.refused, self.take_control, self.release_control),
            self._intake.forget,
        )
        for output in self.outputs:
            output.place = partial(self.masters.place, output)
        check_file(RouteFile(routes=list(routes), blending=self.blending), robot)
        self._planner.use(routes)
        self._planner.timeout_of = timeouts(self.blending)
        self.board.configure(self.blending)
        if self.latch.active:
            self.board.stop_all(NEVER)

    @property
    def routes(self) -> tuple[Route, ...]:
        return self._planner.routes

    @property
    def claims(self) -> Iterable[Claim]:
        return self._planner.claims.values()

    @property
    def dirty(self) -> set[int]:
        """Commands whose fields changed; the reader empties it."""
        return self.board.dirty

    @property
    def wake_at(self) -> float:
        """advance() is due then."""
        return self.board.wake_at

    # Samples. This is the hot path: nothing is built that is not needed.

    def sample(
        self, message: InputSample, origin: str, now: float, admitted: AdmittedSource | None = None
    ) -> bool:
        """Route one sample; return False if it was refused, which `refused` counts by reason.
        `admitted` is the source that it counts for; without it, the source in the message.
        """
        admitted = admitted or AdmittedSource(message.source, is_known=True)
        name, is_known = admitted.source, admitted.is_known
        source = self.sources.get(name)
        if source is None or source.is_known != is_known:
            source = self._intake.source(name, is_known)
        if source is None:
            return False
        sequence = message.sequence
        if sequence <= source.sequence and not is_restart(source, sequence, origin, now):
            self.refused["repeated sequence"] += 1
            return False
        if message.failsafe:
            self._accept(source, sequence, origin, now)
            self._fail(source, message, now)
            self.masters.disengage(source, now)
            return True
        names, values = message.names, message.values
        last = stream = source.stream
        if stream is None or names is not stream.names or message.target != stream.target:
            stream = self._intake.stream(source, message.target, names)
            if stream is None:
                return False
        if len(values) != len(stream.names):
            self.refused["names and values differ in number"] += 1
            return False
        if not isfinite(sum(values)):
            self.refused["value not finite"] += 1
            return False
        self._accept(source, sequence, origin, now)
        if stream.unknown:
            self.refused["unknown field"] += stream.unknown
        is_same = stream is last and now - stream.received < stream.patience_s
        source.stream = stream
        old, stream.values = stream.values, values if type(values) is tuple else tuple(values)
        if stream.names == CLUTCH:
            is_new = now - stream.received >= stream.patience_s
            self.masters.clutch(source, () if is_new else old, stream.values, now)
        if is_same:
            stream.received = now
            if values != old:
                self._follow(stream, old, now)
            if stream.is_guided:
                self._guide(stream, now)
        else:
            self._revive(source, stream, old, now)
        if self.latch.active and stream.plans:
            self.refused[STOPPED] += 1
        return True

    def is_too_old(self, name: str, waited_s: float) -> bool:
        """Return whether a sample of this source may have waited for longer than its time-out."""
        source = self.sources.get(name)
        return source is None or waited_s > source.timeout_s

    def refuse_old(
        self, message: InputSample, now: float, admitted: AdmittedSource | None = None
    ) -> None:
        """Count a sample that waited while the loop stood still; obey only a stop in it."""
        self.refused["old after a stall"] += 1
        admitted = admitted or AdmittedSource(message.source, is_known=True)
        name, is_known = admitted.source, admitted.is_known
        source = self._intake.source(name, is_known)
        if source is None:
            return
        if message.failsafe:
            if tuple(message.names) == (ESTOP,) or source.kind == "safety":
                self.raise_estop(source.name, "its signal is lost", now)
            return
        stream = self._intake.stream(source, message.target, message.names)
        if stream is None or len(message.values) != len(stream.names):
            return
        old, stream.values = stream.values, tuple(message.values)
        self._press_switches(stream, old, now)
        stream.values = old

    def _accept(self, source: InputSource, sequence: int, origin: str, now: float) -> None:
        source.sequence = sequence
        source.origin = origin
        source.received = now
        source.samples += 1
        self.samples += 1
        if self.locks.held:
            self.locks.renew(source.name, now)

    def _follow(self, stream: InputStream, old: tuple[float, ...], now: float) -> None:
        """Apply the next sample of a live stream: only inputs that changed matter."""
        values = stream.values
        self._press_switches(stream, old, now)
        if self.latch.active:
            return
        board = self.board
        for plan in stream.paced:
            plan.claim.output.set_pace(plan.claim)
        for index, shape, claim in stream.steps:
            x = values[index]
            if x == old[index]:
                continue
            output = claim.output
            if output.winner is claim and output.members is None:
                output.drive(shape(x), now)
                board.dirty.add(output.command)
                if output.is_moving:
                    board.wake(now + STEP_S)
            elif not claim.is_armed:
                if claim.has_moved(0, x):
                    board.contend(claim, now)
            elif output.members and claim in output.members:
                board.follow(output, output.blended, now)
        for plan in stream.sums:
            if any(values[index] != old[index] for _, index in plan.inputs):
                self._follow_sum(plan.claim, now)

    def _follow_sum(self, claim: Claim, now: float) -> None:
        """Apply the next sample to a claim that several inputs feed."""
        output = claim.output
        if not claim.is_armed:
            test_motion(claim)
            self.board.contend(claim, now)
        elif output.members and claim in output.members:
            self.board.follow(output, output.blended, now)
        elif output.winner is claim:
            self.board.follow(output, claim.value, now)

    def _guide(self, stream: InputStream, now: float) -> None:
        """Apply the next sample to conditions, and to claims with filters or conditions: to these
        an input that did not change matters too.
        """
        has_changed = conditions.update(stream.feeds, stream.values, now)
        if self.latch.active:
            return
        if has_changed:
            self._reconsider(now)
        apply_sample(self.board, stream, now)

    def _reconsider(self, now: float) -> None:
        """Decide again for the fields of claims with conditions: one has begun or ended."""
        plans = [claim.plan for claim in self.claims if claim.plan is not None]
        outputs = [plan.claim.output for plan in plans if plan.guide and plan.guide.has_conditions]
        for output in dict.fromkeys(outputs):
            self.board.decide(output, now)

    def _revive(
        self, source: InputSource, stream: InputStream, old: tuple[float, ...], now: float
    ) -> None:
        """Apply the first sample of a stream, or the first after a pause or a change of names."""
        was_lost, source.failsafe, source.wants_stop = source.failsafe, False, False
        source.is_guarding = source.kind == "safety"
        for plan in stream.plans:
            claim = plan.claim
            if claim.stream is not None and claim.deadline <= now:
                claim.steady_at = now + self.board.hysteresis_s
        stream.received = now
        for plan in stream.plans:
            plan.claim.stream, plan.claim.plan = stream, plan
        self._press_switches(stream, old, now)
        has_changed = conditions.update(stream.feeds, stream.values, now)
        if source.is_guarding:
            self.board.wake(now + source.timeout_s)
        if self.latch.active:
            return
        for plan in stream.plans:
            test_motion(plan.claim)
            self.board.contend(plan.claim, now)
        if has_changed:
            self._reconsider(now)
        if was_lost:
            self.board.lose_source(source.name, now)  # what it holds and no longer feeds

    # Signals that are lost

    def _fail(self, source: InputSource, message: InputSample, now: float) -> None:
        """Apply a failsafe sample: the source reports that its signal is lost. Without names other
        sources may win its fields; with inputs and values it holds them; "estop" stops the robot.
        """
        source.failsafe = True
        for claim in self.claims:
            if claim.source == source.name and claim.stream is not None:
                claim.stream.received = NEVER
        for stream in source.streams.values():
            stream.received = NEVER
        source.wants_stop = tuple(message.names) == (ESTOP,)
        if source.wants_stop or source.kind == "safety":
            source.is_guarding = False
            self.raise_estop(source.name, "its signal is lost", now, is_repeat=True)
        values = dict(zip(message.names, message.values, strict=False))
        if self.latch.active:
            self._end_conditions(source)
            return
        if values and all(map(isfinite, values.values())):
            self.board.hold_source(source.name, values, now + KEEP_S, now)
        else:
            self.board.lose_source(source.name, now)
        if self._end_conditions(source):
            self._reconsider(now)

    def _end_conditions(self, source: InputSource) -> bool:
        """End what this source's samples decide; return whether any condition held."""
        feeds = [feed for stream in source.streams.values() for feed in stream.feeds]
        return conditions.end(feeds)

    # Time

    def advance(self, now: float) -> None:
        """Time out sources and locks, go on with ramps and slews."""
        self._exclusive.expire(now)
        self.board.advance(now)
        for source in self.sources.values():
            if source.is_guarding:
                self._watch(source, now)
        self.board.wake(self.locks.wake_at)

    def _watch(self, source: InputSource, now: float) -> None:
        """Raise the e-stop when a safety input times out."""
        if source.is_alive(now):
            self.board.wake(source.received + source.timeout_s)
            return
        source.is_guarding = False
        self.raise_estop(source.name, "its signal timed out", now, is_repeat=True)

    def measure(self, now: float) -> None:
        """Update the sources' sample rates."""
        for source in self.sources.values():
            measure(source, now)

    # E-stop

    def raise_estop(self, source: str, reason: str, now: float, *, is_repeat: bool = False) -> None:
        """Stop every output at once. A press while stopped is recorded too: a clear must see it."""
        was_active = self.latch.active
        self.latch = latches.raised(self.latch, source, reason, is_repeat=is_repeat)
        if not was_active:
            self.board.stop_all(now)
        if self.locks.end_of_people():
            self._exclusive.apply()

    def stamp_presses(self, wall: str) -> None:
        """Write the time of day into presses that have none."""
        self.latch = latches.stamped(self.latch, wall)

    def check_clear(self, generation: int, now: float) -> None:
        """Raise SaintError refused if a press came after `generation`, or if an input still
        requests motion or the stop.
        """
        latches.check_clear(self.latch, generation, self.claims, self.sources.values(), now)

    def clear_estop(self, source: str, generation: int, now: float) -> None:
        """Clear the latch, or raise SaintError as check_clear() does. No input drives anything
        until it was moved.
        """
        if not self.latch.active:
            return
        self.check_clear(generation, now)
        self.latch = latches.cleared(self.latch, source)
        self._planner.must_move = True
        for claim in self.claims:
            claim.disarm([None] * len(claim.inputs))
        for each in self.sources.values():
            for stream in each.streams.values():
                _refer(stream, now)
        self.board.rest_all(now)
        self.board.wake(now)  # a safety input may have timed out meanwhile

    def _press_switches(self, stream: InputStream, old: tuple[float, ...], now: float) -> None:
        """Raise the e-stop for stop switches that are on. One that was switched on since `old` is a
        person's press; one that is held repeats itself.
        """
        for index, is_on, route in stream.stops:
            if is_on(stream.values[index]):
                is_held = not old or is_on(old[index])
                reason = f"{stream.names[index]} (route {route})"
                self.raise_estop(stream.source, reason, now, is_repeat=is_held)

    # Exclusive control

    def take_control(
        self, target: str, holder: str, timeout_s: float, now: float, *, takes_over: bool = False
    ) -> None:
        """Let only this source, and class safety, drive the target from now on."""
        ended = self._exclusive.take(target, holder, timeout_s, now, takes_over=takes_over)
        self.masters.begin(holder, ended, now)
        self._exclusive.relock(now)

    def release_control(self, target: str, holder: str, now: float, *, force: bool = False) -> None:
        """End exclusive control of the target."""
        self._exclusive.release(target, holder, now, force=force)

    # Routes

    def set_routes(
        self, routes: Sequence[Route], now: float, blending: Blending | None = None
    ) -> None:
        """Replace all routes. Claims that still exist keep control without a break; a value that
        jumps is cross-faded.
        """
        blending = blending or self.blending
        check_file(RouteFile(routes=list(routes), blending=blending), self.robot)
        planner = self._planner
        self.blending = blending
        planner.use(routes)
        planner.timeout_of = timeouts(blending)
        planner.is_editing = True
        streams = [(s, stream) for s in self.sources.values() for stream in s.streams.values()]
        for source, stream in streams:
            planner.compile(source, stream)
        planner.is_editing = False
        kept = {id(claim) for _, stream in streams for claim in stream.claims}
        planner.drop([claim for claim in self.claims if id(claim) not in kept])
        self._exclusive.apply()
        for source, stream in streams:
            if stream.values and not source.failsafe:
                self._recompute(source, stream, now)
        self.board.configure(blending)
        if not self.latch.active:
            self._rearrange(now)

    def _recompute(self, source: InputSource, stream: InputStream, now: float) -> None:
        """Evaluate a stream's newest values with its new plans."""
        for plan in stream.plans:
            claim = plan.claim
            # Of two streams received at the same moment the claim keeps its own: the values of the
            # other differ from where the inputs stood at a clear, and would count as motion.
            own = claim.stream
            if own is None or own is stream or own.received < stream.received:
                claim.stream, claim.plan = stream, plan
        if stream.received + source.timeout_s > now:
            self._press_switches(stream, stream.values, now)
        if self.latch.active:
            return
        for plan in stream.plans:
            if plan.claim.plan is plan:
                test_motion(plan.claim)

    def _rearrange(self, now: float) -> None:
        """Decide again for every field which claim is in control."""
        for output in self.outputs:
            winner = output.winner
            if output.members or (winner is not None and winner.value != output.want):
                output.fade(output.blend_time_s, now)
        self.board.decide_all(now)


def _refer(stream: InputStream, now: float) -> None:
    """Require inputs to move away from where they stand now. A stick that timed out may have been
    moved unseen: its next value is where it stands.
    """
    for plan in stream.plans:
        claim = plan.claim
        if claim.stream is stream and stream.values and (claim.is_direct or claim.is_live(now)):
            for part, index in plan.inputs:
                claim.reference[part] = stream.values[index]
