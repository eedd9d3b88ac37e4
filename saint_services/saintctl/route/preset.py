"""`saintctl route preset`: whole sets of routes under a name."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from ...lib import config
from ...lib.api import presets
from ...lib.api.presets import PresetInfo
from ...lib.api.routing import RouteFile
from ...lib.config import route_text
from ..connect import asked
from ..console import AsJson, print_json, print_table, run
from ..estop.confirm import RemoveStop, asked_confirmed
from ..names import PresetName

app = typer.Typer(help="Presets: list, show, load, save, delete.", no_args_is_help=True)


@app.command("list")
def show_all(context: typer.Context, as_json: AsJson = False) -> None:
    """Every preset, and which one is in force."""
    reply = asked(context.obj, presets.LIST_PRESETS, as_json)
    if as_json:
        print_json(reply)
        return
    rows = [_row(each, reply.loaded) for each in reply.presets]
    print_table(("", "preset", "kind", "routes", ""), rows, "There are no presets.")


@app.command("show")
def show(context: typer.Context, preset: PresetName) -> None:
    """A preset's routes, as a file that `save --file` and `route test` take."""
    reply = asked(context.obj, presets.GET_PRESET, preset_name=preset)
    print(route_text.write(reply), end="")


@app.command("load")
def load(
    context: typer.Context,
    preset: PresetName,
    remove_stop: RemoveStop = None,
    as_json: AsJson = False,
) -> None:
    """Replace all routes by the preset's, without a jump of what is in motion."""
    place, row = context.obj, presets.LOAD_PRESET
    reply = asked_confirmed(place, row, remove_stop, as_json, preset_name=preset)
    if as_json:
        print_json(reply)
    else:
        print(f"Preset {preset} is loaded: {len(reply.routes)} routes.")


@app.command("save")
def save(
    context: typer.Context,
    preset: PresetName,
    file: Annotated[str, typer.Option(help="A file of routes; else those in force.")] = "",
    as_json: AsJson = False,
) -> None:
    """Keep routes under a name."""
    given = dict(run(asyncio.to_thread(_read, file))) if file else {}
    reply = asked(context.obj, presets.SAVE_PRESET, as_json, preset_name=preset, **given)
    if as_json:
        print_json(reply)
    else:
        print(f"Preset {reply.name} is saved: {reply.routes} routes.")


@app.command("delete")
def delete(context: typer.Context, preset: PresetName, as_json: AsJson = False) -> None:
    """Remove a preset that was saved; the shipped ones stay."""
    reply = asked(context.obj, presets.DELETE_PRESET, as_json, preset_name=preset)
    if as_json:
        print_json(reply)
    else:
        print(f"{reply.message[:1].upper()}{reply.message[1:]}.")


def _read(file: str) -> RouteFile:
    return config.load(RouteFile, Path(file), required=True)


def _row(preset: PresetInfo, loaded: str) -> tuple[str, ...]:
    mark = "in force" if preset.name == loaded else ""
    kind = "shipped" if preset.is_shipped else "own"
    return mark, preset.name, kind, str(preset.routes), preset.fault
