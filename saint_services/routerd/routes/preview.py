"""Computes what a route would do with given inputs, without storing or moving anything, by the
compiled plans that samples pass through.
"""

from collections.abc import Mapping
from math import isnan, nextafter

from ...lib.api.routing import Mapping as RouteMapping
from ...lib.api.routing import MappingCurve, PreviewCurve, PreviewField, Route, RoutePreview
from ...lib.errors import Code, SaintError
from ..fields.claims import InputStream, output_fields
from ..fields.targets import RobotTargets
from ..inputs.sources import InputSource
from .checks import ANY, ESTOP, check, place
from .mapping import Shape, shape, switch
from .plan import Planner

LARGEST = 1e300  # JSON has no infinity


def preview(robot: RobotTargets, route: Route, values: Mapping[str, float]) -> RoutePreview:
    """Apply a route to values; raise SaintError request_invalid for an invalid route."""
    check(route, robot)
    wanted = route.input.model_copy(update={"type": "", "subject": ANY})
    tried = route.model_copy(update={"enabled": True, "input": wanted})
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
    )


def _points(request: PreviewCurve, mapping: RouteMapping, run: Shape) -> list[tuple[float, float]]:
    """Evaluate a grid, the bends of the line, and both sides of a jump."""
    low, high = min(request.low, request.high), max(request.low, request.high)
    steps = request.steps
    inputs = {low + (high - low) * step / steps for step in range(steps)} | {high}
    bends = (-mapping.deadzone, mapping.deadzone)
    if mapping.mode == "switch":
        bends = (nextafter(mapping.threshold, float("-inf")), mapping.threshold)
    inputs |= {bend for bend in bends if low < bend < high}
    return [(value, run(value)) for value in sorted(inputs)]
