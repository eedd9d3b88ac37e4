"""`saintctl teleop`: the structs of remote operation."""

import sys
from typing import Annotated

import typer

from ...lib.errors import SaintError
from ..console import fail
from ..recordings import SOURCE
from .sessions import add_to

app = typer.Typer(help="Remote operation: sessions, and their bytes.", no_args_is_help=True)
add_to(app)


@app.command()
def decode(
    file: SOURCE, struct: Annotated[str, typer.Option("--struct", help="command, state")]
) -> None:
    """Print every recorded struct, one JSON object per line: {"t_us": 0, "hex": "02..."}."""
    from .decode import teleop_decode  # the codecs: no other command needs them

    try:
        code = teleop_decode(struct, file, sys.stdout)
    except SaintError as err:
        raise fail(err) from None
    raise typer.Exit(code)


@app.command()
def encode(file: SOURCE) -> None:
    """Print the bytes of every line that `teleop decode` prints, as {"hex": "02..."}."""
    from .decode import teleop_encode

    try:
        code = teleop_encode(file, sys.stdout)
    except SaintError as err:
        raise fail(err) from None
    raise typer.Exit(code)
