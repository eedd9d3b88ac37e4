"""`saintctl route export, import`: all routes of a robot as one file. Not here: single routes of a
file (route_edit.py), sets under a name (route_preset.py).
"""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from ...lib import config
from ...lib.api import Done, routing
from ...lib.api.endpoint import Nothing
from ...lib.api.routing import ReplaceRoutes, RouteFile, RouteList
from ...lib.config import route_text
from ...lib.errors import Code, SaintError
from ..connect import do
from ..console import AsJson, print_json, run
from ..estop.confirm import RemoveStop, do_confirmed


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
        listed = await do(context.obj, routing.LIST_ROUTES, Nothing())
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
        found = await asyncio.to_thread(config.load, RouteFile, Path(file), required=True)
        if check:
            return await do(context.obj, routing.CHECK_ROUTES, found)
        wanted = ReplaceRoutes(file=found)
        return await do_confirmed(context.obj, routing.REPLACE_ROUTES, wanted, remove_stop)

    reply = run(work(), as_json)
    if as_json:
        print_json(reply)
    elif isinstance(reply, Done):
        print(f"{reply.message}; nothing was changed.")
    else:
        print(f"All routes are replaced: {len(reply.routes)} now.")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text)
    except OSError as err:
        fault = f"{path} cannot be written: {err.strerror}"
        raise SaintError(Code.CONFIG_INVALID, fault, fix="Name another file with --to.") from err
