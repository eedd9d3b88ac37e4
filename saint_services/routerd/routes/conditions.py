"""Conditions of mappings: which samples decide them, and until when they hold. A condition whose
source has timed out, or lost its signal, does not hold. Not here: what follows for a claim
(fields/guided.py).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ...lib.api.mapping import MappingCondition
from ...lib.api.routing import Route
from ..fields.motion import NEVER

MOST_FEEDS = 64  # streams that decide one condition; of more, those that ended first are forgotten


@dataclass(slots=True, eq=False)
class ConditionGate:
    """One condition, decided by every stream that it is about: one of them is enough."""

    condition: MappingCondition
    feeds: list["GateFeed"] = field(default_factory=list)

    @property
    def deadline(self) -> float:
        """Until when the condition holds without another sample; NEVER: it does not hold."""
        return max((feed.deadline for feed in self.feeds), default=NEVER)

    def add(self, feed: "GateFeed") -> None:
        if len(self.feeds) >= MOST_FEEDS:
            self.feeds.remove(min(self.feeds, key=lambda each: each.deadline))
        self.feeds.append(feed)

    def drop(self, feed: "GateFeed") -> None:
        if feed in self.feeds:
            self.feeds.remove(feed)

    def is_about(self, source: str) -> bool:
        wanted = self.condition.source
        if wanted.endswith(":*") or ":" not in wanted:
            return wanted.partition(":")[0] == source.partition(":")[0]
        return wanted == source


@dataclass(slots=True, eq=False)
class GateFeed:
    """What one stream says about a condition."""

    gate: ConditionGate
    index: int | None  # of the input; None: each sample holds
    timeout_s: float
    is_on: bool = False
    deadline: float = NEVER

    def update(self, values: Sequence[float], at: float) -> None:
        """Take a sample of the stream into account."""
        if self.index is not None:
            self.is_on = self._decide(values[self.index])
        else:
            self.is_on = True
        self.deadline = at + self.timeout_s if self.is_on else NEVER

    def _decide(self, value: float) -> bool:
        condition = self.gate.condition
        slack = condition.hysteresis if self.is_on else 0.0
        if condition.above is not None:
            return value >= condition.above - slack
        assert condition.below is not None, "checks.py demands one of both with an input"
        return value < condition.below + slack


def update(feeds: Iterable[GateFeed], values: Sequence[float], now: float) -> bool:
    """Take a sample into account; return whether a condition has begun or ended."""
    has_changed = False
    for feed in feeds:
        was_met = feed.deadline > now
        feed.update(values, now)
        has_changed |= was_met != feed.is_on
    return has_changed


def end(feeds: Iterable[GateFeed]) -> bool:
    """Let nothing hold until the next sample: the signal is lost. Return whether anything did."""
    has_changed = False
    for feed in feeds:
        has_changed |= feed.is_on
        feed.is_on, feed.deadline = False, NEVER
    return has_changed


@dataclass(slots=True)
class Gates:
    """The conditions of all routes. Equal ones are one."""

    known: dict[MappingCondition, ConditionGate] = field(default_factory=dict)

    def use(self, routes: Iterable[Route]) -> None:
        """Keep what these routes name, with its state; forget all else."""
        wanted = [
            condition
            for route in routes
            if route.enabled and route.mapping != "passthrough"
            for mapping in route.mapping
            for condition in mapping.only_while
        ]
        self.known = {each: self.known.get(each) or ConditionGate(each) for each in wanted}

    def of(self, conditions: Iterable[MappingCondition]) -> tuple[ConditionGate, ...]:
        return tuple(self.known[each] for each in conditions)

    def feeds(
        self, source: str, timeout_s: float, names: Sequence[str], old: Iterable[GateFeed]
    ) -> tuple[GateFeed, ...]:
        """Return what a stream decides, with the state of its `old` feeds, which they replace."""
        before = {feed.gate: feed for feed in old}
        for gate, feed in before.items():
            gate.drop(feed)
        found = []
        for gate in self.known.values():
            name = gate.condition.input
            if not gate.is_about(source) or (name and name not in names):
                continue
            feed = GateFeed(gate, names.index(name) if name else None, timeout_s)
            if gate in before:
                feed.is_on, feed.deadline = before[gate].is_on, before[gate].deadline
            gate.add(feed)
            found.append(feed)
        return tuple(found)
