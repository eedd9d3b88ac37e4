"""`saintctl route show` and `curve`: one route, its mappings, and what controls its outputs."""

import json
from collections.abc import Iterator
from typing import Annotated

import typer

from ...lib.api import routing
from ...lib.api.endpoint import Nothing
from ...lib.api.mapping import CURVES_BY_POINTS, Mapping, conditions_text
from ...lib.api.routing import (
    FieldOutput,
    MappingCurve,
    PreviewCurve,
    ProposedMapping,
    Route,
    RouteInfo,
)
from ..connect import RobotAddress, checked_params, request
from ..console import AsJson, print_facts, print_json, print_table, run
from ..names import RouteId
from ..row_command import help_of, row_command
from .files import named
from .output_text import policy_text, value_text

_POINTS, _JSON_POINTS = 11, 64


def add_to(app: typer.Typer) -> None:
    """Add the commands to `saintctl route`."""
    app.command("show")(show)
    app.command("curve")(curve)
    argument = typer.Argument()
    row_command(app, "propose", routing.PROPOSE_MAPPING, input=argument, output=argument)(
        print_proposal
    )


def print_proposal(reply: ProposedMapping) -> None:
    """Propose scale and offset of a mapping: a full stick is the full range. Nothing is saved."""
    print(f"{reply.text}.")
    fields = reply.mapping.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    print("- {" + ", ".join(f"{name}: {value}" for name, value in fields.items()) + "}")


def show(context: typer.Context, route: RouteId, as_json: AsJson = False) -> None:
    """Show a route: its conditions, its mappings, and what controls its outputs now."""
    info, outputs = run(_request(context.obj, route), as_json)
    if as_json:
        fields = [each.model_dump(mode="json") for each in outputs]
        facts = info.model_dump(mode="json", by_alias=True)
        print(json.dumps(facts | {"outputs": fields}, indent=2))
        return
    print_facts((label, text) for label, text in _facts(info) if text)
    if info.route.mapping != "passthrough":
        rows = [(each.from_, each.to, _how(each)) for each in info.route.mapping]
        print()
        print_table(("from", "to", "how"), rows, "The route has no mapping.")
    print()
    rows = [_output(each, info.route.id) for each in outputs]
    print_table(("output", "value", "in control"), rows, "The route drives no output now.")


async def _request(robot: RobotAddress, name: str) -> tuple[RouteInfo, list[FieldOutput]]:
    listed = await request(robot, routing.LIST_ROUTES, Nothing())
    named([each.route for each in listed.routes], name, "the robot")
    info = next(each for each in listed.routes if each.route.id == name)
    status = await request(robot, routing.GET_STATUS, Nothing())
    return info, [each for each in status.outputs if _is_of(each, info.route)]


def _is_of(output: FieldOutput, route: Route) -> bool:
    """Return True for an output that a mapping names or that the route contends for."""
    contenders = (output.winner, *(contender.route for contender in output.rivals))
    return f"{output.target}.{output.field}" in _named_outputs(route) or route.id in contenders


def _named_outputs(route: Route) -> set[str]:
    if route.mapping == "passthrough":
        return set()
    target = route.output.target
    prefix = "" if target == "*" else f"{target}."
    return {prefix + each.to for each in route.mapping}


def _facts(info: RouteInfo) -> Iterator[tuple[str, str]]:
    route = info.route
    given = route.input
    yield "route", route.id
    yield "status", info.status
    yield "fault", info.fault
    yield "input", given.source if given.subject == "*" else f"{given.source}:{given.subject}"
    yield "kind", given.type
    yield "protocol", given.protocol
    yield "commands", ", ".join(given.command_types)
    yield "output", "any" if route.output.target == "*" else route.output.target
    yield "priority", "its source's" if route.priority is None else str(route.priority)
    yield "weight", "" if route.weight is None else f"{route.weight:g} when values are blended"
    timeout = "its source's time-out" if route.timeout_ms is None else f"{route.timeout_ms} ms"
    yield "lost after", timeout
    yield "combines by", "" if route.combine == "sum" else route.combine
    if route.mapping == "passthrough":
        yield "mapping", "passthrough: inputs drive the outputs of the same names"


