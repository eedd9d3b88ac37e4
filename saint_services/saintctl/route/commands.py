"""`saintctl route`: which input drives which output, and why; exclusive control of a target."""

import sys
from typing import Annotated

import typer

from ...lib.api import masters, routing
from ...lib.api.masters import MasterList
from ...lib.api.routing import ContenderInfo, FieldOutput, RouteInfo, RouteList, RouterStatus
from ...lib.errors import SaintError
from ..connect import checked_params
from ..console import AsJson, fail, print_facts, print_json, print_table, run
from ..estop.confirm import RemoveStop, request_confirmed
from ..names import RouteId
from ..row_command import row_command
from . import blending, face, files, preset, show
from .output_text import age_text, policy_text, value_text

app = typer.Typer(
    help="Routes: list, show, why, propose, face, set, preview, curve, blending, preset, test.",
    no_args_is_help=True,
)

# A receiver without signal blocks all other sources, which looks like a fault.
_WAY_OUT = "; until its signal is back, its failsafe action is passthrough, or saintctl rc disable"
TARGET = typer.Argument()
_CLUTCH = {True: "clutch closed", False: "clutch open"}


@row_command(app, "list", routing.LIST_ROUTES)
def print_routes(reply: RouteList) -> None:
    """List every route, the highest priority first, and whether it is in control now."""
    rows = sorted(reply.routes, key=lambda info: -(info.route.priority or 0))
    columns = ("route", "input", "output", "priority", "status", "mappings")
    print_table(columns, [_row(info) for info in rows], "There are no routes.")


@row_command(app, "why", routing.GET_OUTPUT)
def print_output(reply: FieldOutput) -> None:
    """Show why an output has its value: what is in control, what is not, and for which reason."""
    limited = ", limited" if reply.clamped else ""
    in_control = policy_text(reply)
    if reply.winner:
        in_control = f"{reply.winner}, with {reply.source}, {age_text(reply.age_ms)}"
    facts = [
        (f"{reply.target}.{reply.field}", f"{value_text(reply)}{limited}"),
        ("control", in_control),
    ]
    if reply.policy != "none":
        since = f"for {reply.changed_ms / 1000:.1f} s" if reply.changed_ms else "since the start"
        facts.append(("unchanged", since))
    print_facts([*facts, *((contender.route, _contender(contender)) for contender in reply.rivals)])


def print_route(info: RouteInfo) -> None:
    route = info.route
    priority = "that of its source" if route.priority is None else route.priority
    print(f"Route {route.id} is {info.status}; its priority is {priority}.")


@row_command(app, "enable", routing.SET_ROUTE_ENABLED, fixed={"enabled": True})
def print_enabled(info: RouteInfo) -> None:
    """Switch a route on. A velocity input drives only after it has been moved."""
    print_route(info)


@row_command(app, "disable", routing.SET_ROUTE_ENABLED, fixed={"enabled": False})
def print_disabled(info: RouteInfo) -> None:
    """Switch a route off."""
    print_route(info)


@app.command("priority")
def priority(
    context: typer.Context,
    route: RouteId,
    value: Annotated[str, typer.Argument(metavar="N|default", help="0 to 1000; higher wins.")],
    remove_stop: RemoveStop = None,
    as_json: AsJson = False,
) -> None:
    """Set the priority of a route, or return it to that of its source."""
    if value != "default" and not (value.isascii() and value.isdigit() and int(value) <= 1000):
        raise typer.BadParameter(f"{value!r} is neither a number from 0 to 1000 nor 'default'")
    row, number = routing.SET_ROUTE_PRIORITY, None if value == "default" else int(value)
    params = checked_params(row.params, as_json, route_id=route, priority=number)
    info = run(request_confirmed(context.obj, row, params, remove_stop), as_json)
    print_json(info) if as_json else print_route(info)


@row_command(app, "take", routing.TAKE_CONTROL, target=TARGET)
def print_taken(reply: RouterStatus) -> None:
    """Give one source exclusive control of a target. Other sources are refused, except for the
    e-stop."""
    print_control(reply)


@row_command(app, "release", routing.RELEASE_CONTROL, target=TARGET)
def print_released(reply: RouterStatus) -> None:
    """End the exclusive control of a target."""
    print_control(reply)


@row_command(app, "masters", masters.LIST_MASTERS)
def print_masters(reply: MasterList) -> None:
    """List which source controls each target alone, since when, and the leaders that could."""
    rows = [
        (
            each.target, each.holder or "free",
            f"{each.held_ms / 1000:.1f} s" if each.holder else "",
            ", ".join(f"{one.name} ({_CLUTCH[one.is_closed]})" for one in each.leaders),
        )
        for each in reply.masters
    ]  # fmt: skip
    print_table(("target", "master", "for", "leaders"), rows, "The robot has no targets.")


@row_command(
    app, "lead", masters.ENGAGE_LEADER, target=TARGET, leader=typer.Argument(metavar="LEADER")
)
def print_engaged(reply: MasterList) -> None:
    """Let a leader drive a target, as its clutch does when it closes."""
    print_masters(reply)


show.add_to(app)
face.add_to(app)
files.add_to(app)
app.command("blending")(blending.blending)
app.add_typer(preset.app, name="preset")


@app.command("test")
def test(
    routes: Annotated[str, typer.Argument(metavar="ROUTES.yaml", help="The routes to try.")],
    samples: Annotated[
        str, typer.Argument(metavar="SAMPLES.jsonl", help="A recording, or - for standard input.")
    ],
    role_dir: Annotated[
        str, typer.Option(help="A folder of role manifests instead of SAINT's own.")
    ] = "",
) -> None:
    """Try routes on recorded samples; needs no robot.

    A line of the recording is {"t_ms": 0, "source": "rc", "values": {"channel_1": 0.0}}, with
    "failsafe", "subject", "client", "name" or "target" where they matter, or {"t_ms": 0, "estop":
    "set"} (or "clear"), or {"t_ms": 0, "tick": true}. Each gives a line of outputs with reasons.
    """
    from .replay import route_test  # the whole router: not for every other command

    try:
        code = route_test(routes, role_dir, samples, sys.stdout)
    except SaintError as err:
        raise fail(err) from None
    raise typer.Exit(code)


def print_control(reply: RouterStatus) -> None:
    rows = [(each.target, each.holder, f"{each.remaining_ms} ms") for each in reply.control]
    print_table(("target", "holder", "remaining"), rows, "No target is under exclusive control.")


def _contender(contender: ContenderInfo) -> str:
    requested = f"{contender.source} requests {contender.value:.3f}"
    text = f"{contender.reason}: {requested}, {age_text(contender.age_ms)}"
    return text + _WAY_OUT * (contender.reason == "failsafe of rc holds")


def _row(info: RouteInfo) -> tuple[str, ...]:
    route, mapping = info.route, info.route.mapping
    source: str = route.input.source
    if source == "livelink":
        source = f"{source}:{route.input.subject}"
    pairs = "passthrough"
    if mapping != "passthrough":
        pairs = ", ".join(f"{arrow.from_} → {arrow.to}" for arrow in mapping)
    priority = "default" if route.priority is None else str(route.priority)
    return route.id, source, route.output.target, priority, info.status, pairs
