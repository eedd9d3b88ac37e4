"""`saintctl route`: which input drives which output."""

import sys
from typing import Annotated

import typer

from ..lib.api.routing import RouteInfo, RouteList
from ..lib.errors import SaintError
from .connect import ask
from .console import AsJson, fail, print_json, print_table, run
from .route_replay import route_test

app = typer.Typer(help="Routes: list, test.", no_args_is_help=True)


@app.command("list")
def show(context: typer.Context, as_json: AsJson = False) -> None:
    """Every route, the strongest first, and whether it is in control now."""
    reply = run(ask(context.obj, "routerd", "/routes", RouteList), as_json)
    if as_json:
        print_json(reply)
        return
    rows = sorted(reply.routes, key=lambda info: -(info.route.priority or 0))
    columns = ("route", "input", "output", "priority", "status", "mappings")
    print_table(columns, [_row(info) for info in rows], "There are no routes.")


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
    try:
        code = route_test(routes, role_dir, samples, sys.stdout)
    except SaintError as err:
        raise fail(err) from None
    raise typer.Exit(code)


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
