"""Commands of `saintctl arm`. Not here: moving an arm (`saintctl arms`)."""

import sys
from typing import Annotated

import typer

from ...lib.errors import SaintError
from ...lib.hw.feetech.registers import Series
from ..console import fail

app = typer.Typer(help="Servos on a serial bus: decode.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Work on servos on a serial bus."""


@app.command()
def decode(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file, or - for standard input.")],
    protocol: Annotated[
        Series, typer.Option(help="sts for STS and SMS servos, scs for the SCS series")
    ] = Series.STS,
) -> None:
    """Print every packet in a recording of a servo bus, one JSON object per line."""
    from .decode import arm_decode  # no other command needs it

    try:
        code = arm_decode(protocol, file, sys.stdout)
    except SaintError as err:
        raise fail(err) from None
    raise typer.Exit(code)
