"""The router: samples, time and requests in; outputs, the latch and the next moment of interest
out. Holds the state of all parts and the order in which they decide; the decisions themselves are
in mapping, arbitration, outputs (loss), sources (freshness), plan and estop. No clock, no I/O.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import isfinite

from ..lib.api.routing import Route
from ..lib.errors import Code, SaintError
from ..lib.generated.saint_msgs import InputSample
from . import estop
from .arbitration import Claim, choose, disarm, has_moved
from .outputs import STEP_S, Output, drive, lose, rest, step, stop
from .plan import Planner
from .routes import check_all
from .sources import (
    MAX_NAMES,
    MAX_SOURCES,
    MAX_STREAMS,
    NEVER,
    Source,
    Stream,
    is_restart,
    kind_of,
    measure,
)
from .targets import Robot

FOREVER = float("inf")


class Router:
    """Feed it with sample() and advance(); read `dirty`, `wake_at`, `latch` and the outputs."""

    def __init__(
        self, robot: Robot, routes: Sequence[Route] = (), latch: estop.Latch | None = None
    ) -> None:
        self.robot = robot
        self.by_name = robot.outputs()
        self.outputs = tuple(self.by_name.values())
        self.sources: dict[str, Source] = {}
        self.latch = latch or estop.Latch()
        self.samples = 0
        self.refused: Counter[str] = Counter()
        self.dirty: set[int] = set()  # commands whose fields changed; the reader empties it
        self.wake_at = FOREVER  # advance() is due then
        self._planner = Planner(self.by_name)
        check_all(routes, robot)
        self._planner.routes = tuple(routes)
        if self.latch.active:
            self._stop_all(0.0)

    @property
    def routes(self) -> tuple[Route, ...]:
        return self._planner.routes

    @property
    def claims(self) -> Iterable[Claim]:
        return self._planner.claims.values()

    # Samples. This is the hot path: nothing is built that is not needed.

    def sample(self, message: InputSample, origin: str, now: float) -> bool:
        """Route one sample. False when it was refused; `refused` counts why."""
        source = self.sources.get(message.source) or self._new_source(message.source)
        if source is None:
            return False
        sequence = message.sequence
        if sequence <= source.sequence and not is_restart(source, sequence, origin, now):
            self.refused["repeated sequence"] += 1
            return False
        if message.failsafe:
            self._accept(source, sequence, origin, now)
            self._fail(source, now)
            return True
        names, values = message.names, message.values
        last = stream = source.stream
        if stream is None or names is not stream.names or message.target != stream.target:
            stream = self._stream(source, message.target, names)
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
        source.failsafe = False
        stream.received = now
        old, stream.values = stream.values, values if type(values) is tuple else tuple(values)
        if not is_same:
            self._revive(stream, now)
        elif values != old:
            self._follow(stream, old, now)
        return True

    def _accept(self, source: Source, sequence: int, origin: str, now: float) -> None:
        source.sequence = sequence
        source.origin = origin
        source.received = now
        source.samples += 1
        self.samples += 1

    def _follow(self, stream: Stream, old: tuple[float, ...], now: float) -> None:
        """The next sample of a living stream: only what changed matters."""
        values = stream.values
        for index, is_on, route in stream.stops:
            if is_on(values[index]):
                self._pull(stream, index, route, now)
        is_stopped = self.latch.active
        for index, shape, claim, part in stream.steps:
            x = values[index]
            if x == old[index]:
                continue
            if part < 0:
                claim.value = value = shape(x)
            else:
                claim.parts[part] = shape(x)
                value = _added(claim)
            if is_stopped or not (claim.is_armed or has_moved(claim, part, x)):
                continue
            output = claim.output
            winner = output.winner
            if winner is claim:
                drive(output, value, now)
                self.dirty.add(output.command)
                if output.is_moving:
                    self._wake(now + STEP_S)
            elif winner is None or claim.priority > winner.priority:
                self._take(claim, now)

    def _revive(self, stream: Stream, now: float) -> None:
        """The first sample of a stream, or the first after a pause or a change of names."""
        for claim in stream.claims:
            claim.stream = stream
            claim.parts = [0.0] * len(claim.parts)
        for index, is_on, route in stream.stops:
            if is_on(stream.values[index]):
                self._pull(stream, index, route, now)
        for index, shape, claim, part in stream.steps:
            x = stream.values[index]
            if part < 0:
                claim.value = shape(x)
            else:
                claim.parts[part] = shape(x)
                _added(claim)
            if not claim.is_armed and not self.latch.active:
                has_moved(claim, part, x)
        if not self.latch.active:
            for claim in stream.claims:
                self._contend(claim, now)

    def _contend(self, claim: Claim, now: float) -> None:
        output = claim.output
        winner = output.winner
        if not claim.may_drive(now):
            return
        if winner is claim or winner is None or claim.priority > winner.priority:
            self._take(claim, now)

    def _take(self, claim: Claim, now: float) -> None:
        """This claim is in control of its field."""
        output = claim.output
        if output.winner is not claim:
            output.winner = claim
            output.changed_at = now
        output.policy = "live"
        output.is_driven = True
        drive(output, claim.value, now)
        self.dirty.add(output.command)
        self._wake(min(claim.deadline, now + STEP_S) if output.is_moving else claim.deadline)

    def _fail(self, source: Source, now: float) -> None:
        """The source says itself that its signal is lost."""
        source.failsafe = True
        for claim in self.claims:
            if claim.source == source.name and claim.stream is not None:
                claim.stream.received = NEVER
        for stream in source.streams.values():
            stream.received = NEVER
        for output in self.outputs:
            if output.winner is not None and output.winner.source == source.name:
                self._release(output, now, now)

    def _wake(self, at: float) -> None:
        if at < self.wake_at:
            self.wake_at = at

    # Time

    def advance(self, now: float) -> None:
        """Let time pass: sources time out, ramps and slews go on."""
        self.wake_at = FOREVER
        for output in self.outputs:
            winner = output.winner
            if winner is not None and winner.deadline <= now:
                self._release(output, winner.deadline, now)
            if output.is_moving:
                step(output, now)
                self.dirty.add(output.command)
            if output.is_moving:
                self._wake(now + STEP_S)
            if output.winner is not None:
                self._wake(output.winner.deadline)

    def _release(self, output: Output, lost_at: float, now: float) -> None:
        """The winner is lost: the next in line, or the loss policy."""
        claim = choose(output, now)
        if claim is not None:
            self._take(claim, now)
            return
        lose(output, lost_at, now)
        self.dirty.add(output.command)
        if output.is_moving:
            self._wake(now + STEP_S)

    def measure(self, now: float) -> None:
        """Renew the sources' rates; called now and then."""
        for source in self.sources.values():
            measure(source, now)

    # E-stop

    def raise_estop(self, source: str, reason: str, now: float) -> None:
        """Stop everything; asking again changes nothing."""
        if self.latch.active:
            return
        self.latch = estop.raised(self.latch, source, reason)
        self._stop_all(now)

    def clear_estop(self, source: str, now: float) -> None:
        """Raises SaintError refused when something still asks for motion or for the stop."""
        if not self.latch.active:
            return
        objection = estop.objection(self.claims, self.sources.values(), now)
        if objection:
            raise SaintError(
                Code.REFUSED,
                f"the e-stop stays: {objection}",
                fix="Bring it to neutral, or switch it off, and clear the e-stop again.",
            )
        self.latch = estop.cleared(self.latch, source)
        self._planner.must_move = True
        for claim in self.claims:
            disarm(claim, [None] * len(claim.parts))
        for each in self.sources.values():
            for stream in each.streams.values():
                _refer(stream)
        for output in self.outputs:
            rest(output, now)

    def _pull(self, stream: Stream, index: int, route: str, now: float) -> None:
        self.raise_estop(stream.source, f"{stream.names[index]} (route {route})", now)

    def _stop_all(self, now: float) -> None:
        for output in self.outputs:
            stop(output, now)
        self.dirty.clear()
        self.wake_at = FOREVER

    # Routes

    def set_routes(self, routes: Sequence[Route], now: float) -> None:
        """Replace all routes. Claims that stay keep control without a break."""
        check_all(routes, self.robot)
        planner = self._planner
        planner.routes = tuple(routes)
        planner.must_move_velocity = True
        streams = [(s, stream) for s in self.sources.values() for stream in s.streams.values()]
        for source, stream in streams:
            planner.compile(source, stream)
        planner.must_move_velocity = False
        kept = {id(claim) for _, stream in streams for claim in stream.claims}
        self._drop([claim for claim in self.claims if id(claim) not in kept], now)
        for source, stream in streams:
            if stream.values and not source.failsafe:
                self._recompute(source, stream, now)
        self._rearrange(now)

    def _recompute(self, source: Source, stream: Stream, now: float) -> None:
        """Evaluate a stream's newest values with its new steps."""
        for claim in stream.claims:
            if claim.stream is None or claim.stream.received <= stream.received:
                claim.stream = stream
        for index, is_on, route in stream.stops:
            if stream.received + source.timeout_s > now and is_on(stream.values[index]):
                self._pull(stream, index, route, now)
        for index, shape, claim, part in stream.steps:
            if claim.stream is not stream:
                continue
            x = stream.values[index]
            claim.parts[part] = claim.value = shape(x)
            if part >= 0:
                _added(claim)
            if not claim.is_armed and not self.latch.active:
                has_moved(claim, part, x)

    def _rearrange(self, now: float) -> None:
        """Priorities may have changed: ask for every field anew who is in control."""
        if self.latch.active:
            return
        for output in self.outputs:
            claim = choose(output, now)
            if claim is not None:
                self._take(claim, now)
            elif output.winner is not None:
                self._release(output, now, now)

    def _drop(self, claims: list[Claim], now: float) -> None:
        self._planner.drop(claims)
        gone = {id(claim) for claim in claims}
        for output in self.outputs:
            if id(output.winner) in gone:
                output.winner = None
                self._release(output, now, now)

    # Sources

    def _new_source(self, name: str) -> Source | None:
        kind = kind_of(name)
        if kind is None:
            self.refused["unknown source"] += 1
            return None
        if len(self.sources) >= MAX_SOURCES and not self._make_room():
            self.refused["too many sources"] += 1
            return None
        source = self.sources[name] = Source(name, kind)
        return source

    def _make_room(self) -> bool:
        """Forget the source that was silent for longest, if it is in control of nothing."""
        busy = {output.winner.source for output in self.outputs if output.winner}
        idle = [source for source in self.sources.values() if source.name not in busy]
        if not idle:
            return False
        oldest = min(idle, key=lambda source: source.received)
        self._planner.drop([claim for claim in self.claims if claim.source == oldest.name])
        del self.sources[oldest.name]
        return True

    def _stream(self, source: Source, target: str, names: Sequence[str]) -> Stream | None:
        """The stream of samples with this target and these names, compiled when it is new."""
        names = names if type(names) is tuple else tuple(names)
        key = (target, names)
        stream = source.streams.get(key)
        if stream is not None:
            source.streams.move_to_end(key)
            stream.names = names  # the next comparison is by identity
            return stream
        if target and target not in self.robot.fields:
            self.refused["unknown target"] += 1
            return None
        if len(names) > MAX_NAMES or len(set(names)) != len(names):
            self.refused["names too many or twice"] += 1
            return None
        if len(source.streams) >= MAX_STREAMS:
            source.streams.popitem(last=False)
        stream = source.streams[key] = Stream(source.name, target, names)
        self._planner.compile(source, stream)
        return stream


def _added(claim: Claim) -> float:
    """Several mappings of one route to one field add up."""
    output = claim.output
    claim.value = min(max(sum(claim.parts), output.low), output.high)
    return claim.value


def _refer(stream: Stream) -> None:
    """Inputs have to move away from where they stand now."""
    for index, _, claim, part in stream.steps:
        if claim.stream is stream and stream.values:
            claim.reference[part] = stream.values[index]
