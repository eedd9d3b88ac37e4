"""`saintctl route`: which input drives which output, and why; presets; a target for one alone."""

import sys
from typing import Annotated

import typer

from ...lib.api import routing
from ...lib.api.routing import ContenderInfo, RouteInfo, RouterStatus
from ...lib.errors import SaintError
from ..connect import asked
from ..console import AsJson, fail, print_facts, print_json, print_table
from ..estop.confirm import RemoveStop, asked_confirmed
from ..names import Output, RouteId
from .blending import add_to as add_blending
from .curve import curve
from .edit import add_to as add_edits
from .files import add_to as add_files
from .output_text import age_text, policy_text, value_text
from .preset import app as presets
from .show import show

app = typer.Typer(
    help="Routes: list, show, why, set, export, import, preview, priority, blending, preset, test.",
    no_args_is_help=True,
)
app.add_typer(presets, name="preset")
add_edits(app)
add_files(app)
add_blending(app)
app.command("curve")(curve)
app.command("show")(show)

# What a receiver without signal keeps is kept from all others; people take that for a fault.
_WAY_OUT = "; until its signal is back, its failsafe action is passthrough, or saintctl rc disable"
Target = Annotated[str, typer.Argument(help="head, arms.left, ..., or * for all.")]


@app.command("list")
def show_all(context: typer.Context, as_json: AsJson = False) -> None:
    """Every route, the strongest first, and whether it is in control now."""
    reply = asked(context.obj, routing.LIST_ROUTES, as_json)
    if as_json:
        print_json(reply)
        return
    rows = sorted(reply.routes, key=lambda info: -(info.route.priority or 0))
    columns = ("route", "input", "output", "priority", "status", "mappings")
    print_table(columns, [_row(info) for info in rows], "There are no routes.")


@app.command("why")
def why(
    context: typer.Context,
    output: Output,
    as_json: AsJson = False,
) -> None:
    """Why an output has its value: who is in control, who is not, and for what reason."""
    reply = asked(context.obj, routing.GET_OUTPUT, as_json, output=output)
    if as_json:
        print_json(reply)
        return
    limited = ", limited" if reply.clamped else ""
    in_control = policy_text(reply)
    if reply.winner:
        in_control = f"{reply.winner}, with {reply.source}, {age_text(reply.age_ms)}"
    facts = [
        (f"{reply.target}.{reply.field}", f"{value_text(reply)}{limited}"),
        ("control", in_control),
    ]
    if reply.policy != "none":
        changed = f"for {reply.changed_ms / 1000:.1f} s" if reply.changed_ms else "since the start"
        facts.append(("so", changed))
    print_facts([*facts, *((rival.route, _rival(rival)) for rival in reply.rivals)])


@app.command("enable")
def enable(
    context: typer.Context, route: RouteId, remove_stop: RemoveStop = None, as_json: AsJson = False
) -> None:
    """Switch a route on. A velocity moves only after its input was moved."""
    _switch(context, route, True, remove_stop, as_json)


@app.command("disable")
def disable(
    context: typer.Context, route: RouteId, remove_stop: RemoveStop = None, as_json: AsJson = False
) -> None:
    """Switch a route off."""
    _switch(context, route, False, remove_stop, as_json)


@app.command("priority")
def priority(
    context: typer.Context,
    route: RouteId,
    value: Annotated[str, typer.Argument(metavar="N|default", help="0 to 1000; higher wins.")],
    remove_stop: RemoveStop = None,
    as_json: AsJson = False,
) -> None:
    """Who wins against whom: give a route another priority, or its source's."""
    if value != "default" and not (value.isascii() and value.isdigit() and int(value) <= 1000):
        raise typer.BadParameter(f"{value!r} is neither a number from 0 to 1000 nor 'default'")
    given = {"route_id": route, "priority": None if value == "default" else int(value)}
    row = routing.SET_ROUTE_PRIORITY
    _told(asked_confirmed(context.obj, row, remove_stop, as_json, **given), as_json)


@app.command("take")
def take(
    context: typer.Context,
    target: Target,
    holder: Annotated[str, typer.Option(help="The source that gets it, e.g. leader:left.")],
    timeout_ms: Annotated[
        int, typer.Option(min=200, max=600_000, help="Ends after so long without samples.")
    ] = 5000,
    as_json: AsJson = False,
) -> None:
    """Give one source a target for itself; the others are refused, the e-stop never is."""
    if not (target and holder):
        raise typer.BadParameter("a target and a holder must be named")
    given = {"target": target, "holder": holder, "timeout_ms": timeout_ms}
    _held(asked(context.obj, routing.TAKE_CONTROL, as_json, **given), as_json)


@app.command("release")
def release(
    context: typer.Context,
    target: Target,
    holder: Annotated[str, typer.Option(help="Who gives it back.")] = "",
    force: Annotated[bool, typer.Option(help="Take it from whoever has it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Give a target to everybody again."""
    given = {"target": target, "holder": holder, "force": force}
    _held(asked(context.obj, routing.RELEASE_CONTROL, as_json, **given), as_json)


@app.command("test")
def test(
    routes: Annotated[str, typer.Argument(metavar="ROUTES.yaml", help="The routes to try.")],
    samples: Annotated[
        str, typer.Argument(metavar="SAMPLES.jsonl", help="A recording, or - for standard input.")
    ],
    role_dir: Annotated[
        str, typer.Option(help="A folder of role manifests; else SAINT's own.")
    ] = "",
) -> None:
    """Try routes on recorded samples; needs no robot.

    A line of the recording is {"t_ms": 0, "source": "rc", "values": {"channel_1": 0.0}}, with
    "failsafe", "subject", "client", "name" or "target" where they matter, or {"t_ms": 0, "estop":
    "set"} (or "clear"), or {"t_ms": 0, "tick": true}. Each gives a line of outputs with reasons.
    """
    from .replay import route_test

    try:
        code = route_test(routes, role_dir, samples, sys.stdout)
    except SaintError as err:
        raise fail(err) from None
    raise typer.Exit(code)


def _switch(
    context: typer.Context, route: str, enabled: bool, remove_stop: list[str] | None, as_json: bool
) -> None:
    given = {"route_id": route, "enabled": enabled}
    row = routing.SET_ROUTE_ENABLED
    _told(asked_confirmed(context.obj, row, remove_stop, as_json, **given), as_json)


def _told(info: RouteInfo, as_json: bool) -> None:
    if as_json:
        print_json(info)
        return
    route = info.route
    value = "its source's" if route.priority is None else route.priority
    print(f"Route {route.id} is {info.status}; its priority is {value}.")


def _held(reply: RouterStatus, as_json: bool) -> None:
    if as_json:
        print_json(reply)
        return
    rows = [(each.target, each.holder, f"{each.remaining_ms} ms") for each in reply.control]
    print_table(("target", "holder", "remaining"), rows, "Nobody has a target for himself.")


def _rival(rival: ContenderInfo) -> str:
    text = f"{rival.reason}: {rival.source} asks {rival.value:.3f}, {age_text(rival.age_ms)}"
    return text + _WAY_OUT * (rival.reason == "failsafe of rc holds")


def _row(info: RouteInfo) -> tuple[str, ...]:
    route, mapping = info.route, info.route.mapping
    source: str = route.input.source
    if source == "livelink":
        source = f"{source}:{route.input.subject}"
    pairs = "passthrough"
    if mapping != "passthrough":
        pairs = ", ".join(f"{arrow.from_} → {arrow.to}" for arrow in mapping)
    told = "default" if route.priority is None else str(route.priority)
    return route.id, source, route.output.target, told, info.status, pairs
