"""Computes what a route would do with given inputs, without storing or moving anything, by the
compiled plans that samples pass through.
"""

from collections.abc import Iterable, Mapping
from math import isnan, nextafter

from ...lib.api.mapping import CURVES_BY_POINTS, condition_text
from ...lib.api.mapping import Mapping as RouteMapping
from ...lib.api.routing import MappingCurve, PreviewCurve, PreviewField, Route, RoutePreview
from ...lib.errors import Code, SaintError
from ...lib.role_config.model import FieldSpec
from ..fields.claims import InputStream
from ..fields.guided import Guide, GuidedTerm
from ..fields.output_fields import output_fields
from ..fields.targets import RobotTargets
from ..inputs.sources import InputSource
from .checks import ANY, ESTOP, check, place
from .conditions import Gates
from .filters import filters_of
from .mapping import Shape, shape, switch
from .plan import Planner

STEP_MS = 20.0  # of a response
MOST_STEPS = 100
LARGEST = 1e300  # JSON has no infinity


def preview(robot: RobotTargets, route: Route, values: Mapping[str, float]) -> RoutePreview:
    """Apply a route to values; raise SaintError request_invalid for an invalid route."""
    check(route, robot)
    wanted = route.input.model_copy(update={"type": "", "subject": ANY})
    tried = route.model_copy(update={"enabled": True, "input": wanted, "mapping": _free(route)})
    planner = Planner(output_fields(robot), robot.commands, (tried,))
    kind = route.input.source
    source = InputSource(kind, kind, planner.timeout_of(kind))
    stream = InputStream(source.name, "", tuple(values), tuple(values.values()))
    planner.compile(source, stream)
    fields = []
    for plan in stream.plans:
        output = plan.claim.output
        value, unbounded = plan.evaluate(stream.values), plan.unbounded(stream.values)
        fields.append(
            PreviewField(
                target=output.target,
                field=output.field,
                unit=output.unit,
                value=value,
                asked=value if isnan(unbounded) else min(max(unbounded, -LARGEST), LARGEST),
                clamped=value != unbounded,
            )
        )
    return RoutePreview(
        fields=fields,
        estop=any(is_on(stream.values[index]) for index, is_on, _ in stream.stops),
        missing=_missing(route, values),
    )


def _free(route: Route) -> object:
    """Return the mappings without conditions, which other inputs decide."""
    if route.mapping == "passthrough":
        return route.mapping
    return [each.model_copy(update={"only_while": []}) for each in route.mapping]


def unmet(route: Route, sources: Iterable[InputSource], now: float) -> list[str]:
    """Return the route's conditions that do not hold now. Hysteresis has no history here."""
    gates = Gates()
    gates.use([route.model_copy(update={"enabled": True})])
    for source in sources:
        for stream in source.streams.values():
            if stream.target or not stream.values:
                continue
            feeds = gates.feeds(source.name, source.timeout_s, stream.names, ())
            for feed in feeds:
                feed.update(stream.values, stream.received)
    known = gates.known.items()
    return [condition_text(condition) for condition, gate in known if gate.deadline <= now]


def _missing(route: Route, values: Mapping[str, float]) -> list[str]:
    if route.mapping == "passthrough":
        return []
    names = dict.fromkeys(mapping.from_ for mapping in route.mapping)
    return [name for name in names if name not in values]


def curve(robot: RobotTargets, request: PreviewCurve) -> MappingCurve:
    """Apply one mapping to a range of its input; raise SaintError request_invalid for an invalid
    route or index.
    """
    check(request.route, robot)
    mappings = request.route.mapping
    if mappings == "passthrough" or request.index >= len(mappings):
        text = f"route {request.route.id}: there is no mapping[{request.index}]"
        raise SaintError(Code.REQUEST_INVALID, text)
    mapping = mappings[request.index]
    if mapping.to == ESTOP:
        is_on = switch(mapping)
        points = _points(request, mapping, lambda value: float(is_on(value)))
        target = request.route.output.target
        return MappingCurve(target=target, field=ESTOP, unit="", limits=(0.0, 1.0), points=points)
    target, field = place(request.route, mapping)
    spec = robot.fields[target][field]
    low, high = spec.limits
    return MappingCurve(
        target=target,
        field=field,
        unit=spec.unit,
        limits=(low, high),
        points=_points(request, mapping, shape(mapping, low, high)),
        response=_response(request, mapping, spec),
    )


def _response(
    request: PreviewCurve, mapping: RouteMapping, spec: FieldSpec
) -> list[tuple[float, float]]:
    """Return milliseconds and output after the input went from its lowest to its highest value."""
    if not mapping.is_filtered:
        return []
    low, high = spec.limits
    run = shape(mapping, low, high)
    term = GuidedTerm(0, run, run, filters_of(mapping, high - low))
    rest = min(max(0.0, low), high)
    guide = Guide((term,), low, high, rest, spec.kind == "velocity", "sum")
    guide.value((min(request.low, request.high),), 0.0)
    goal = (max(request.low, request.high),)
    wanted = run(goal[0])
    found = [(0.0, term.value)]
    for step in range(1, MOST_STEPS + 1):
        found.append((step * STEP_MS, guide.value(goal, step * STEP_MS / 1000)))
        if found[-1][1] == wanted:
            break
    return found


def _points(request: PreviewCurve, mapping: RouteMapping, run: Shape) -> list[tuple[float, float]]:
    """Evaluate a grid, the bends of the line, and both sides of a jump."""
    low, high = min(request.low, request.high), max(request.low, request.high)
    steps = request.steps
    inputs = {low + (high - low) * step / steps for step in range(steps)} | {high}
    bends: tuple[float, ...] = (-mapping.deadzone, mapping.deadzone)
    if mapping.mode == "switch":
        bends = (nextafter(mapping.threshold, float("-inf")), mapping.threshold)
    elif mapping.curve in CURVES_BY_POINTS:
        bends += tuple(_input_of(mapping, point[0]) for point in mapping.points)
    inputs |= {bend for bend in bends if low < bend < high}
    return [(value, run(value)) for value in sorted(inputs)]


def _input_of(mapping: RouteMapping, x: float) -> float:
    """Return the input that reaches a point of the curve: before deadzone and invert."""
    dead = mapping.deadzone
    before = x * (1.0 - dead) + (dead if x > 0.0 else -dead if x < 0.0 else 0.0)
    return -before if mapping.inverted else before
