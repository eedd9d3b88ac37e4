"""`saintctl route export, import`: all routes of a robot as one file. Not here: single routes of a
file (route_edit.py), sets under a name (route_preset.py).
"""

import asyncio
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ..lib import config, route_text
from ..lib.api import Done
from ..lib.api.routing import RouteFile, RouteList
from ..lib.errors import Code, SaintError
from .connect import TIMEOUT_S, Place, ask, client, tell
from .console import AsJson, print_json, run
from .stop_changes import RemoveStop, confirmed, query


def add_to(app: typer.Typer) -> None:
    """These are subcommands of `route` itself."""
    app.command("export")(export)
    app.command("import")(take_over)


def export(
    context: typer.Context,
    to: Annotated[str, typer.Option(help="The file to write; else they are printed.")] = "",
) -> None:
    """All routes and how rivals are combined, as a file that `import` takes."""

    async def work() -> RouteList:
        listed = await ask(context.obj, "routerd", "/routes", RouteList)
        if to:
            await asyncio.to_thread(_write, Path(to), route_text.write_list(listed))
        return listed

    listed = run(work())
    if to:
        print(f"{len(listed.routes)} routes are in {to}.")
    else:
        print(route_text.write_list(listed), end="")


def take_over(
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="ROUTES.yaml", help="A file with `routes:`.")],
    check: Annotated[bool, typer.Option("--check", help="Only tell whether it fits.")] = False,
    remove_stop: RemoveStop = None,
    as_json: AsJson = False,
) -> None:
    """Replace all routes by those of a file, or none when one of them is at fault."""

    async def work() -> RouteList | Done:
        body = await asyncio.to_thread(config.load, RouteFile, Path(file), required=True)
        if check:
            return await tell(context.obj, "routerd", "/routes/check", body, Done)
        return await confirmed(partial(_replaced, context.obj, body), remove_stop)

    reply = run(work(), as_json)
    if as_json:
        print_json(reply)
    elif isinstance(reply, Done):
        print(f"{reply.message}; nothing was changed.")
    else:
        print(f"All routes are replaced: {len(reply.routes)} now.")


async def _replaced(place: Place, body: RouteFile, names: list[str]) -> RouteList:
    async with client(place, "routerd") as connection:
        path = f"/routes{query(names)}"
        return await connection.put(path, body, RouteList, timeout_s=TIMEOUT_S)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text)
    except OSError as err:
        fault = f"{path} cannot be written: {err.strerror}"
        raise SaintError(Code.CONFIG_INVALID, fault, fix="Name another file with --to.") from err
