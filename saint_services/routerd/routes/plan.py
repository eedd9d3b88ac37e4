"""Compiles routes for a stream of samples: which input index feeds which claim through which
mapping. Done once per stream and set of routes, so that a sample costs a few look-ups.
"""

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Mapping as Dictionary
from dataclasses import dataclass, field

from ...lib.api.mapping import Mapping
from ...lib.api.routing import Route, SourceClass
from ..fields.claims import Claim, Evaluation, InputStream, OutputField, StopInput, StreamPlan
from ..fields.guided import Guide, GuidedTerm
from ..fields.guided_samples import steps_of
from ..fields.sample_clock import SampleClock
from ..fields.targets import CommandLayout, Modifier
from ..inputs.source_classes import TIMEOUTS_S
from ..inputs.sources import InputSource
from .checks import ESTOP, applies, lets_through, place, priority
from .conditions import Gates
from .filters import filters_of
from .mapping import Shape, line_of, shape, switch, unbounded

MOVED = 0.05  # of an input's nominal range of 1: more than jitter, less than an intention
MOVED_DIRECT = 0.005  # of a field's range: programs do not jitter
WIDE = 1e12  # bound of one of several mappings that add up

Key = tuple[str, str, str, str]  # route, source, target, field


@dataclass(slots=True)
class Planner:
    """Makes and holds the claims. A claim outlives an edit of the routes if it is still made."""

    outputs: Dictionary[tuple[str, str], OutputField]
    commands: Sequence[CommandLayout] = ()
    routes: tuple[Route, ...] = ()
    timeout_of: Callable[[SourceClass], float] = TIMEOUTS_S.__getitem__
    claims: dict[Key, Claim] = field(default_factory=dict)
    # The input of a new claim must be moved before it drives: after the first clear of any claim,
    # at a change of routes of a velocity.
    must_move: bool = False
    is_editing: bool = False  # the routes are being changed: their claims are fed by known streams
    gates: Gates = field(default_factory=Gates)

    def use(self, routes: Iterable[Route]) -> None:
        """Compile these routes from now on."""
        self.routes = tuple(routes)
        self.gates.use(self.routes)

    def compile(self, source: InputSource, stream: InputStream) -> list[Claim]:
        """Fill in the stream's plans and stops; return the claims that are new."""
        known = len(self.claims)
        plans: list[StreamPlan] = []
        stops: list[StopInput] = []
        stream.unknown = 0
        source.timeout_s = self.timeout_of(source.kind)
        for order, route in enumerate(self.routes):
            if not applies(route, source, stream.target, stream.names):
                continue
            may_drive = source.is_known or source.kind != "safety"
            if route.mapping == "passthrough":
                plans += self._direct(order, route, source, stream) if may_drive else ()
            else:
                if may_drive:
                    plans += self._mapped(order, route, source, stream, route.mapping)
                stops += _stops(route, stream, route.mapping)
        stream.clock = SampleClock()
        stream.guided = steps_of(plans, stream.clock)
        self._set_feeds(source, stream)
        plain = [plan for plan in plans if plan.guide is None]
        singles = [plan for plan in plain if len(plan.claim.inputs) == 1]
        stream.steps = tuple(
            (plan.inputs[0][1], _only(plan.evaluate), plan.claim) for plan in singles
        )
        stream.sums = tuple(plan for plan in plain if len(plan.claim.inputs) > 1)
        stream.plans, stream.stops = tuple(plans), tuple(stops)
        stream.paced = tuple(plan for plan in plans if plan.modifiers)
        waits = [plan.claim.timeout_s for plan in plans]
        stream.patience_s = min([source.timeout_s, *waits])
        return list(self.claims.values())[known:]

    def _set_feeds(self, source: InputSource, stream: InputStream) -> None:
        """Let the stream decide the conditions that it is about. A command decides none, and an
        unknown safety device none either: it may stop, never drive.
        """
        may_decide = not stream.target and (source.is_known or source.kind != "safety")
        names = stream.names if may_decide else ()
        gates = self.gates if may_decide else Gates()
        stream.feeds = gates.feeds(source.name, source.timeout_s, names, stream.feeds)
        stream.is_guided = bool(stream.guided or stream.feeds)

    def _direct(
        self, order: int, route: Route, source: InputSource, stream: InputStream
    ) -> Iterable[StreamPlan]:
        target = stream.target or route.output.target
        modifiers = self._modifiers(target, stream)
        for index, name in enumerate(stream.names):
            output = self.outputs.get((target, name))
            if output is None:
                stream.unknown += not any(name == m.name for _, m, _ in modifiers)
            elif lets_through(route, name, output.is_velocity):
                mapping = Mapping.model_validate({"from": name, "to": name})
                claim = self._claim(order, route, source, output, [mapping])
                plan = _plan(claim, [mapping], {name: index})
                plan.modifiers = tuple((m, at) for c, m, at in modifiers if c == output.command)
                yield plan

    def _modifiers(self, target: str, stream: InputStream) -> list[tuple[int, Modifier, int]]:
        """Return command, modifier and input index of the modifiers among the stream's names."""
        return [
            (number, modifier, stream.names.index(modifier.name))
            for number, command in enumerate(self.commands)
            if command.target == target
            for modifier in command.modifiers
            if modifier.name in stream.names
        ]

    def _mapped(
        self,
        order: int,
        route: Route,
        source: InputSource,
        stream: InputStream,
        mappings: list[Mapping],
    ) -> Iterable[StreamPlan]:
        indices = {name: index for index, name in enumerate(stream.names)}
        by_field: dict[tuple[str, str], list[Mapping]] = {}
        for mapping in mappings:
            if mapping.to != ESTOP:
                by_field.setdefault(place(route, mapping), []).append(mapping)
        for where, several in by_field.items():
            if any(mapping.from_ in indices for mapping in several):
                claim = self._claim(order, route, source, self.outputs[where], several)
                yield self._guided(route, _plan(claim, several, indices), several, indices)

    def _guided(
        self,
        route: Route,
        plan: StreamPlan,
        mappings: list[Mapping],
        indices: Dictionary[str, int],
    ) -> StreamPlan:
        """Return the plan, with a guide if its mappings need one."""
        is_sum = len(mappings) == 1 or route.combine == "sum"
        if is_sum and not any(each.is_filtered or each.only_while for each in mappings):
            return plan
        output = plan.claim.output
        low, high = (output.low, output.high) if len(mappings) == 1 else (-WIDE, WIDE)
        terms = [
            GuidedTerm(
                indices[each.from_],
                shape(each, low, high),
                unbounded(each),
                filters_of(each, output.high - output.low),
                self.gates.of(each.only_while),
                line=line_of(each, low, high),
            )
            for each in mappings
            if each.from_ in indices
        ]
        guide = plan.guide = Guide(
            *(tuple(terms), output.low, output.high, output.rest, output.is_velocity),
            *(route.combine, plan.claim.timeout_s),
        )
        if plan.claim.is_driving:  # an edit: go on from where the output stands
            guide.restart(output.value)
        plan.evaluate, plan.unbounded = guide.raw, guide.unbounded
        return plan

    def _claim(
        self,
        order: int,
        route: Route,
        source: InputSource,
        output: OutputField,
        mappings: list[Mapping],
    ) -> Claim:
        key = (route.id, source.name, output.target, output.field)
        claim = self.claims.get(key)
        if claim is None:
            is_safety = source.kind == "safety"
            claim = self.claims[key] = Claim(route.id, source.name, output, is_safety)
            output.add(claim)
        names = [mapping.from_ for mapping in mappings]
        if claim.inputs != names:
            claim.inputs, claim.is_direct = names, route.mapping == "passthrough"
            self._set_caution(claim)
        span = output.high - output.low
        claim.priority = priority(route)
        claim.weight = claim.priority if route.weight is None else route.weight
        claim.timeout_s = route.timeout_ms / 1000 if route.timeout_ms else source.timeout_s
        claim.order = order
        claim.move = MOVED_DIRECT * span if claim.is_direct else MOVED
        output.sort_claims()
        return claim

    def _set_caution(self, claim: Claim) -> None:
        """Decide whether a claim that is new, or that other inputs feed from now on, may drive at
        once. A program that never commanded this field may: what it sends now is its first motion.
        At a change of routes the values are older than the claim, so after a clear none may.
        """
        is_first_motion = claim.is_direct and not self.is_editing
        is_cautious = self.is_editing and claim.output.is_velocity
        if is_cautious or (self.must_move and not is_first_motion):
            claim.is_armed = False
        claim.reference = [None] * len(claim.inputs)

    def drop(self, claims: Iterable[Claim]) -> None:
        """Forget these claims, and their fields with them."""
        for claim in claims:
            del self.claims[claim.route, claim.source, claim.output.target, claim.output.field]
            claim.output.drop(claim)


