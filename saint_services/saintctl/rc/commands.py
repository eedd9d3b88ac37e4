"""`saintctl rc`: the RC receiver, and recordings of one."""

import contextlib
import sys
from typing import Annotated

import typer

from ...lib.api import rc
from ...lib.api.endpoint import Nothing
from ...lib.api.rc import RcChannelConfig
from ...lib.errors import SaintError
from ..connect import Place, asked, client
from ..console import AsJson, fail, print_json, print_table, run
from . import view as view

app = typer.Typer(
    help="RC receiver: status, channels, calibration, failsafe, protocol, decode.",
    no_args_is_help=True,
)
Number = Annotated[int, typer.Argument(metavar="CHANNEL", help="1 to 18")]


@app.command()
def status(
    context: typer.Context,
    live: Annotated[bool, typer.Option("--live", help="Follow it until Ctrl-C")] = False,
    as_json: AsJson = False,
) -> None:
    """Which receiver is in charge, its signal, and every channel as a bar."""
    if live:
        with contextlib.suppress(KeyboardInterrupt):
            run(_follow(context.obj, as_json), as_json)
        return
    reply = asked(context.obj, rc.GET_STATUS, as_json)
    if as_json:
        print_json(reply)
        return
    from rich.console import Console

    Console(highlight=False).print(view.overview(reply))


@app.command()
def enable(context: typer.Context, as_json: AsJson = False) -> None:
    """Switch the receiver on."""
    _switch(context.obj, True, as_json)


@app.command()
def disable(context: typer.Context, as_json: AsJson = False) -> None:
    """Switch the receiver off: nothing is driven by it, and others may."""
    _switch(context.obj, False, as_json)


@app.command()
def channels(context: typer.Context, as_json: AsJson = False) -> None:
    """Ranges and names of all channels."""
    reply = asked(context.obj, rc.LIST_CHANNELS, as_json)
    print_json(reply) if as_json else _print_channels(reply.channels)


@app.command()
def channel(
    context: typer.Context,
    number: Number,
    name: Annotated[str | None, typer.Option(help="What it does")] = None,
    low: Annotated[int | None, typer.Option("--min", help="us: becomes -1")] = None,
    center: Annotated[int | None, typer.Option(help="us: becomes 0")] = None,
    high: Annotated[int | None, typer.Option("--max", help="us: becomes 1")] = None,
    turned: Annotated[bool | None, typer.Option("--reversed/--normal")] = None,
    as_json: AsJson = False,
) -> None:
    """Show one channel, or set what is given of it."""
    given = {"name": name, "min": low, "center": center, "max": high, "reversed": turned}
    if any(value is not None for value in given.values()):
        reply = asked(context.obj, rc.SET_CHANNEL_CONFIG, as_json, channel=number, **given)
    else:
        reply = asked(context.obj, rc.GET_CHANNEL, as_json, channel=number)
    print_json(reply) if as_json else _print_channels([reply])


@app.command("calibrate-channel")
def calibrate_channel(
    context: typer.Context,
    number: Number,
    position: Annotated[str, typer.Argument(help="min, max or center")],
    as_json: AsJson = False,
) -> None:
    """Where the stick is now becomes its end or its middle."""
    reply = asked(context.obj, rc.CALIBRATE_CHANNEL, as_json, channel=number, position=position)
    print_json(reply) if as_json else _print_channels([reply])


@app.command()
def calibrate(context: typer.Context) -> None:
    """Measure all channels, guided; finds reversed, swapped, unplugged and narrow ones."""
    if not run(_calibrate(context.obj)):
        print("Nothing was changed.")
        raise typer.Exit(1)
    print("Saved.")


