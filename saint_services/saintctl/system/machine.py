"""`saintctl system restart | reboot | shutdown | factory-reset | history | clients | disconnect`:
the server as a machine and its connected clients. Not here: names and networks (commands.py).
"""

from typing import Annotated

import typer

from ...lib.api import Done
from ...lib.api.backup import RestoreReply
from ...lib.api.machine import FactoryReset
from ...lib.api.webd.system import (
    DISCONNECT_CLIENT,
    GET_HISTORY,
    LIST_CLIENTS,
    REBOOT,
    SHUTDOWN,
    ClientList,
)
from ...lib.api.webd.upkeep import FACTORY_RESET, RESTART
from ..connect import run_request
from ..console import AsJson, duration, print_json, print_table
from ..row_command import row_command


def add_to(app: typer.Typer) -> None:
    """Add the commands to `saintctl system`."""
    server_only = {"node": None}
    row_command(app, "restart", RESTART)(print_done)
    row_command(app, "reboot", REBOOT, fixed=server_only)(print_rebooted)
    row_command(app, "shutdown", SHUTDOWN)(print_done)
    robot = typer.Argument(metavar="ROBOT")
    row_command(app, "factory-reset", FACTORY_RESET, confirm=robot)(print_factory_reset)
    app.command("history")(history)
    row_command(app, "clients", LIST_CLIENTS)(print_clients)
    client = typer.Argument(metavar="CLIENT", help="See `system clients`.")
    row_command(app, "disconnect", DISCONNECT_CLIENT, client_id=client)(print_done)


def print_done(reply: Done) -> None:
    print(reply.message)


def print_rebooted(reply: Done) -> None:
    """Restart the server's machine. For a node: saintctl node reboot NODE."""
    print(reply.message)


def print_factory_reset(reply: RestoreReply, params: FactoryReset) -> None:
    print(f"{params.confirm} is reset to its factory state. Undo: saintctl backup undo.")
    for note in reply.notes:
        print(note)


def history(
    context: typer.Context,
    hours: Annotated[
        bool, typer.Option("--hours", help="Six hours instead of ten minutes.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show load, temperature, inputs and delays: lowest, mean, highest and newest value."""
    reply = run_request(context.obj, GET_HISTORY, as_json, span="hours" if hours else "minutes")
    if as_json:
        print_json(reply)
        return
    print_table(("", "lowest", "mean", "highest", "now"), history_rows(dict(reply.series)), "")


def history_rows(series: dict[str, list[float | None]]) -> list[tuple[str, ...]]:
    """Return a row for each series; a dash stands for a missing value."""
    rows = []
    for name, points in series.items():
        known = [point for point in points if point is not None]
        numbers = (min(known), sum(known) / len(known), max(known)) if known else ()
        shown = [f"{number:.1f}" for number in numbers] or ["-"] * 3
        newest = points[-1] if points else None
        rows.append((name, *shown, "-" if newest is None else f"{newest:.1f}"))
    return rows


def print_clients(reply: ClientList) -> None:
    rows = [
        (each.client_id, each.user, each.level, each.address, duration(each.connected_s))
        for each in reply.clients
    ]
    print_table(("client", "user", "may", "address", "for"), rows, "No client is connected.")
