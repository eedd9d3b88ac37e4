"""`saintctl sequence`: movements that are recorded, imported and played."""

import json
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from ...lib.api import Done, sequences
from ...lib.api.sequences import JointSequence, SequenceInfo, SequenceList, StopSequence
from ...lib.errors import Code, SaintError
from ..connect import run_request
from ..console import AsJson, fail, print_json, print_table, sentence
from ..row_command import row_command

app = typer.Typer(
    help="Sequences: list, record, play, stop, import, export, remove.", no_args_is_help=True
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The sequence.")]
_NAME = typer.Argument(metavar="NAME", help="The sequence.")
_TARGET = typer.Argument(metavar="TARGET", help="parts.follower, arms.left, ...")


@row_command(app, "list", sequences.LIST_SEQUENCES)
def print_sequences(reply: SequenceList) -> None:
    """List the sequences, and what is played and recorded now."""
    rows = [
        (each.name, f"{each.duration_s:.1f} s", str(each.frames), each.fault or each.source)
        for each in reply.sequences
    ]
    print_table(("sequence", "length", "frames", ""), rows, "There are no sequences.")
    print_state(reply)


def print_state(reply: SequenceList) -> None:
    """Print what is played and recorded."""
    for each in reply.playing:
        state = f"{each.state}, {each.at_s:.1f} s" if not each.reason else each.reason
        print(f"{each.target} plays {each.name}: {state}.")
    if made := reply.recording:
        print(f"{made.target} is being recorded as {made.name}: {made.frames} frames.")


@row_command(app, "record", sequences.RECORD_SEQUENCE, sequence_name=_NAME, target=_TARGET)
def print_recording(reply: SequenceList) -> None:
    """Record what a target is commanded, whichever master drives it, until `finish`."""
    print_state(reply)


@row_command(app, "finish", sequences.FINISH_RECORDING)
def print_recorded(reply: SequenceInfo) -> None:
    """End the recording and store it."""
    print(f"Sequence {reply.name}: {reply.duration_s:.1f} s, {reply.frames} frames.")


@row_command(app, "play", sequences.PLAY_SEQUENCE, sequence_name=_NAME, target=_TARGET)
def print_playing(reply: SequenceList) -> None:
    """Play a sequence on a target. It begins slowly, where the joints stand."""
    print_state(reply)


@row_command(app, "stop", sequences.STOP_SEQUENCE, target=_TARGET)
def print_stopped(reply: SequenceList, params: StopSequence) -> None:
    """End the sequence that a target plays; its joints stay."""
    print(f"{params.target} plays nothing now.")


@row_command(app, "remove", sequences.DELETE_SEQUENCE, sequence_name=_NAME)
def print_removed(reply: Done) -> None:
    """Delete a sequence."""
    print(sentence(reply.message))


@app.command("export")
def export(context: typer.Context, name: Name) -> None:
    """Print a sequence as a file for `import`."""
    reply = run_request(context.obj, sequences.GET_SEQUENCE, sequence_name=name)
    print(json.dumps(reply.model_dump(mode="json")))


@app.command("import")
def import_file(
    context: typer.Context,
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A sequence, or an episode.")],
    target: Annotated[
        str, typer.Option(help="FILE is an episode of LeRobot (.csv or .json) for this target.")
    ] = "",
    episode: Annotated[int | None, typer.Option(help="Which one, if there are several.")] = None,
    degrees: Annotated[
        bool, typer.Option("--degrees/--shares", help="Its joints count degrees, or -100 to 100.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Store a sequence of a file: one that `export` printed, or an episode of LeRobot."""
    try:
        text = file.read_text(encoding="utf-8")
        wanted = None if target else JointSequence.model_validate_json(text)
    except (OSError, UnicodeDecodeError) as err:
        raise fail(SaintError(Code.REQUEST_INVALID, f"{file} cannot be read"), as_json) from err
    except ValidationError as err:
        why = err.errors()[0]["msg"].removeprefix("Value error, ")
        message = f"{file} is no sequence: {why}"
        raise fail(SaintError(Code.REQUEST_INVALID, message), as_json) from err
    if wanted is None:
        kind = "json" if file.suffix == ".json" else "csv"
        reply = run_request(
            context.obj, sequences.IMPORT_EPISODE, as_json, sequence_name=name, target=target,
            text=text, format=kind, episode=episode, degrees=degrees,
        )  # fmt: skip
    else:
        reply = run_request(
            context.obj, sequences.SAVE_SEQUENCE, as_json, sequence_name=name, sequence=wanted
        )
    if as_json:
        print_json(reply)
    else:
        print_recorded(reply)
