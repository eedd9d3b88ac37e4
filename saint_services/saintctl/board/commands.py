"""`saintctl board`: the link between the wagon's boards."""

import sys

import typer

from ...lib.errors import SaintError
from ..console import fail
from ..recordings import SOURCE

app = typer.Typer(help="Boards of the wagon: recordings of their link.", no_args_is_help=True)


@app.callback()
def board() -> None:
    """Keep `decode` a command of its own while there is no other."""


@app.command()
def decode(file: SOURCE) -> None:
    """Print every frame in the raw bytes of the link, one JSON object per line."""
    from .decode import board_decode  # the codecs: no other command needs them

    try:
        code = board_decode(file, sys.stdout)
    except SaintError as err:
        raise fail(err) from None
    raise typer.Exit(code)
