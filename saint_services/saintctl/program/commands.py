"""`saintctl program`: pack, add, list, start, stop, log and remove programs on the server."""

from pathlib import Path
from typing import Annotated

import typer

from ...lib.api import Done
from ...lib.api.logs import LogFilter
from ...lib.api.programs import ProgramInfo, ProgramList
from ...lib.api.webd.programs import (
    LIST_PROGRAMS,
    REMOVE_PROGRAM,
    START_PROGRAM,
    STOP_PROGRAM,
)
from ...lib.errors import SaintError
from ...lib.programs import archive, manifest
from ..console import AsJson, fail, print_json, print_table, run, sentence
from ..log.commands import print_newest
from ..row_command import row_command
from . import pack as packing
from .upload import send

app = typer.Typer(
    help="Programs on the server: pack, add, list, start, stop, log, remove.",
    no_args_is_help=True,
)

Name = Annotated[str, typer.Argument(help="Name of the program.")]


@row_command(app, "list", LIST_PROGRAMS)
def print_programs(reply: ProgramList) -> None:
    rows = [
        (each.name, _state(each), each.access, _megabytes(each.size_bytes), _text(each))
        for each in reply.programs
    ]
    columns = ("name", "state", "access", "size", "description")
    print_table(columns, rows, "There is no program yet.")


def _state(program: ProgramInfo) -> str:
    restarts = f", restarted {program.restarts} times" if program.restarts else ""
    return f"{program.state}{restarts}"


def _text(program: ProgramInfo) -> str:
    return (program.problem or program.description).replace("[", "\\[")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


@row_command(app, "start", START_PROGRAM, name=Name)
def print_started(reply: Done) -> None:
    print(sentence(reply.message))


@row_command(app, "stop", STOP_PROGRAM, name=Name)
def print_stopped(reply: Done) -> None:
    print(sentence(reply.message))


@row_command(app, "remove", REMOVE_PROGRAM, name=Name)
def print_removed(reply: Done) -> None:
    print(sentence(reply.message))


@app.command("pack")
def pack(
    folder: Annotated[Path, typer.Argument(help="Folder with program.yaml.", file_okay=False)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Archive. Default: FOLDER.zip.")
    ] = None,
    pip_option: Annotated[
        list[str] | None, typer.Option(help="Further option for pip, such as --no-index.")
    ] = None,
) -> None:
    """Make the archive of a program on this computer, with the packages of its requirements.txt as
    the robot needs them.
    """
    try:
        path = output or Path(f"{folder.resolve().name}.zip")
        made = packing.pack(folder, path, tuple(pip_option or ()))
    except SaintError as err:
        raise fail(err) from None
    print(f"{made}: {_megabytes(made.stat().st_size)}. Add it: saintctl program add {made}")


@app.command("add")
def add(
    context: typer.Context,
    file: Annotated[
        Path, typer.Argument(help="Archive of saintctl program pack.", exists=True, dir_okay=False)
    ],
    as_json: AsJson = False,
) -> None:
    """Add a program to the server, or replace it; one that runs is started again."""
    try:
        archive.check(file)
    except SaintError as err:
        raise fail(err, as_json) from None
    info = run(send(context.obj, file), as_json)
    if as_json:
        print_json(info)
    else:
        print(f"{info.name} was added. Start it: saintctl program start {info.name}")


@app.command("log")
def log(
    context: typer.Context,
    name: Name,
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, max=20_000)] = 100,
    as_json: AsJson = False,
) -> None:
    """Show the newest lines that a program has printed."""
    if not manifest.is_name(name):
        raise typer.BadParameter(f"{name!r} is not the name of a program")
    print_newest(context.obj, LogFilter(source=f"program-{name}"), lines, as_json)
