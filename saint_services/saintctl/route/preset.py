"""`saintctl route preset`: named sets of routes."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from ...lib import config
from ...lib.api import Done, presets
from ...lib.api.presets import LoadPreset, PresetInfo, PresetList
from ...lib.api.routing import RouteFile, RouteList
from ...lib.config import route_text
from ..connect import run_request
from ..console import AsJson, print_json, print_table, run, sentence
from ..names import PresetName
from ..row_command import row_command

app = typer.Typer(help="Presets: list, show, load, save, delete.", no_args_is_help=True)


@row_command(app, "list", presets.LIST_PRESETS)
def print_presets(reply: PresetList) -> None:
    """List every preset, and which one is in force."""
    rows = [_row(each, reply.loaded) for each in reply.presets]
    print_table(("", "preset", "kind", "routes", ""), rows, "There are no presets.")


@app.command("show")
def show(context: typer.Context, preset: PresetName) -> None:
    """Print a preset's routes as a file for `preset save --file` and `route test`."""
    reply = run_request(context.obj, presets.GET_PRESET, preset_name=preset)
    print(route_text.write(reply), end="")


@row_command(app, "load", presets.LOAD_PRESET)
def print_loaded(reply: RouteList, params: LoadPreset) -> None:
    """Replace all routes by the preset's. What moves changes over without a jump."""
    print(f"Preset {params.preset_name} is loaded: {len(reply.routes)} routes.")


@app.command("save")
def save(
    context: typer.Context,
    preset: PresetName,
    file: Annotated[str, typer.Option(help="A file of routes. Default: those in force.")] = "",
    as_json: AsJson = False,
) -> None:
    """Save routes under a name."""
    given = dict(run(asyncio.to_thread(_read, file))) if file else {}
    reply = run_request(context.obj, presets.SAVE_PRESET, as_json, preset_name=preset, **given)
    if as_json:
        print_json(reply)
    else:
        print(f"Preset {reply.name} is saved: {reply.routes} routes.")


@row_command(app, "delete", presets.DELETE_PRESET)
def print_deleted(reply: Done) -> None:
    """Delete a preset of your own; the shipped ones stay."""
    print(sentence(reply.message))


def _read(file: str) -> RouteFile:
    return config.load(RouteFile, Path(file), required=True)


def _row(preset: PresetInfo, loaded: str) -> tuple[str, ...]:
    mark = "in force" if preset.name == loaded else ""
    kind = "shipped" if preset.is_shipped else "own"
    return mark, preset.name, kind, str(preset.routes), preset.fault
