"""`saintctl livelink decode`: the daemon's own parsers on a file."""

import sys
from typing import Annotated

import typer

from ..lib.errors import SaintError
from .console import fail

livelink = typer.Typer(help="Face and body capture: decode.", no_args_is_help=True)

Source = Annotated[str, typer.Argument(metavar="FILE", help="A file, or - for standard input.")]


@livelink.callback()
def _group() -> None:
    """Keeps `decode` a subcommand while it is the only one."""


@livelink.command("decode")
def decode_livelink(
    file: Source,
    format_: Annotated[str, typer.Option("--format", help="llf, json, vmc, ifacialmocap, lines")],
) -> None:
    """Print every frame in a recording of datagrams, one JSON object per line."""
    from .livelink_decode import (
        livelink_decode,
    )  # the daemon's parsers: only this command needs them

    try:
        code = livelink_decode(format_, file, sys.stdout)
    except SaintError as err:
        raise fail(err) from None
    raise typer.Exit(code)
