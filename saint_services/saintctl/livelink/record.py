"""`saintctl livelink record | play | recordings | remove`: recordings that livelinkd makes of what
arrives, and plays back as a source.
"""

import asyncio
from datetime import datetime
from typing import Annotated

import typer

from ...lib.api import livelink
from ...lib.api.endpoint import Nothing
from ...lib.api.livelink import RecordingDetail, RecordingState, StartRecording
from ..connect import Place, asked, client, wish
from ..console import AsJson, print_facts, print_json, print_table, run

_LOOK_S = 0.5  # how often it is looked whether a recording has ended by itself

Name = Annotated[str, typer.Argument(metavar="NAME", help="Letters, digits, dots, dashes.")]


def record(
    context: typer.Context,
    name: Name,
    formats: Annotated[
        list[str] | None,
        typer.Option("--format", help="llf, json, vmc, ifacialmocap, lines; may be repeated"),
    ] = None,
    seconds: Annotated[float, typer.Option(help="Ends by itself after this.")] = 600.0,
    as_json: AsJson = False,
) -> None:
    """Record what arrives until Ctrl-C, the time is over or the largest size is reached."""
    wanted = wish(StartRecording, as_json, name=name, formats=formats, seconds=seconds)
    if not as_json:
        print(f"Recording {name}; Ctrl-C ends it.")
    state = run(_record(context.obj, wanted), as_json)
    if as_json:
        print_json(state)
        return
    why = f" ({state.problem})" if state.problem else ""
    lost = f", {state.dropped} not written in time" if state.dropped else ""
    print(f"{state.datagrams} datagrams in {state.seconds:.1f} s{lost}{why}")


async def _record(given: Place, wanted: StartRecording) -> RecordingState:
    async with client(given, livelink.RECORD.daemon) as daemon:
        await daemon.request(livelink.RECORD, wanted)
        try:
            while True:
                await asyncio.sleep(_LOOK_S)
                state = (await daemon.request(livelink.LIST_RECORDINGS, Nothing())).current
                if state is not None and not state.recording:
                    return state
        except asyncio.CancelledError:  # Ctrl-C: that is how it is ended
            return await daemon.request(livelink.STOP_RECORDING, Nothing())


def play(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="As `recordings` shows it.")] = "",
    speed: Annotated[float, typer.Option(help="2 is twice as fast.")] = 1.0,
    again: Annotated[bool, typer.Option("--again", help="From the start when over")] = False,
    stop: Annotated[bool, typer.Option("--stop", help="End what plays")] = False,
    as_json: AsJson = False,
) -> None:
    """Play a recording as a source; it never takes a subject from a living sender."""
    if stop:
        reply = asked(context.obj, livelink.STOP_PLAYING, as_json)
    else:
        reply = asked(context.obj, livelink.PLAY, as_json, name=name, speed=speed, again=again)
    print_json(reply) if as_json else print(reply.message)


def recordings(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Tell about this one.")] = "",
    as_json: AsJson = False,
) -> None:
    """The recordings on the robot; with a name, what is in it."""
    if name:
        detail = asked(context.obj, livelink.GET_RECORDING, as_json, name=name)
        print_json(detail) if as_json else _print_detail(detail)
        return
    found = asked(context.obj, livelink.LIST_RECORDINGS, as_json)
    if as_json:
        print_json(found)
        return
    rows = []
    for each in found.recordings:
        made = datetime.fromtimestamp(each.made).strftime("%Y-%m-%d %H:%M")
        state = f"plays, {found.played} datagrams so far" if each.name == found.playing else ""
        rows.append((each.name, made, f"{each.size_bytes / 1e6:.2f} MB", state))
    print_table(("recording", "made", "size", ""), rows, "There are no recordings.")


def _print_detail(detail: RecordingDetail) -> None:
    print_facts(
        (
            ("recording", detail.name),
            ("length", f"{detail.seconds:.1f} s, {detail.datagrams} datagrams"),
            ("formats", ", ".join(f"{name} ({n})" for name, n in detail.formats.items())),
            ("senders", ", ".join(f"{ip} ({n})" for ip, n in detail.senders.items())),
        )
    )


def remove(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Delete a recording."""
    reply = asked(context.obj, livelink.DELETE_RECORDING, as_json, name=name)
    print_json(reply) if as_json else print(reply.message)
