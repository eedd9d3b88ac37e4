"""`saintctl route set, delete, preview`: routes of a file onto the robot, one by one."""

import asyncio
import math
from pathlib import Path
from typing import Annotated

import typer

from ...lib import config
from ...lib.api import routing
from ...lib.api.endpoint import Nothing
from ...lib.api.routing import Preview, PreviewRoute, Route, RouteFile, RouteInfo, SetRoute
from ...lib.config.spelling import hint
from ...lib.errors import Code, SaintError
from ..connect import Place, do, wish
from ..console import AsJson, print_json, print_table, run
from ..estop.confirm import RemoveStop, asked_confirmed, do_confirmed
from ..names import RouteId

File = Annotated[str, typer.Argument(metavar="ROUTES.yaml", help="A file with `routes:`.")]
Only = Annotated[str, typer.Option("--route", help="Only this one of the file.")]


def add_to(app: typer.Typer) -> None:
    """These are subcommands of `route` itself."""
    app.command("set")(save)
    app.command("delete")(delete)
    app.command("preview")(preview)


def save(
    context: typer.Context,
    file: File,
    route: Only = "",
    remove_stop: RemoveStop = None,
    as_json: AsJson = False,
) -> None:
    """Create or replace routes; the others stay."""

    async def work() -> list[RouteInfo]:
        chosen = await asyncio.to_thread(_chosen, file, route)
        return [await _saved(context.obj, each, remove_stop) for each in chosen]

    for info in run(work(), as_json):
        if as_json:
            print_json(info)
        else:
            print(f"Route {info.route.id} is saved; it is {info.status}.")


def delete(
    context: typer.Context, route: RouteId, remove_stop: RemoveStop = None, as_json: AsJson = False
) -> None:
    """Remove a route."""
    place, row = context.obj, routing.DELETE_ROUTE
    reply = asked_confirmed(place, row, remove_stop, as_json, route_id=route)
    if as_json:
        print_json(reply)
    else:
        print(f"{reply.message[:1].upper()}{reply.message[1:]}.")


def preview(
    context: typer.Context,
    route: Annotated[
        str, typer.Argument(metavar="ROUTE", help="A route of the robot, or of FILE.")
    ],
    values: Annotated[list[str], typer.Argument(metavar="NAME=VALUE...", help="Its inputs.")],
    file: Annotated[str, typer.Option(help="A file with `routes:`; nothing of it is saved.")] = "",
    as_json: AsJson = False,
) -> None:
    """What a route would make of these inputs. Nothing moves."""
    given = dict(_pair(text) for text in values)

    async def work() -> Preview:
        if file:
            (wanted,) = await asyncio.to_thread(_chosen, file, route)
        else:
            listed = await do(context.obj, routing.LIST_ROUTES, Nothing())
            (wanted,) = named([info.route for info in listed.routes], route, "the robot")
        params = wish(PreviewRoute, as_json, route=wanted, values=given)
        return await do(context.obj, routing.PREVIEW_ROUTE, params)

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
        print("It would raise the e-stop.")
    if reply.missing:
        print(f"Not given: {', '.join(reply.missing)}.")


async def _saved(place: Place, route: Route, remove_stop: list[str] | None) -> RouteInfo:
    return await do_confirmed(place, routing.SET_ROUTE, SetRoute(route=route), remove_stop)


def _chosen(file: str, name: str) -> list[Route]:
    found = config.load(RouteFile, Path(file), required=True).routes
    return named(found, name, file) if name else found


def named(routes: list[Route], name: str, place: str) -> list[Route]:
    """That one, as a list; else an error with the nearest name."""
    found = [route for route in routes if route.id == name]
    if found:
        return found[:1]
    meant = hint(name, [route.id for route in routes])
    raise SaintError(Code.NOT_FOUND, f"{place} has no route {name!r}{meant}")


def _pair(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise typer.BadParameter(f"{text!r} is not of the form channel_1=0.5")
    return name, number
