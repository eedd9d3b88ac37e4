"""`saintctl robot figure`: the owner's URDF with its meshes: set, show, remove."""

import asyncio
import base64
from pathlib import Path
from typing import Annotated

import typer

from ...lib.api import robot_figure as rows
from ...lib.api.robot import RobotApplied
from ...lib.api.robot_figure import AddFigure, FigureShows, RobotFigure, SetFigure
from ...lib.errors import Code, SaintError
from ...lib.robot.figure.archive import received
from ..connect import RobotAddress, request
from ..console import AsJson, print_json, print_table, run
from ..row_command import help_of, row_command
from .commands import print_applied
from .files import read_file

app = typer.Typer(
    help="The robot's 3D model: set, show, remove. Without one it is made of the parts.",
    no_args_is_help=True,
)
_File = Annotated[
    str, typer.Argument(metavar="FILE", help="A URDF, or a zip of a URDF and its meshes.")
]
_Note = Annotated[str, typer.Option(help=help_of(SetFigure, "note"))]
_Joints = Annotated[
    list[str] | None,
    typer.Option(
        "--joint",
        metavar="ROLE.PART=JOINT",
        help="The joint that shows a part, where its name does not say so. May be repeated.",
    ),
]


@app.command("set")
def set_figure(
    context: typer.Context,
    file: _File,
    joint: _Joints = None,
    note: _Note = "",
    as_json: AsJson = False,
) -> None:
    """Put a URDF in force as the robot's figure; joints show the parts of like names."""

    async def work() -> tuple[RobotFigure, RobotApplied]:
        figure = await _added(context.obj, Path(file))
        params = SetFigure(
            digest=figure.digest, joints=_chosen(figure, joint or []), note=note or Path(file).name
        )
        return figure, await request(context.obj, rows.SET_FIGURE, params)

    _, reply = run(work(), as_json)
    if as_json:
        print_json(reply)
        return
    print_applied(reply)
    _print_unbound(run(_in_force(context.obj)))


async def _added(robot: RobotAddress, path: Path) -> RobotFigure:
    packed = await asyncio.to_thread(lambda: received(read_file(path)).packed())
    archive = base64.b64encode(packed).decode()
    return await request(robot, rows.ADD_FIGURE, AddFigure(archive=archive))


def _chosen(figure: RobotFigure, given: list[str]) -> dict[str, dict[str, str]]:
    """Return the proposed joints with those that the user names. Raises request_invalid."""
    named = {}
    for each in given:
        part, _, joint = each.partition("=")
        target, _, name = part.rpartition(".")
        if not target:
            raise SaintError(Code.REQUEST_INVALID, f"{each!r} is not ROLE.PART=JOINT")
        named[target, name] = joint
    found: dict[str, dict[str, str]] = {}
    for shown in figure.parts:
        if shown.joint and shown.joint not in named.values():
            found.setdefault(shown.target, {})[shown.name] = shown.joint
    for (target, name), joint in named.items():
        found.setdefault(target, {})[name] = joint
    return found


async def _in_force(robot: RobotAddress) -> RobotFigure:
    return await request(robot, rows.GET_FIGURE, rows.FigureParams())


@row_command(app, "show", rows.GET_FIGURE)
def print_figure(reply: RobotFigure) -> None:
    """Print the robot's figure: which joint shows which part."""
    kinds = {
        "generated": "made of the parts",
        "own": f"yours, {reply.digest}",
        "shipped": "shipped",
    }
    print(f"{reply.name}: {kinds[reply.kind]}. {reply.links} links, {reply.triangles} triangles.")
    if reply.problem:
        print(reply.problem)
    if not reply.shapes:
        print("It has no simple collision shapes: no arm is kept clear of anything by it.")
    columns = ("part", "joint", "")
    print_table(columns, [_line(part) for part in reply.parts], "No part moves.")
    _print_unbound(reply)


def _line(part: FigureShows) -> tuple[str, ...]:
    return f"{part.target}.{part.name}", part.joint or "-", part.note


def _print_unbound(figure: RobotFigure) -> None:
    shown = {part.joint for part in figure.parts}
    free = [joint.name for joint in figure.joints if joint.name not in shown]
    parts = [f"{part.target}.{part.name}" for part in figure.parts if not part.joint]
    if parts:
        print(f"No joint shows {', '.join(parts)}.")
    if free:
        print(f"No part moves {', '.join(free)}.")


@row_command(app, "remove", rows.REMOVE_FIGURE, fixed={"base": None})
def print_removed(reply: RobotApplied) -> None:
    """Return to the figure that is made of the parts."""
    print_applied(reply)
