"""Which routes stop the robot, and which of these stops a change of the routes would remove. Pure.
Not here: permissions (webd), applying a change (api.py).
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from urllib.parse import quote

from ...lib.api.mapping import Mapping
from ...lib.api.routing import Route, RouteFile
from ...lib.errors import Code, SaintError
from ..inputs.source_classes import SAFETY, timeouts
from .checks import ANY, COMMAND_TYPES, ESTOP, priority

_SWITCHES = ("rc", "safety")  # classes whose stop a person presses on a device of its own


@dataclass(frozen=True, slots=True)
class StopChange:
    """The stops that a change affects, by the names that a confirmation repeats."""

    lost: tuple[str, ...] = ()  # ROUTE:INPUT of a stop, ROUTE of the safety class
    gained: tuple[str, ...] = ()  # routes that would come before every other one and every lock

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.lost, *self.gained)

    def check(self, confirmed: Collection[str]) -> None:
        """Raise SaintError stop_changed, with all names, unless each of them is confirmed."""
        if set(self.names) <= set(confirmed):
            return
        parts = []
        if self.lost:
            parts.append(f"these would no longer stop the robot: {', '.join(self.lost)}")
        if self.gained:
            routes = ", ".join(self.gained)
            parts.append(f"these would override every other input and every lock: {routes}")
        raise SaintError(Code.STOP_CHANGED, "; ".join(parts), names=self.names)


def change(before: RouteFile, after: RouteFile) -> StopChange:
    """Compare two sets of routes: lost stops, and routes that newly are of the safety class."""
    old, new = _stops(before.routes), _stops(after.routes)
    lost = [
        f"{route.id}:{quote(mapping.from_, safe='')}"
        for route, mapping in old
        if not any(_stops_as(each, (route, mapping)) for each in new)
    ]
    was, is_now = list(_safety(before)), list(_safety(after))
    lost += [each.route.id for each in was if not any(now.replaces(each) for now in is_now)]
    gained = [now.route.id for now in is_now if not any(each.covers(now) for each in was)]
    return StopChange(_once(lost), _once(name for name in gained if name not in lost))


def switches(routes: Iterable[Route]) -> tuple[str, ...]:
    """Return the stops that a person presses on a transmitter or a safety device."""
    found = _stops(routes)
    return _once(
        f"{route.id}:{quote(mapping.from_, safe='')}"
        for route, mapping in found
        if route.input.source in _SWITCHES
    )


Stop = tuple[Route, Mapping]


def _stops(routes: Iterable[Route]) -> list[Stop]:
    return [
        (route, mapping)
        for route in routes
        if route.enabled and route.mapping != "passthrough"
        for mapping in route.mapping
        if mapping.to == ESTOP
    ]


def _stops_as(stop: Stop, other: Stop) -> bool:
    """Return whether this stop acts whenever the other one does."""
    (route, mapping), (old_route, old) = stop, other
    if mapping.from_ != old.from_ or mapping.inverted is not old.inverted:
        return False
    is_easier = mapping.threshold >= old.threshold if old.inverted else (
        mapping.threshold <= old.threshold
    )  # fmt: skip
    return is_easier and _matches(route, old_route)


def _matches(route: Route, other: Route) -> bool:
    """Return whether this route is for every sample that the other one is for."""
    mine, theirs = route.input, other.input
    return (
        mine.source == theirs.source
        and (mine.source == "rc" or mine.subject in (ANY, theirs.subject))
        and mine.type in ("", theirs.type)
        and route.output.target in (ANY, other.output.target)
    )


@dataclass(frozen=True, slots=True)
class _Safety:
    """A route of the safety class that drives something, with its time-out."""

    route: Route
    timeout_ms: float

    def replaces(self, other: "_Safety") -> bool:
        """Return whether this route covers the other one with no longer a time-out."""
        return self.covers(other) and self.timeout_ms <= other.timeout_ms

    def covers(self, other: "_Safety") -> bool:
        """Return whether this route drives, with no lower priority, all that the other one does."""
        mine, theirs = self.route, other.route
        return (
            _matches(mine, theirs)
            and priority(mine) >= priority(theirs)
            and _kinds(theirs) <= _kinds(mine)
            and _drives(mine, theirs)
        )


def _drives(route: Route, other: Route) -> bool:
    if route.mapping == "passthrough" or other.mapping == "passthrough":
        return route.mapping == other.mapping
    return all(each in route.mapping for each in other.mapping if each.to != ESTOP)


def _kinds(route: Route) -> set[str]:
    """Return the kinds of commands that a route lets through; an empty list stands for all."""
    return {COMMAND_TYPES[each] for each in route.input.command_types or COMMAND_TYPES}


def _safety(file: RouteFile) -> Iterable[_Safety]:
    timeout_s = timeouts(file.blending)
    for route in file.routes:
        is_safety = route.input.source == "safety" or priority(route) >= SAFETY
        drives = route.mapping == "passthrough" or any(m.to != ESTOP for m in route.mapping)
        if route.enabled and is_safety and drives:
            own_ms = route.timeout_ms or 1000 * timeout_s(route.input.source)
            yield _Safety(route, own_ms)


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
