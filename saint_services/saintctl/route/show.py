"""`saintctl route show`: one route whole, and who has its outputs now."""

import json
from collections.abc import Iterator

import typer

from ...lib.api import routing
from ...lib.api.endpoint import Nothing
from ...lib.api.routing import FieldOutput, Mapping, Route, RouteInfo
from ..connect import Place, do
from ..console import AsJson, print_facts, print_table, run
from ..names import RouteId
from .edit import named
from .output_text import policy_text, value_text


def show(context: typer.Context, route: RouteId, as_json: AsJson = False) -> None:
    """Everything about one route: its conditions, its mappings, and who has its outputs now."""
    info, outputs = run(_ask(context.obj, route), as_json)
    if as_json:
        fields = [each.model_dump(mode="json") for each in outputs]
        facts = info.model_dump(mode="json", by_alias=True)
        print(json.dumps(facts | {"outputs": fields}, indent=2))
        return
    print_facts((label, text) for label, text in _facts(info) if text)
    if info.route.mapping != "passthrough":
        rows = [(each.from_, each.to, _how(each)) for each in info.route.mapping]
        print()
        print_table(("from", "to", "how"), rows, "It has no mapping.")
    print()
    rows = [_output(each, info.route.id) for each in outputs]
    print_table(("output", "value", "in control"), rows, "It drives no output now.")


async def _ask(given: Place, name: str) -> tuple[RouteInfo, list[FieldOutput]]:
    listed = await do(given, routing.LIST_ROUTES, Nothing())
    named([each.route for each in listed.routes], name, "the robot")
    info = next(each for each in listed.routes if each.route.id == name)
    status = await do(given, routing.GET_STATUS, Nothing())
    return info, [each for each in status.outputs if _is_of(each, info.route)]


def _is_of(output: FieldOutput, route: Route) -> bool:
    """One that a mapping names, or that the route wants: what passes through has no mapping."""
    wants = (output.winner, *(rival.route for rival in output.rivals))
    return f"{output.target}.{output.field}" in _named_outputs(route) or route.id in wants


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
    yield "weight", "" if route.weight is None else f"{route.weight:g} where values are mixed"
    lost = "its source's time" if route.timeout_ms is None else f"{route.timeout_ms} ms"
    yield "lost after", lost
    if route.mapping == "passthrough":
        yield "mapping", "passthrough: names of the input are names of the output"


def _how(mapping: Mapping) -> str:
    """Only what is not so by itself: "deadzone 0.05, times 1.5"."""
    is_switch = mapping.mode == "switch"
    told = {
        f"on from {mapping.threshold:g}": is_switch,
        "inverted": mapping.inverted,
        f"deadzone {mapping.deadzone:g}": mapping.deadzone,
        f"exponential {mapping.expo:g}": mapping.curve == "exponential",
        f"times {mapping.scale:g}": mapping.scale != 1,
        f"plus {mapping.offset:g}": mapping.offset,
    }
    words = [text for text, holds in told.items() if holds]
    if mapping.clamp:
        words.append(f"kept within {mapping.clamp[0]:g} to {mapping.clamp[1]:g}")
    return ", ".join(words) or "as it comes"


def _output(output: FieldOutput, route: str) -> tuple[str, str, str]:
    who = policy_text(output)
    if output.winner == route:
        who = f"this route, with {output.source}"
    elif output.winner:
        who = f"{output.winner}, with {output.source}"
    reasons = {each.reason: None for each in output.rivals if each.route == route}
    waiting = f"; this route: {', '.join(reasons)}" if reasons else ""
    return f"{output.target}.{output.field}", value_text(output), who + waiting
