"""`saintctl can`: recorded frames of a CAN bus and the messages in them; a bus of this machine."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from ...lib.errors import Code, SaintError
from ..connect import RobotAddress, runtime_directory
from ..console import fail
from ..recordings import SOURCE

INTERFACE = Annotated[
    str, typer.Argument(metavar="BUS", help="can0, or the serial port of an adapter.")
]
BIT_RATE = Annotated[int, typer.Option(help="Of a serial adapter, in bit/s.")]

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


@app.command()
def dump(
    interface: INTERFACE,
    frames: Annotated[int, typer.Option(min=0, help="End after so many frames.")] = 0,
    seconds: Annotated[float, typer.Option(min=0, help="End after this time.")] = 0.0,
    log: Annotated[bool, typer.Option("--log", help="Print candump's log lines.")] = False,
    bit_rate: BIT_RATE = 500_000,
) -> None:
    """Print the message of every frame on a bus of this machine, until Ctrl-C."""
    from . import bus

    try:
        port = bus.opened(interface, bit_rate)
        bus.dump(port, interface, bus.DumpEnd(frames, seconds), sys.stdout, as_log=log)
    except SaintError as err:
        raise fail(err) from None


@app.command()
def send(
    context: typer.Context,
    interface: INTERFACE,
    message: Annotated[str, typer.Argument(metavar="MESSAGE", help="SET_RPM, ESTOP, ...")],
    fields: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME=NUMBER...]", help="vesc_id=68 value=900")
    ] = None,
    seconds: Annotated[
        float, typer.Option(min=0, max=60, help="Repeat for this time, then stop the motor.")
    ] = 0.0,
    motion: Annotated[
        bool, typer.Option("--motion", help="Send it although it may move the robot.")
    ] = False,
    bit_rate: BIT_RATE = 500_000,
) -> None:
    """Send a message on a bus of this machine, for trying out motors on a stand.

    No e-stop and no limit of the robot applies to it. What may move needs --motion, and is refused
    while a role drives motors on the bus.
    """
    from . import bus

    try:
        frame = bus.parsed(message, fields or [])
        if bus.rest_of(frame) is not None:
            if not motion:
                raise _unsafe(message)
            if (runtime := _local_runtime(context.obj)) is not None:
                bus.check_free(interface, runtime)
        sent = bus.send(bus.opened(interface, bit_rate), frame, seconds)
    except SaintError as err:
        raise fail(err) from None
    print(f"Sent {message.upper()} {sent} times on {interface}.")


def _local_runtime(robot: RobotAddress) -> Path | None:
    """Return the folder of the robot on this machine; None where none runs. Raises refused for
    another robot.
    """
    try:
        return runtime_directory(robot)
    except SaintError as err:
        if err.code is not Code.DAEMON_UNREACHABLE:
            raise
        return None


def _unsafe(message: str) -> SaintError:
    return SaintError(
        Code.REQUEST_INVALID,
        f"{message} may move the robot, and no e-stop applies to it",
        fix="Lift the wheels off the ground, then add --motion.",
    )
