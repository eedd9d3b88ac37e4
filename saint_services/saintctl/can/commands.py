"""`saintctl can`: recorded frames of a CAN bus, and the messages in them."""

import sys

import typer

from ...lib.errors import SaintError
from ..console import fail
from ..recordings import SOURCE

app = typer.Typer(
    help="CAN bus: frames of VESC motor controllers and of the wagon.", no_args_is_help=True
)


@app.command()
def decode(file: SOURCE) -> None:
    """Print the message of every recorded frame, one JSON object per line.

    A line is {"t_us": 0, "id": 2314, "extended": true, "hex": "00003039ffcb036c"}, or one of
    candump's log: (0.000000) can0 0000090A#00003039FFCB036C.
    """
    from .decode import can_decode  # the codecs: no other command needs them

    try:
        code = can_decode(file, sys.stdout)
    except SaintError as err:
        raise fail(err) from None
    raise typer.Exit(code)


@app.command()
def encode(file: SOURCE) -> None:
    """Print the frame of every message, one JSON object per line.

    A line is {"message": "SET_CURRENT", "vesc_id": 23, "value": 51.0}, or what `can decode` prints.
    """
    from .decode import can_encode

    try:
        code = can_encode(file, sys.stdout)
    except SaintError as err:
        raise fail(err) from None
    raise typer.Exit(code)
