"""`saintctl rc decode` and `saintctl livelink decode`: the daemons' own parsers on a file."""

import sys
from typing import Annotated

import typer

from ..lib.errors import SaintError
from .console import fail
from .livelink_decode import livelink_decode
from .rc_decode import rc_decode

rc = typer.Typer(help="RC receivers: decode.", no_args_is_help=True)
livelink = typer.Typer(help="Face and body capture: decode.", no_args_is_help=True)

Source = Annotated[str, typer.Argument(metavar="FILE", help="A file, or - for standard input.")]


@rc.callback()
@livelink.callback()
def _group() -> None:
    """Keeps `decode` a subcommand while it is the only one."""


@rc.command("decode")
def decode_rc(
    file: Source,
    protocol: Annotated[str, typer.Option(help="crsf, sbus or ibus")],
    timed: Annotated[bool, typer.Option(help="Lines of JSON with t_us and hex")] = False,
) -> None:
    """Print every frame in a recording of a receiver's serial line, one JSON object per line."""
    try:
        code = rc_decode(protocol, timed, file, sys.stdout)
    except SaintError as err:
        raise fail(err) from None
    raise typer.Exit(code)


@livelink.command("decode")
def decode_livelink(
    file: Source,
    format_: Annotated[str, typer.Option("--format", help="llf")],
) -> None:
    """Print every frame in a recording of datagrams, one JSON object per line."""
    try:
        code = livelink_decode(format_, file, sys.stdout)
    except SaintError as err:
        raise fail(err) from None
    raise typer.Exit(code)