def _plan(claim: Claim, mappings: Sequence[Mapping], indices: Dictionary[str, int]) -> StreamPlan:
    output = claim.output
    is_alone = len(mappings) == 1
    low, high = (output.low, output.high) if is_alone else (-WIDE, WIDE)
    parts = [(part, each) for part, each in enumerate(mappings) if each.from_ in indices]
    inputs = tuple((part, indices[mapping.from_]) for part, mapping in parts)
    places = [index for _, index in inputs]
    bounded = _sum([(i, shape(m, low, high)) for i, (_, m) in zip(places, parts, strict=True)])
    free = _sum([(i, unbounded(m)) for i, (_, m) in zip(places, parts, strict=True)])
    return StreamPlan(claim, inputs, bounded if is_alone else _within(bounded, output), free)


@dataclass(frozen=True, slots=True)
class _Sum:
    """The sum of several mappings of one route to one field."""

    terms: tuple[tuple[int, Shape], ...]

    def __call__(self, values: Sequence[float]) -> float:
        return sum([run(values[index]) for index, run in self.terms])


def _sum(terms: list[tuple[int, Shape]]) -> _Sum:
    return _Sum(tuple(terms))


def _only(evaluate: Evaluation) -> Shape:
    """Return the mapping of a claim that has only one."""
    assert isinstance(evaluate, _Sum)
    return evaluate.terms[0][1]


def _within(evaluate: Evaluation, output: OutputField) -> Evaluation:
    low, high = output.low, output.high
    return lambda values: min(max(evaluate(values), low), high)


def _stops(route: Route, stream: InputStream, mappings: list[Mapping]) -> Iterable[StopInput]:
    for mapping in mappings:
        if mapping.to == ESTOP and mapping.from_ in stream.names:
            yield stream.names.index(mapping.from_), switch(mapping), route.id