@app.command()
def failsafe(
    context: typer.Context,
    action: Annotated[str | None, typer.Option(help="hold, neutral, estop, passthrough")] = None,
    timeout_ms: Annotated[int | None, typer.Option(help="Silence that is a loss")] = None,
    lost_frames: Annotated[int | None, typer.Option(help="In a row: a loss")] = None,
    recovery_ms: Annotated[
        int | None, typer.Option(help="Good for so long before it counts")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show when the signal is lost and what happens then, or set what is given of it."""
    given = {
        "action": action,
        "timeout_ms": timeout_ms,
        "lost_frames": lost_frames,
        "recovery_ms": recovery_ms,
    }
    if any(value is not None for value in given.values()):
        reply = asked(context.obj, rc.SET_FAILSAFE, as_json, **given)
    else:
        reply = asked(context.obj, rc.GET_FAILSAFE, as_json)
    if as_json:
        print_json(reply)
        return
    print(
        f"On a loss: {reply.action}. A loss is {reply.timeout_ms} ms of silence or "
        f"{reply.lost_frames} lost frames in a row; then {reply.recovery_ms} ms must be good."
    )


@app.command()
def protocol(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="crsf, sbus, ibus, ppm or pwm")] = "",
    baud: Annotated[int | None, typer.Option(help="Its own where not given")] = None,
    as_json: AsJson = False,
) -> None:
    """Show which protocol is listened for, or set it."""
    if name:
        reply = asked(context.obj, rc.SET_PROTOCOL, as_json, protocol=name, baud_rate=baud)
    else:
        reply = asked(context.obj, rc.GET_RECEIVER, as_json)
    speed = f" at {reply.baud_rate} baud" if reply.baud_rate else ""
    print_json(reply) if as_json else print(f"{reply.protocol} on {reply.device}{speed}")


@app.command()
def reset(
    context: typer.Context,
    parts: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PART...]", help="enabled, protocol, failsafe, channels; else all"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Forget what was set by page or terminal: as rcd.yaml says again."""
    reply = asked(context.obj, rc.RESET, as_json, parts=parts or None)
    if as_json:
        print_json(reply)
        return
    told = f"{', '.join(parts).capitalize()}: as" if parts else "Everything is as"
    print(f"{told} rcd.yaml says.")


@app.command()
def detect(
    context: typer.Context,
    seconds: Annotated[float, typer.Option(help="For each setting, 0.2 to 5")] = 1.0,
    apply: Annotated[bool, typer.Option("--apply", help="Use what was found")] = False,
    as_json: AsJson = False,
) -> None:
    """Listen for every protocol in turn; the transmitter moves nothing meanwhile."""
    reply = asked(context.obj, rc.DETECT_PROTOCOL, as_json, seconds=seconds, apply=apply)
    if as_json:
        print_json(reply)
    else:
        print("\n".join(view.detection(reply)))
    if reply.protocol is None:
        raise typer.Exit(1)


@app.command()
def decode(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file, or - for standard input.")],
    protocol: Annotated[str, typer.Option(help="crsf, sbus or ibus")],
    timed: Annotated[bool, typer.Option(help="Lines of JSON with t_us and hex")] = False,
    ibus_18: Annotated[bool, typer.Option("--ibus-18", help="Four hidden channels more")] = False,
    ibus_ia6: Annotated[bool, typer.Option("--ibus-ia6", help="The older form alone")] = False,
) -> None:
    """Print every frame in a recording of a receiver's serial line, one JSON object per line."""
    from .decode import Options, rc_decode

    try:
        code = rc_decode(Options(protocol, timed, ibus_18, ibus_ia6), file, sys.stdout)
    except SaintError as err:
        raise fail(err) from None
    raise typer.Exit(code)


def _switch(given: Place, enabled: bool, as_json: bool) -> None:
    reply = asked(given, rc.SET_ENABLED, as_json, enabled=enabled)
    word = "on" if reply.enabled else "off"
    print_json(reply) if as_json else print(f"The RC receiver is switched {word}.")


async def _follow(given: Place, as_json: bool) -> None:
    """Every status, drawn over the one before."""
    async with contextlib.AsyncExitStack() as stack:
        rcd = await stack.enter_async_context(client(given, "rcd"))
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


async def _calibrate(given: Place) -> bool:
    from .calibrate import Lines, calibrate

    async with client(given, "rcd") as rcd:
        return await calibrate(rcd, Lines(sys.stdin))


def _print_channels(shown: list[RcChannelConfig]) -> None:
    print_table(view.CHANNEL_COLUMNS, view.channel_rows(shown), "There are no channels.")
