"""What a route would make of given inputs, without saving or moving anything: the same compiled
plans that samples go through.
"""

from collections.abc import Mapping
from math import isnan

from ..lib.api.routing import Preview, PreviewField, Route
from .plan import Planner
from .routes import ANY, check
from .sources import Source, Stream
from .targets import Robot

LARGEST = 1e300  # JSON has no infinity


def preview(robot: Robot, route: Route, values: Mapping[str, float]) -> Preview:
    """Raises SaintError request_invalid when the route is not sound."""
    check(route, robot)
    wanted = route.input.model_copy(update={"type": "", "subject": ANY})
    tried = route.model_copy(update={"enabled": True, "input": wanted})
    planner = Planner(robot.outputs(), robot.commands, (tried,))
    kind = route.input.source
    source = Source(kind, kind, planner.timeout_of(kind))
    stream = Stream(source.name, "", tuple(values), tuple(values.values()))
    planner.compile(source, stream)
    fields = []
    for plan in stream.plans:
        output = plan.claim.output
        value, asked = plan.evaluate(stream.values), plan.asked(stream.values)
        fields.append(
            PreviewField(
                target=output.target,
                field=output.field,
                unit=output.unit,
                value=value,
                asked=value if isnan(asked) else min(max(asked, -LARGEST), LARGEST),
                clamped=value != asked,
            )
        )
    return Preview(
        fields=fields,
        estop=any(is_on(stream.values[index]) for index, is_on, _ in stream.stops),
        missing=_missing(route, values),
    )


def _missing(route: Route, values: Mapping[str, float]) -> list[str]:
    if route.mapping == "passthrough":
        return []
    names = dict.fromkeys(mapping.from_ for mapping in route.mapping)
    return [name for name in names if name not in values]
