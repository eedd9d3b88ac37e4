"""`saintctl route export, import, set, delete, preview`: routes as files. Not here: stored sets of
routes (preset.py).
"""

import asyncio
import math
from pathlib import Path
from typing import Annotated

import typer

from ...lib import config
from ...lib.api import Done, routing
from ...lib.api.endpoint import Nothing
from ...lib.api.routing import (
    PreviewRoute,
    ReplaceRoutes,
    Route,
    RouteFile,
    RouteInfo,
    RouteList,
    RoutePreview,
    SetRoute,
)
from ...lib.config import route_text
from ...lib.config.spelling import hint
from ...lib.errors import Code, SaintError
from ..connect import RobotAddress, checked_params, request
from ..console import AsJson, print_json, print_table, run, sentence
from ..estop.confirm import RemoveStop, request_confirmed
from ..row_command import row_command
from .channel_hints import received_hints

File = Annotated[str, typer.Argument(metavar="ROUTES.yaml", help="A file with `routes:`.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands to `saintctl route`."""
    app.command("export")(export)
    app.command("import")(import_file)
    app.command("set")(save)
    row_command(app, "delete", routing.DELETE_ROUTE)(print_deleted)
    app.command("preview")(preview)


def export(
    context: typer.Context,
    to: Annotated[str, typer.Option(help="The file to write. Default: print.")] = "",
) -> None:
    """Write all routes and how contenders are combined, as a file for `route import`."""

    async def work() -> RouteList:
        listed = await request(context.obj, routing.LIST_ROUTES, Nothing())
        if to:
            await asyncio.to_thread(_write, Path(to), route_text.write_list(listed))
        return listed

    listed = run(work())
    if to:
        print(f"{len(listed.routes)} routes are in {to}.")
    else:
        print(route_text.write_list(listed), end="")


def import_file(
    context: typer.Context,
    file: File,
    check: Annotated[
        bool, typer.Option("--check", help="Only check whether the file fits this robot.")
    ] = False,
    remove_stop: RemoveStop = None,
    as_json: AsJson = False,
) -> None:
    """Replace all routes by those of a file; nothing changes when one of them is at fault."""

    async def work() -> tuple[RouteList | Done, list[str]]:
        found = await asyncio.to_thread(config.load, RouteFile, Path(file), required=True)
        reply: RouteList | Done
        if check:
            reply = await request(context.obj, routing.CHECK_ROUTES, found)
        else:
            params = ReplaceRoutes(file=found)
            reply = await request_confirmed(
                context.obj, routing.REPLACE_ROUTES, params, remove_stop
            )
        return reply, await received_hints(context.obj, found.routes)

    reply, hints = run(work(), as_json)
    if as_json:
        print_json(reply)
    elif isinstance(reply, Done):
        print(f"{reply.message}; nothing was changed.")
    else:
        print(f"All routes are replaced: {len(reply.routes)} now.")
    if not as_json:
        print("\n".join(hints), end="\n" if hints else "")


def save(
    context: typer.Context,
    file: File,
    route: Annotated[str, typer.Option("--route", help="Only this route of the file.")] = "",
    remove_stop: RemoveStop = None,
    as_json: AsJson = False,
) -> None:
    """Create or replace the routes of a file; other routes stay."""

    async def work() -> tuple[list[RouteInfo], list[str]]:
        chosen = await asyncio.to_thread(_chosen, file, route)
        saved = [await _saved(context.obj, each, remove_stop) for each in chosen]
        return saved, await received_hints(context.obj, chosen)

    saved, hints = run(work(), as_json)
    for info in saved:
        if as_json:
            print_json(info)
        else:
            print(f"Route {info.route.id} is saved; it is {info.status}.")
    if not as_json:
        print("\n".join(hints), end="\n" if hints else "")


def print_deleted(reply: Done) -> None:
    """Delete a route."""
    print(sentence(reply.message))


def preview(
    context: typer.Context,
    route: Annotated[
        str, typer.Argument(metavar="ROUTE", help="A route of the robot, or of FILE.")
    ],
    values: Annotated[list[str], typer.Argument(metavar="NAME=VALUE...", help="Its inputs.")],
    file: Annotated[str, typer.Option(help="A file with `routes:`; nothing of it is saved.")] = "",
    as_json: AsJson = False,
) -> None:
    """Show which outputs a route makes of these inputs. Nothing moves."""
    given = dict(_pair(text) for text in values)

    async def work() -> RoutePreview:
        if file:
            (found,) = await asyncio.to_thread(_chosen, file, route)
        else:
            listed = await request(context.obj, routing.LIST_ROUTES, Nothing())
            found = named([info.route for info in listed.routes], route, "the robot")
        params = checked_params(PreviewRoute, as_json, route=found, values=given)
        return await request(context.obj, routing.PREVIEW_ROUTE, params)

    reply = run(work(), as_json)
    if as_json:
        print_json(reply)
        return
    rows = [
        (
            f"{each.target}.{each.field}",
            f"{each.value:.3f} {each.unit}",
            f"limited from {each.asked:.3f}" if each.clamped else "",
        )
        for each in reply.fields
    ]
    print_table(("output", "value", ""), rows, "These inputs drive nothing.")
    if reply.estop:
        print("These inputs set the e-stop.")
    for each in reply.unmet:
        print(f"Not met now: {each}.")
    if reply.missing:
        print(f"Missing inputs: {', '.join(reply.missing)}.")


async def _saved(robot: RobotAddress, route: Route, remove_stop: list[str] | None) -> RouteInfo:
    return await request_confirmed(robot, routing.SET_ROUTE, SetRoute(route=route), remove_stop)


def _chosen(file: str, name: str) -> list[Route]:
    found = config.load(RouteFile, Path(file), required=True).routes
    return [named(found, name, file)] if name else found


def named(routes: list[Route], name: str, owner: str) -> Route:
    """Return the route called `name`. Raises not_found with the nearest name."""
    for route in routes:
        if route.id == name:
            return route
    near = hint(name, [route.id for route in routes])
    raise SaintError(Code.NOT_FOUND, f"{owner} has no route {name!r}{near}")


def _pair(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise typer.BadParameter(f"{text!r} is not of the form channel_1=0.5")
    return name, number


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text)
    except OSError as err:
        fault = f"{path} cannot be written: {err.strerror}"
        raise SaintError(Code.CONFIG_INVALID, fault, fix="Name another file with --to.") from err
