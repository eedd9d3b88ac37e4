"""`saintctl rc`: the RC receiver, and recordings of one."""

import contextlib
import sys
from typing import Annotated

import typer

from ...lib.api import rc
from ...lib.api.endpoint import Nothing
from ...lib.api.rc import (
    DetectRequest,
    FailsafeInfo,
    ProtocolInfo,
    RcChannelConfig,
    RcChannelList,
    RcStatus,
    ResetRequest,
)
from ...lib.errors import SaintError
from ..connect import RobotAddress, client, run_request
from ..console import AsJson, fail, print_json, print_table, run
from ..row_command import help_of, row_command
from . import view

app = typer.Typer(
    help="RC receiver: status, channels, calibration, failsafe, protocol, decode.",
    no_args_is_help=True,
)
CHANNEL = typer.Argument(metavar="CHANNEL")


@app.command()
def status(
    context: typer.Context,
    live: Annotated[bool, typer.Option("--live", help="Update until Ctrl-C.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the receiver in charge, its signal, and every channel as a bar."""
    if live:
        with contextlib.suppress(KeyboardInterrupt):
            run(_follow(context.obj, as_json), as_json)
        return
    reply = run_request(context.obj, rc.GET_STATUS, as_json)
    if as_json:
        print_json(reply)
        return
    from rich.console import Console

    Console(highlight=False).print(view.overview(reply))


@row_command(app, "enable", rc.SET_ENABLED, fixed={"enabled": True})
def print_enabled(_: RcStatus) -> None:
    """Switch the receiver on."""
    print("The RC receiver is switched on.")


@row_command(app, "disable", rc.SET_ENABLED, fixed={"enabled": False})
def print_disabled(_: RcStatus) -> None:
    """Switch the receiver off. It then drives nothing, and other inputs may take over."""
    print("The RC receiver is switched off.")


@row_command(app, "channels", rc.LIST_CHANNELS)
def print_channels(reply: RcChannelList) -> None:
    """List range and name of every channel."""
    _print_channels(reply.channels)


@row_command(
    app,
    "channel",
    rc.SET_CHANNEL_CONFIG,
    reads=rc.GET_CHANNEL,
    channel=CHANNEL,
    reversed=typer.Option("--reversed/--normal"),
)
def print_channel(reply: RcChannelConfig) -> None:
    """Show one channel, or change what the options name."""
    _print_channels([reply])


@row_command(
    app, "calibrate-channel", rc.CALIBRATE_CHANNEL, channel=CHANNEL, position=typer.Argument()
)
def print_calibrated(reply: RcChannelConfig) -> None:
    """Set an end or the middle of a channel to the present position of the stick."""
    _print_channels([reply])


@app.command()
def calibrate(context: typer.Context) -> None:
    """Measure all channels step by step; finds reversed, swapped, unplugged and narrow ones."""
    if not run(_calibrate(context.obj)):
        print("Nothing was changed.")
        raise typer.Exit(1)
    print("Saved.")


@row_command(app, "failsafe", rc.SET_FAILSAFE, reads=rc.GET_FAILSAFE)
def print_failsafe(reply: FailsafeInfo) -> None:
    """Show when the signal is lost and what happens then, or change what the options name."""
    print(
        f"On a loss: {reply.action}. The signal is lost after {reply.timeout_ms} ms without a "
        f"frame or {reply.lost_frames} lost frames in a row; it is back after "
        f"{reply.recovery_ms} ms of good frames."
    )


@row_command(
    app,
    "protocol",
    rc.SET_PROTOCOL,
    reads=rc.GET_RECEIVER,
    protocol=typer.Argument(),
    baud_rate=typer.Option("--baud"),
)
def print_protocol(reply: ProtocolInfo) -> None:
    """Show the receiver's protocol, or set it."""
    speed = f" at {reply.baud_rate} baud" if reply.baud_rate else ""
    print(f"{reply.protocol} on {reply.device}{speed}")


@row_command(app, "reset", rc.RESET, parts=typer.Argument(metavar="[PART...]"))
def print_reset(_: RcStatus, params: ResetRequest) -> None:
    """Delete settings that were changed on the page or here, so that rcd.yaml applies again."""
    parts = ", ".join(params.parts).capitalize() if "parts" in params.model_fields_set else ""
    print(f"{parts or 'Everything'}: rcd.yaml applies again.")


@app.command()
def detect(
    context: typer.Context,
    seconds: Annotated[float, typer.Option(help=help_of(DetectRequest, "seconds"))] = 1.0,
    apply: Annotated[bool, typer.Option("--apply", help=help_of(DetectRequest, "apply"))] = False,
    as_json: AsJson = False,
) -> None:
    """Try every protocol in turn; meanwhile the transmitter moves nothing. Exit code 1: none
    fits."""
    reply = run_request(context.obj, rc.DETECT_PROTOCOL, as_json, seconds=seconds, apply=apply)
    if as_json:
        print_json(reply)
    else:
        print("\n".join(view.detection(reply)))
    if reply.protocol is None:
        raise typer.Exit(1)


@app.command()
def decode(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file, or - for standard input.")],
    protocol: Annotated[str, typer.Option(help="crsf, sbus, ibus, dsm, ghst, mavlink")],
    timed: Annotated[
        bool, typer.Option(help="The file has lines of JSON with t_us and hex.")
    ] = False,
    ibus_18: Annotated[
        bool, typer.Option("--ibus-18", help="Also decode the four hidden channels.")
    ] = False,
    ibus_ia6: Annotated[bool, typer.Option("--ibus-ia6", help="Only the older form.")] = False,
) -> None:
    """Print every frame in a recording of a receiver's serial line, one JSON object per line."""
    from .decode import Options, rc_decode  # the parsers: no other command needs them

    try:
        code = rc_decode(Options(protocol, timed, ibus_18, ibus_ia6), file, sys.stdout)
    except SaintError as err:
        raise fail(err) from None
    raise typer.Exit(code)


async def _follow(robot: RobotAddress, as_json: bool) -> None:
    """Print every new status in place of the one before."""
    async with contextlib.AsyncExitStack() as stack:
        rcd = await stack.enter_async_context(client(robot, "rcd"))
        lines = rcd.follow(rc.WATCH, Nothing())
        await stack.enter_async_context(contextlib.aclosing(lines))
        if as_json or not sys.stdout.isatty():
            async for reply in lines:
                print(reply.model_dump_json() if as_json else view.plain(reply), flush=True)
            return
        from rich.console import Console
        from rich.live import Live

        screen = Live(console=Console(highlight=False), auto_refresh=False)
        stack.enter_context(screen)
        async for reply in lines:
            screen.update(view.overview(reply), refresh=True)


async def _calibrate(robot: RobotAddress) -> bool:
    from .calibrate import Lines, calibrate

    async with client(robot, "rcd") as rcd:
        return await calibrate(rcd, Lines(sys.stdin))


def _print_channels(channels: list[RcChannelConfig]) -> None:
    print_table(view.CHANNEL_COLUMNS, view.channel_rows(channels), "There are no channels.")
