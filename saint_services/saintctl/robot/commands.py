"""`saintctl robot`: the robot as a file: show, check, apply, return to an earlier version. Not
here: its parts (part.py).
"""

import asyncio
import base64
from pathlib import Path
from typing import Annotated

import typer

from ...lib import config
from ...lib.api import robot as rows
from ...lib.api import robot_figure as rows_of_figure
from ...lib.api.robot import (
    ApplyRobot,
    CheckRobot,
    RobotApplied,
    RobotDocument,
    RobotReview,
    RobotTemplates,
    RobotVersions,
)
from ...lib.api.robot_figure import OpenArchive
from ...lib.robot.figure.archive import received
from ...lib.robot.figure.robot_archive import opened_robot
from ...lib.robot.figure.store import named_figures
from ..connect import request, run_request
from ..console import AsJson, print_json, print_table, run
from ..row_command import help_of, row_command
from .files import read_file

app = typer.Typer(
    help="The robot as a file: show, lint, diff, apply, export, import, template, undo, versions.",
    no_args_is_help=True,
)
_File = Annotated[
    str, typer.Argument(metavar="ROBOT", help="A robot, .yaml or .zip, as `export` writes it.")
]
_Note = Annotated[str, typer.Option(help=help_of(ApplyRobot, "note"))]
_WRONG_FILE = 2  # exit code


def print_applied(reply: RobotApplied) -> None:
    """Print what has changed, and what the nodes said."""
    for each in reply.changes:
        print(f"  {each}")
    print(f"Version {reply.version}: {reply.message}.")
    _print_warnings(reply.warnings)


def _print_warnings(warnings: list[str]) -> None:
    for each in warnings:
        print(f"Warning: {each}.")


@row_command(app, "show", rows.GET_ROBOT)
def print_robot(reply: RobotDocument) -> None:
    """Print the robot in force."""
    print(reply.text, end="")


@app.command("lint")
def lint(context: typer.Context, file: _File, as_json: AsJson = False) -> None:
    """Check a file: the first fault with its line, or nothing."""
    review = _review(context, file)
    if as_json:
        print_json(review)
    else:
        print(review.problem or review.refusal or f"{file} is sound.")
        _print_warnings(review.warnings)
    if review.problem:
        raise typer.Exit(_WRONG_FILE)


@app.command("diff")
def diff(context: typer.Context, file: _File, as_json: AsJson = False) -> None:
    """Say in words what a file would change of the robot in force."""
    review = _review(context, file)
    if as_json:
        print_json(review)
        return
    if review.problem:
        print(review.problem)
        raise typer.Exit(_WRONG_FILE)
    for each in review.changes or ["Nothing would change."]:
        print(each)
    _print_warnings(review.warnings)
    for each in (*review.notes, *([f"Refused now: {review.refusal}."] if review.refusal else ())):
        print(each)


def apply(context: typer.Context, file: _File, note: _Note = "", as_json: AsJson = False) -> None:
    """Put a file in force; nodes follow when their outputs are safe."""

    async def work() -> RobotApplied:
        text = await _text_of(context, Path(file))
        params = ApplyRobot(text=text, note=note or Path(file).name)
        return await request(context.obj, rows.APPLY_ROBOT, params)

    reply = run(work(), as_json)
    print_json(reply) if as_json else print_applied(reply)


async def _text_of(context: typer.Context, path: Path) -> str:
    """Return the text of a robot; of a zip, after its figure has been stored on the robot."""
    if not _is_zip(path):
        return await asyncio.to_thread(config.read_text, path)
    params = OpenArchive(archive=await asyncio.to_thread(_archive, path))
    return (await request(context.obj, rows_of_figure.OPEN_ARCHIVE, params)).text


def _is_zip(path: Path) -> bool:
    return path.suffix.lower() == ".zip"


def _archive(path: Path) -> str:
    """Return a zip in Base64; a fault is found before it is sent. Raises config_invalid or
    too_large. Blocks."""
    raw = read_file(path)
    _, figure = opened_robot(raw)
    if figure:
        received(figure)
    return base64.b64encode(raw).decode()


app.command("apply")(apply)
app.command("import")(apply)


@app.command("export")
def export(
    context: typer.Context,
    to: Annotated[str, typer.Option(help="The file to write. Default: print.")] = "",
    version: Annotated[int, typer.Option(help="Version to write. Default: the newest.")] = 0,
) -> None:
    """Write the robot to a file for `robot import`, an editor or git. A .zip has its figure too."""
    if to.lower().endswith(".zip") and not version:
        archive = run_request(context.obj, rows_of_figure.EXPORT_ARCHIVE)
        Path(to).write_bytes(base64.b64decode(archive.archive))
        print(f"{archive.name} and its figure are in {to}.")
        return
    if version:
        found = run_request(context.obj, rows.GET_VERSION, number=version)
    else:
        found = run_request(context.obj, rows.GET_ROBOT)
    if not to:
        print(found.text, end="")
        return
    Path(to).write_text(found.text, encoding="utf-8")
    print(f"{found.name} is in {to}.")
    if named_figures(found.text):
        print("Its figure is not: --to robot.zip writes both.")


@app.command("template")
def template(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="A shipped robot. Default: list them.")] = "",
    show: Annotated[bool, typer.Option("--show", help="Print it, instead of using it.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the shipped robots, or start from one."""
    if not name:
        listed: RobotTemplates = run_request(context.obj, rows.LIST_TEMPLATES, as_json)
        print_json(listed) if as_json else _print_templates(listed)
    elif show:
        print(run_request(context.obj, rows.GET_TEMPLATE, as_json, name=name).text, end="")
    else:
        reply = run_request(context.obj, rows.USE_TEMPLATE, as_json, name=name)
        print_json(reply) if as_json else print_applied(reply)


def _print_templates(listed: RobotTemplates) -> None:
    lines = [(t.name, str(t.parts), ", ".join(t.roles), t.about) for t in listed.templates]
    print_table(("template", "outputs", "roles", "about"), lines, "There is none.")
    for each in (each for each in listed.templates if each.news):
        print(f"\nNew in {each.name} since this robot began with it (saintctl part add):")
        for sentence in each.news:
            print(f"  {sentence}")


NUMBER = typer.Argument(metavar="[VERSION]", help="Version to return to. Default: the one before.")


@row_command(app, "undo", rows.UNDO_ROBOT, fixed={"base": None}, number=NUMBER)
def print_undone(reply: RobotApplied) -> None:
    """Return to an earlier version, as a new one."""
    print_applied(reply)


@row_command(app, "versions", rows.LIST_VERSIONS)
def print_versions(reply: RobotVersions) -> None:
    """List the stored versions, newest first."""
    lines = [
        ("in force" if v.is_in_force else "", str(v.number), v.saved, v.person or "-", v.note)
        for v in reply.versions
    ]
    columns = ("", "version", "saved", "by", "note")
    print_table(columns, lines, "The shipped template is in force; no change is stored.")


def _review(context: typer.Context, file: str) -> RobotReview:
    async def work() -> RobotReview:
        path = Path(file)
        if _is_zip(path):
            params = CheckRobot(archive=await asyncio.to_thread(_archive, path))
        else:
            params = CheckRobot(text=await asyncio.to_thread(config.read_text, path))
        return await request(context.obj, rows.CHECK_ROBOT, params)

    return run(work())