def _how(mapping: Mapping) -> str:
    """Describe what differs from the defaults: "deadzone 0.05, times 1.5"."""
    is_switch = mapping.mode == "switch"
    parts = {
        f"on from {mapping.threshold:g}": is_switch,
        "inverted": mapping.inverted,
        f"deadzone {mapping.deadzone:g}": mapping.deadzone,
        f"exponential {mapping.expo:g}": mapping.curve == "exponential",
        _curve(mapping): mapping.curve in CURVES_BY_POINTS,
        f"times {mapping.scale:g}": mapping.scale != 1,
        f"plus {mapping.offset:g}": mapping.offset,
    }
    found = [text for text, holds in parts.items() if holds]
    if mapping.clamp:
        found.append(f"kept within {mapping.clamp[0]:g} to {mapping.clamp[1]:g}")
    found += _guidance(mapping)
    return ", ".join(found) or "unchanged"


def _guidance(mapping: Mapping) -> Iterator[str]:
    """Describe filter, rate limit and conditions."""
    if mapping.filter == "low_pass":
        yield f"low-pass of {mapping.cutoff_hz:g} Hz"
    if mapping.filter == "one_euro":
        yield f"one-euro filter of {mapping.cutoff_hz:g} Hz, beta {mapping.beta:g}"
    if mapping.rate_limit is not None:
        yield f"at most {mapping.rate_limit:g} a second"
    if mapping.only_while:
        yield f"only while {conditions_text(mapping.only_while)}"


def _curve(mapping: Mapping) -> str:
    pairs = ", ".join(f"{x:g} to {y:g}" for x, y in mapping.points)
    return f"{'smooth ' * (mapping.curve == 'smooth')}curve by points ({pairs})"


def _output(output: FieldOutput, route: str) -> tuple[str, str, str]:
    control = policy_text(output)
    if output.winner == route:
        control = f"this route, with {output.source}"
    elif output.winner:
        control = f"{output.winner}, with {output.source}"
    reasons = {each.reason: None for each in output.rivals if each.route == route}
    waiting = f"; this route: {', '.join(reasons)}" if reasons else ""
    return f"{output.target}.{output.field}", value_text(output), control + waiting


def curve(
    context: typer.Context,
    route: RouteId,
    mapping: Annotated[int, typer.Option(min=1, help="Number of the mapping in the route.")] = 1,
    low: Annotated[float, typer.Option(help=help_of(PreviewCurve, "low"))] = -1.0,
    high: Annotated[float, typer.Option(help=help_of(PreviewCurve, "high"))] = 1.0,
    as_json: AsJson = False,
) -> None:
    """Show the outputs of one mapping for inputs from LOW to HIGH. Nothing moves."""

    async def work() -> MappingCurve:
        listed = await request(context.obj, routing.LIST_ROUTES, Nothing())
        found = named([info.route for info in listed.routes], route, "the robot")
        fields = {"route": found, "index": mapping - 1, "low": low, "high": high}
        steps = _JSON_POINTS if as_json else _POINTS
        params = checked_params(PreviewCurve, as_json, **fields, steps=steps)
        return await request(context.obj, routing.PREVIEW_CURVE, params)

    reply = run(work(), as_json)
    if as_json:
        print_json(reply)
        return
    print(f"{reply.target}.{reply.field}, {reply.limits[0]:g} to {reply.limits[1]:g} {reply.unit}")
    rows = [(f"{x:+.3f}", f"{y:+.3f} {reply.unit}".rstrip()) for x, y in reply.points]
    print_table(("input", "output"), rows, "This mapping drives nothing.")
    if reply.response:
        print(f"\nAfter the input goes from {low:g} to {high:g} at once:")
        rows = [(f"{at:g} ms", f"{y:+.3f} {reply.unit}".rstrip()) for at, y in _few(reply.response)]
        print_table(("after", "output"), rows, "")


def _few(path: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return about ten points of it, and the last."""
    return [*path[:-1][:: max(1, len(path) // _POINTS)], path[-1]]
