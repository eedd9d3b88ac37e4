"""`saintctl livelink record | play | recordings | remove`: recordings of capture data, which
livelinkd makes and plays back as a source.
"""

import asyncio
from datetime import datetime
from typing import Annotated

import typer

from ...lib.api import Done, livelink
from ...lib.api.endpoint import Nothing
from ...lib.api.livelink import (
    PlayRecording,
    RecordingDetail,
    RecordingRef,
    RecordingState,
    StartRecording,
)
from ..connect import RobotAddress, checked_params, client, run_request
from ..console import AsJson, print_facts, print_json, print_table, run
from ..row_command import help_of, row_command

_PERIOD_S = 0.5  # between two requests of the recording's state

Name = Annotated[str, typer.Argument(metavar="NAME", help=help_of(RecordingRef, "name"))]


def add_to(app: typer.Typer) -> None:
    """Add the commands to `saintctl livelink`."""
    for command in (record, play, recordings):
        app.command()(command)
    row_command(app, "remove", livelink.DELETE_RECORDING, name=Name)(print_removed)


def record(
    context: typer.Context,
    name: Name = "",
    formats: Annotated[
        list[str] | None,
        typer.Option("--format", help=help_of(StartRecording, "formats")),
    ] = None,
    seconds: Annotated[float, typer.Option(help=help_of(StartRecording, "seconds"))] = 600.0,
    stop: Annotated[
        bool, typer.Option("--stop", help="Stop and save the recording in progress, of any name.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Record capture data until Ctrl-C, `--stop`, the end of the time or the largest size."""
    if stop:
        _print_recorded(run_request(context.obj, livelink.STOP_RECORDING, as_json), as_json)
        return
    params = checked_params(StartRecording, as_json, name=name, formats=formats, seconds=seconds)
    if not as_json:
        print(f"Recording {name}; Ctrl-C ends it.")
    _print_recorded(run(_record(context.obj, params), as_json), as_json)


def _print_recorded(state: RecordingState, as_json: bool) -> None:
    if as_json:
        print_json(state)
        return
    problem = f" ({state.problem})" if state.problem else ""
    lost = f", {state.dropped} not written in time" if state.dropped else ""
    print(f"{state.name}: {state.datagrams} datagrams in {state.seconds:.1f} s{lost}{problem}")


async def _record(robot: RobotAddress, params: StartRecording) -> RecordingState:
    async with client(robot, livelink.RECORD.daemon) as daemon:
        await daemon.request(livelink.RECORD, params)
        try:
            while True:
                await asyncio.sleep(_PERIOD_S)
                state = (await daemon.request(livelink.LIST_RECORDINGS, Nothing())).current
                if state is not None and not state.recording:
                    return state
        except asyncio.CancelledError:  # by Ctrl-C, which is how a recording is ended
            return await daemon.request(livelink.STOP_RECORDING, Nothing())


def play(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="See `recordings`.")] = "",
    speed: Annotated[float, typer.Option(help=help_of(PlayRecording, "speed"))] = 1.0,
    again: Annotated[bool, typer.Option("--again", help=help_of(PlayRecording, "again"))] = False,
    stop: Annotated[bool, typer.Option("--stop", help="Stop playing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Play a recording as a source. A subject that a live sender has stays with that sender."""
    if stop:
        reply = run_request(context.obj, livelink.STOP_PLAYING, as_json)
    else:
        reply = run_request(
            context.obj, livelink.PLAY, as_json, name=name, speed=speed, again=again
        )
    print_json(reply) if as_json else print(reply.message)


def recordings(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Show this one.")] = "",
    as_json: AsJson = False,
) -> None:
    """List the recordings on the robot; with a name, show what is in it."""
    if name:
        detail = run_request(context.obj, livelink.GET_RECORDING, as_json, name=name)
        print_json(detail) if as_json else _print_detail(detail)
        return
    found = run_request(context.obj, livelink.LIST_RECORDINGS, as_json)
    if as_json:
        print_json(found)
        return
    rows = []
    for each in found.recordings:
        made = datetime.fromtimestamp(each.made).strftime("%Y-%m-%d %H:%M")
        state = f"playing, {found.played} datagrams so far" if each.name == found.playing else ""
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


def print_removed(reply: Done) -> None:
    """Delete a recording."""
    print(reply.message)
