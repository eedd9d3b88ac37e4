"""`saintctl rc`: the RC receiver, and recordings of one."""

import sys
from typing import Annotated

import typer

from ..lib.errors import SaintError
from .console import fail

app = typer.Typer(help="RC receiver: decode.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Keeps `decode` a subcommand while it is the only one."""


@app.command()
def decode(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file, or - for standard input.")],
    protocol: Annotated[str, typer.Option(help="crsf, sbus or ibus")],
    timed: Annotated[bool, typer.Option(help="Lines of JSON with t_us and hex")] = False,
    ibus_18: Annotated[bool, typer.Option("--ibus-18", help="Four hidden channels more")] = False,
    ibus_ia6: Annotated[bool, typer.Option("--ibus-ia6", help="The older form alone")] = False,
) -> None:
    """Print every frame in a recording of a receiver's serial line, one JSON object per line."""
    from .rc_decode import Options, rc_decode  # the parsers: no other command needs them

    try:
        code = rc_decode(Options(protocol, timed, ibus_18, ibus_ia6), file, sys.stdout)
    except SaintError as err:
        raise fail(err) from None
    raise typer.Exit(code)
