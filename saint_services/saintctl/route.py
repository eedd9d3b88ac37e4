"""`saintctl route`: which input drives which output."""

import typer

from ..lib.api.routing import RouteInfo, RouteList
from .connect import ask
from .console import AsJson, print_json, print_table, run

app = typer.Typer(help="Routes: list.", no_args_is_help=True)


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
