"""`saintctl system restart | reboot | shutdown | factory-reset | history | clients | disconnect`:
the server as a machine, and who is connected to it. Not here: names and networks (system.py).
"""

from typing import Annotated

import typer

from ...lib.api import Reply
from ...lib.api.backup import RestoreReply
from ...lib.api.states import ClientState
from ..action import done, perform
from ..console import AsJson, duration, print_json, print_table, run

Force = Annotated[bool, typer.Option("--force", help="Also while the robot is driven.")]


class ClientList(Reply):
    """As webd tells it."""

    clients: list[ClientState]


class History(Reply):
    """As webd tells it: one number a period, oldest first."""

    period_s: float
    series: dict[str, list[float | None]]


def add_to(app: typer.Typer) -> None:
    """These are subcommands of `system`."""
    app.command("restart")(restart)
    app.command("reboot")(reboot)
    app.command("shutdown")(shutdown)
    app.command("factory-reset")(factory_reset)
    app.command("history")(history)
    app.command("clients")(clients)
    app.command("disconnect")(disconnect)


def restart(context: typer.Context, force: Force = False, as_json: AsJson = False) -> None:
    """Start the server's programs anew; its machine and the nodes go on."""
    done(context, "maintenance", "restart", as_json, force=force)


def reboot(context: typer.Context, force: Force = False, as_json: AsJson = False) -> None:
    """Restart the server's machine. A node's: saintctl node reboot NODE."""
    done(context, "system", "reboot", as_json, force=force)


def shutdown(context: typer.Context, force: Force = False, as_json: AsJson = False) -> None:
    """Switch the server's machine off."""
    done(context, "system", "shutdown", as_json, force=force)


def factory_reset(
    context: typer.Context,
    robot: Annotated[str, typer.Argument(metavar="ROBOT", help="The robot's name, typed.")],
    nodes: Annotated[bool, typer.Option("--nodes", help="The nodes forget it too.")] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Forget routes, presets, RC settings, subjects, nodes, names and users."""
    wanted = {"confirm": robot, "nodes": nodes, "force": force}
    reply = run(
        perform(context.obj, "maintenance", "factory_reset", RestoreReply, **wanted), as_json
    )
    if as_json:
        print_json(reply)
        return
    print(f"{robot} is as it was shipped. Undo: saintctl backup undo.")
    for note in reply.notes:
        print(note)


def history(
    context: typer.Context,
    hours: Annotated[bool, typer.Option("--hours", help="Six hours, not ten minutes.")] = False,
    as_json: AsJson = False,
) -> None:
    """Load, temperature, inputs and delays: lowest, mean and highest, and the newest value."""
    span = "hours" if hours else "minutes"
    reply = run(perform(context.obj, "system", "get_history", History, span=span), as_json)
    if as_json:
        print_json(reply)
        return
    print_table(("", "lowest", "mean", "highest", "now"), history_rows(reply.series), "")


def history_rows(series: dict[str, list[float | None]]) -> list[tuple[str, ...]]:
    """A row for each series; a dash where nothing was heard."""
    rows = []
    for name, points in series.items():
        known = [point for point in points if point is not None]
        numbers = (min(known), sum(known) / len(known), max(known)) if known else ()
        shown = [f"{number:.1f}" for number in numbers] or ["-"] * 3
        newest = points[-1] if points else None
        rows.append((name, *shown, "-" if newest is None else f"{newest:.1f}"))
    return rows


def clients(context: typer.Context, as_json: AsJson = False) -> None:
    """Who is connected by a WebSocket now: browsers and programs."""
    reply = run(perform(context.obj, "system", "list_clients", ClientList), as_json)
    if as_json:
        print_json(reply)
        return
    rows = [
        (each.client_id, each.user, each.level, each.address, duration(each.connected_s))
        for each in reply.clients
    ]
    print_table(("client", "user", "may", "address", "for"), rows, "Nobody is connected.")


def disconnect(
    context: typer.Context,
    client: Annotated[str, typer.Argument(help="As `system clients` names it.")],
    as_json: AsJson = False,
) -> None:
    """End the connection of one of them."""
    done(context, "system", "disconnect_client", as_json, client_id=client)
