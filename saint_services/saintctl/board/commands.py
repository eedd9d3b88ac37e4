"""`saintctl board`: the wagon's boards on this computer's USB, and recordings of their link."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from ...lib.errors import SaintError
from ..console import AsJson, fail, print_table
from ..recordings import SOURCE

app = typer.Typer(
    help="Boards of the wagon: list, status, console, flash, decode.", no_args_is_help=True
)
Board = Annotated[
    str, typer.Argument(metavar="BOARD", help="balance, io, or the path of its serial device")
]
Port = Annotated[list[str] | None, typer.Option("--port", help="A serial device; repeatable")]


@app.command()
def decode(file: SOURCE) -> None:
    """Print every frame in the raw bytes of the link, one JSON object per line."""
    from .decode import board_decode  # the codecs: no other command needs them

    try:
        code = board_decode(file, sys.stdout)
    except SaintError as err:
        raise fail(err) from None
    raise typer.Exit(code)


@app.command("list")
def show_all(port: Port = None, as_json: AsJson = False) -> None:
    """List the boards on this computer with their firmware, compared to this release's."""
    from . import boards  # hardware libraries

    found = boards.found(port or boards.ports())
    if as_json:
        rows = [
            {
                "port": each.port,
                "board": each.status.board if each.status else None,
                "version": each.status.version if each.status else None,
                "armed": each.status.armed if each.status else None,
                "firmware": each.firmware,
                "problem": each.problem,
            }
            for each in found
        ]
        print(json.dumps({"boards": rows}, indent=2))
        return
    table = []
    for each in found:
        status = each.status
        if status is None:
            table.append(("-", each.port, "-", "-", each.problem))
        else:
            armed = "armed" if status.armed else "no"
            table.append((status.board, each.port, armed, status.version, each.firmware))
    columns = ("board", "port", "armed", "version", "firmware")
    print_table(columns, table, "No board was found. Name its serial device with --port.")


@app.command()
def status(board: Board, as_json: AsJson = False) -> None:
    """Show what a board reports."""
    from . import boards

    try:
        found = boards.read_status(boards.the_port(board))
    except SaintError as err:
        raise fail(err, as_json) from None
    raw = (found.raw or {}) | {"firmware": found.firmware}
    if as_json:
        print(json.dumps(raw, indent=2))
        return
    rows = [
        (name, value if isinstance(value, str) else json.dumps(value))
        for name, value in raw.items()
    ]
    print_table(("fact", "value"), rows, "The board reports nothing.")


@app.command()
def console(
    board: Board,
    command: Annotated[
        list[str] | None,
        typer.Option("--command", "-c", help="Send this line and print the reply; repeatable"),
    ] = None,
) -> None:
    """Open the bench console of a board; Ctrl-D ends it.

    BALANCE knows ARM, DISARM, DRIVE speed steer, MODE RC|ASSISTED|AUTO, PID kp ki kd, ESTOP,
    STATUS, IMU CAL. Exit code 1: a command was refused.
    """
    from . import board_console, boards

    try:
        device = boards.the_port(board)
        if command is None:
            board_console.attach(device)
        elif not board_console.converse(device, command, sys.stdout):
            raise typer.Exit(1)
    except SaintError as err:
        raise fail(err) from None
    except KeyboardInterrupt:
        raise typer.Exit(0) from None


@app.command()
def flash(
    board: Annotated[str, typer.Argument(metavar="BOARD", help="balance or io")],
    port: Annotated[str, typer.Option("--port", help="Its serial device")] = "",
    blank: Annotated[
        bool, typer.Option("--blank", help="The board has no firmware of ours yet")
    ] = False,
    micropython: Annotated[
        Path | None,
        typer.Option("--micropython", help="First write this image of MicroPython (esptool)"),
    ] = None,
    downgrade: Annotated[
        bool, typer.Option("--downgrade", help="Write it onto a board with newer firmware, too")
    ] = False,
) -> None:
    """Write this release's firmware onto a board (mpremote); refused while the wagon is armed."""
    from . import boards, flashing

    try:
        device = port or boards.the_port(board)
        written = flashing.flash(
            device, board, is_blank=blank, may_downgrade=downgrade, firmware=micropython
        )
    except SaintError as err:
        raise fail(err) from None
    instead = f" in place of {written.before}" if written.before else ""
    print(f"{board}: firmware {written.version} was written{instead}; it starts again, disarmed")
