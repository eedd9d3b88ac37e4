"""Compiles routes for one stream of samples: which input index feeds which claim through which
mapping. Done once per stream and set of routes, so that a sample costs a few look-ups.
"""

from collections.abc import Iterable
from collections.abc import Mapping as Dictionary
from dataclasses import dataclass, field

from ..lib.api.routing import Mapping, Route
from .arbitration import Claim, Step, Stop, disarm
from .mapping import asked, shape, switch
from .outputs import Output
from .routes import ESTOP, applies, lets_through, priority
from .sources import Source, Stream

MOVED = 0.05  # of an input's nominal range of 1: more than jitter, less than an intention
MOVED_DIRECT = 0.005  # of a field's range: programs do not jitter
WIDE = 1e12  # bound of one of several mappings that add up

Key = tuple[str, str, str, str]  # route, source, target, field


@dataclass(slots=True)
class Planner:
    """Makes and keeps the claims; they outlive a change of routes as far as they still exist."""

    outputs: Dictionary[tuple[str, str], Output]
    routes: tuple[Route, ...] = ()
    claims: dict[Key, Claim] = field(default_factory=dict)
    # What comes new must be moved before it moves anything: after the first reset everything,
    # at a change of routes the velocities.
    must_move: bool = False
    must_move_velocity: bool = False

    def compile(self, source: Source, stream: Stream) -> None:
        """Fill in the stream's steps, stops and claims."""
        steps: list[Step] = []
        stops: list[Stop] = []
        stream.unknown = 0
        for order, route in enumerate(self.routes):
            if not applies(route, source, stream.target, stream.names):
                continue
            if route.mapping == "passthrough":
                steps += self._direct(order, route, source, stream)
            else:
                steps += self._mapped(order, route, source, stream, route.mapping)
                stops += _stops(route, stream, route.mapping)
        stream.steps, stream.stops = tuple(steps), tuple(stops)
        stream.claims = tuple(dict.fromkeys(claim for _, _, claim, _ in steps))
        waits = [claim.timeout_s for claim in stream.claims]
        stream.patience_s = min([source.timeout_s, *waits])

    def _direct(self, order: int, route: Route, source: Source, stream: Stream) -> Iterable[Step]:
        target = stream.target or route.output.target
        for index, name in enumerate(stream.names):
            output = self.outputs.get((target, name))
            if output is None:
                stream.unknown += 1
            elif lets_through(route, name, output.is_velocity):
                mapping = Mapping.model_validate({"from": name, "to": name})
                claim = self._claim(order, route, source, output, [mapping])
                yield index, shape(mapping, output.low, output.high), claim, -1

    def _mapped(
        self, order: int, route: Route, source: Source, stream: Stream, mappings: list[Mapping]
    ) -> Iterable[Step]:
        by_field: dict[str, list[Mapping]] = {}
        for mapping in mappings:
            if mapping.to != ESTOP:
                by_field.setdefault(mapping.to, []).append(mapping)
        for name, several in by_field.items():
            if not any(mapping.from_ in stream.names for mapping in several):
                continue
            output = self.outputs[route.output.target, name]
            claim = self._claim(order, route, source, output, several)
            is_alone = len(several) == 1
            low, high = (output.low, output.high) if is_alone else (-WIDE, WIDE)
            for part, mapping in enumerate(several):
                if mapping.from_ in stream.names:
                    index = stream.names.index(mapping.from_)
                    yield index, shape(mapping, low, high), claim, -1 if is_alone else part

    def _claim(
        self, order: int, route: Route, source: Source, output: Output, mappings: list[Mapping]
    ) -> Claim:
        key = (route.id, source.name, output.target, output.field)
        claim = self.claims.get(key)
        if claim is None:
            claim = self.claims[key] = Claim(route.id, source.name, output, 0, 0.0, 0, 0.0)
            output.claims.append(claim)
            self._set_caution(claim, is_direct=route.mapping == "passthrough")
        span = output.high - output.low
        claim.priority = priority(route)
        claim.timeout_s = route.timeout_ms / 1000 if route.timeout_ms else source.timeout_s
        claim.order = order
        claim.move = MOVED_DIRECT * span if route.mapping == "passthrough" else MOVED
        claim.inputs = [mapping.from_ for mapping in mappings]
        claim.asks = [asked(mapping) for mapping in mappings]
        claim.parts = [0.0] * len(mappings)
        if len(claim.reference) != len(mappings):
            claim.reference = [None] * len(mappings)
        output.claims.sort(key=lambda each: (-each.priority, each.order))
        return claim

    def _set_caution(self, claim: Claim, *, is_direct: bool) -> None:
        """A claim that was not there before: may it drive at once? A program that never commanded
        this field may: what it sends now is its first motion.
        """
        is_velocity = claim.output.is_velocity
        if (self.must_move_velocity and is_velocity) or (self.must_move and not is_direct):
            disarm(claim, [None])

    def drop(self, claims: Iterable[Claim]) -> None:
        """Forget these claims. Their outputs must not have them as winner any more."""
        for claim in claims:
            claim.output.claims.remove(claim)
            del self.claims[claim.route, claim.source, claim.output.target, claim.output.field]


def _stops(route: Route, stream: Stream, mappings: list[Mapping]) -> Iterable[Stop]:
    for mapping in mappings:
        if mapping.to == ESTOP and mapping.from_ in stream.names:
            yield stream.names.index(mapping.from_), switch(mapping), route.id
