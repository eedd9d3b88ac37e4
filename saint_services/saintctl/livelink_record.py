"""`saintctl livelink record | play | recordings | remove`: recordings that livelinkd makes of what
arrives, and plays back as a source.
"""

import asyncio
from datetime import datetime
from typing import Annotated, TypeVar
from urllib.parse import quote

import typer
from pydantic import BaseModel, ValidationError

from ..lib.api import Done
from ..lib.api.livelink import Play, Record, RecordingDetail, RecordingList, RecordingState
from ..lib.errors import Code, SaintError
from ..lib.validation import faults
from .connect import TIMEOUT_S, Place, ask, client
from .console import AsJson, fail, print_facts, print_json, print_table, run

R = TypeVar("R", bound=BaseModel)

_DAEMON = "livelinkd"
_LOOK_S = 0.5  # how often it is looked whether a recording has ended by itself

Name = Annotated[str, typer.Argument(metavar="NAME", help="Letters, digits, dots, dashes.")]


def request(model: type[R], as_json: bool, **fields: object) -> R:
    """The request, or the end of the program with the field that is wrong."""
    try:
        return model.model_validate(fields)
    except ValidationError as err:
        told = str(faults(err, model, fields, noun="field")[0])
        raise fail(SaintError(Code.REQUEST_INVALID, told), as_json) from None


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
    wish = request(Record, as_json, name=name, formats=formats or [], seconds=seconds)
    if not as_json:
        print(f"Recording {name}; Ctrl-C ends it.")
    state = run(_record(context.obj, wish), as_json)
    if as_json:
        print_json(state)
        return
    why = f" ({state.problem})" if state.problem else ""
    lost = f", {state.dropped} not written in time" if state.dropped else ""
    print(f"{state.datagrams} datagrams in {state.seconds:.1f} s{lost}{why}")


async def _record(given: Place, wish: Record) -> RecordingState:
    async with client(given, _DAEMON) as daemon:
        await daemon.post("/recordings", wish, RecordingState, timeout_s=TIMEOUT_S)
        try:
            while True:
                await asyncio.sleep(_LOOK_S)
                found = await daemon.get("/recordings", RecordingList, timeout_s=TIMEOUT_S)
                state = found.current
                if state is not None and not state.recording:
                    return state
        except asyncio.CancelledError:  # Ctrl-C: that is how it is ended
            return await daemon.post("/recordings/stop", None, RecordingState, timeout_s=TIMEOUT_S)


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
        body, path = None, "/playback/stop"
    else:
        body = request(Play, as_json, name=name, speed=speed, again=again)
        path = "/playback"
    reply = run(_post(context.obj, path, body), as_json)
    print_json(reply) if as_json else print(reply.message)


async def _post(given: Place, path: str, body: BaseModel | None) -> Done:
    async with client(given, _DAEMON) as daemon:
        return await daemon.post(path, body, Done, timeout_s=TIMEOUT_S)


def recordings(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Tell about this one.")] = "",
    as_json: AsJson = False,
) -> None:
    """The recordings on the robot; with a name, what is in it."""
    if name:
        detail = run(_detail(context.obj, name), as_json)
        print_json(detail) if as_json else _print_detail(detail)
        return
    found = run(ask(context.obj, _DAEMON, "/recordings", RecordingList), as_json)
    if as_json:
        print_json(found)
        return
    rows = []
    for each in found.recordings:
        made = datetime.fromtimestamp(each.made).strftime("%Y-%m-%d %H:%M")
        state = f"plays, {found.played} datagrams so far" if each.name == found.playing else ""
        rows.append((each.name, made, f"{each.size_bytes / 1e6:.2f} MB", state))
    print_table(("recording", "made", "size", ""), rows, "There are no recordings.")


async def _detail(given: Place, name: str) -> RecordingDetail:
    return await ask(given, _DAEMON, f"/recordings/{quote(name, safe='')}", RecordingDetail)


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
    reply = run(_remove(context.obj, name), as_json)
    print_json(reply) if as_json else print(reply.message)


async def _remove(given: Place, name: str) -> Done:
    async with client(given, _DAEMON) as daemon:
        path = f"/recordings/{quote(name, safe='')}"
        return await daemon.delete(path, Done, timeout_s=TIMEOUT_S)
