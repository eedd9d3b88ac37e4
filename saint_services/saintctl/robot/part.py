"""`saintctl part`: outputs and devices of the robot, one at a time, and `saintctl pin plan`. Not
here: the robot as a whole (commands.py).
"""

import json
from typing import Annotated, Any

import typer

from ...lib import config
from ...lib.api import robot as rows
from ...lib.api.robot import RobotCatalog, RobotPart, RobotParts
from ...lib.config.spelling import hint_or_all
from ...lib.errors import Code, SaintError
from ...lib.role_config.devices import CanDevice, I2cDevice, PinSpec, SerialDevice, SpiDevice
from ...lib.role_config.model import FieldSpec
from ...lib.role_config.sound import ALSA_DEVICE
from ..connect import run_request
from ..console import AsJson, fail, print_json, print_table
from ..row_command import help_of, row_command
from .commands import print_applied

app = typer.Typer(
    help="Parts of the robot, outputs and devices: list, add, set, remove.", no_args_is_help=True
)
pins = typer.Typer(help="Pins of the nodes' headers: plan.", no_args_is_help=True)

_OUTPUT = frozenset(FieldSpec.model_fields)
_MODELS = (PinSpec, I2cDevice, SpiDevice, SerialDevice, CanDevice)
_HARDWARE = frozenset((*(name for each in _MODELS for name in each.model_fields), ALSA_DEVICE))
_Part = Annotated[str, typer.Argument(metavar="ROLE.PART", help="E.g. head.pan or parts.face.jaw.")]
_Settings = Annotated[
    list[str],
    typer.Argument(
        metavar="KEY=VALUE... [ROLE.PART KEY=VALUE...]...",
        help="E.g. pin=13, limits=-90,90, pulse_us=900,2100; then further parts with theirs.",
    ),
]
_Note = Annotated[str, typer.Option(help=help_of(rows.SetPart, "note"))]


@row_command(app, "list", rows.LIST_PARTS)
def print_parts(reply: RobotParts) -> None:
    """List every output and device, and where it is connected."""
    columns = ("part", "kind", "place", "range", "node")
    print_table(columns, [_line(part) for part in reply.parts], "The robot has no parts.")


def _line(part: RobotPart) -> tuple[str, ...]:
    limits = " to ".join(f"{each:g}" for each in part.limits)
    name = f"{part.target}.{part.name}"
    return name, part.kind or "-", part.place or "-", f"{limits} {part.unit}".strip(), part.node_id


def change(
    context: typer.Context,
    part: _Part,
    settings: _Settings,
    note: _Note = "",
    rename: Annotated[str, typer.Option(help=help_of(rows.SetPart, "rename"))] = "",
    as_json: AsJson = False,
) -> None:
    """Add parts, or change their named settings, in one change; KEY= removes a setting."""
    try:
        first, *more = _edits([part, *settings])
    except SaintError as err:
        raise fail(err, as_json) from None
    if rename and more:
        raise typer.BadParameter("--rename is for one part alone")
    if more:
        reply = run_request(context.obj, rows.SET_PARTS, as_json, parts=[first, *more], note=note)
    else:
        reply = run_request(context.obj, rows.SET_PART, as_json, note=note, **first, rename=rename)
    print_json(reply) if as_json else print_applied(reply)


app.command("add")(change)
app.command("set")(change)


@app.command("remove")
def remove(context: typer.Context, part: _Part, as_json: AsJson = False) -> None:
    """Remove a part."""
    target, name = _split(part)
    reply = run_request(context.obj, rows.REMOVE_PART, as_json, target=target, name=name)
    print_json(reply) if as_json else print_applied(reply)


@row_command(app, "kinds", rows.GET_CATALOG)
def print_kinds(reply: RobotCatalog) -> None:
    """List the kinds of parts with their settings."""
    lines = [(k.kind, k.title, " ".join(s.name for s in k.settings)) for k in reply.kinds]
    print_table(("kind", "what", "settings"), lines, "There is none.")


@row_command(pins, "plan", rows.LIST_PARTS)
def print_plan(reply: RobotParts) -> None:
    """List what is connected to each pin, chip channel and line, by node."""
    lines = sorted(
        (part.node_id or "(no node)", part.place, f"{part.target}.{part.name}", part.kind)
        for part in reply.parts
        if part.place
    )
    print_table(("node", "place", "part", "kind"), lines, "Nothing is connected.")


def _split(part: str) -> tuple[str, str]:
    target, _, name = part.rpartition(".")
    return target, name


def _edits(words: list[str]) -> list[dict[str, Any]]:
    """Return what is to change of each part: a word without `=` names the next one. Raises
    request_invalid."""
    found: list[dict[str, Any]] = []
    for each in words:
        key, has_value, text = each.partition("=")
        if not has_value and "." in key:
            target, name = _split(key)
            found.append({"target": target, "name": name, "output": {}, "hardware": {}})
        elif not has_value or key not in _OUTPUT | _HARDWARE:
            known = sorted(_OUTPUT | _HARDWARE)
            what = f"{each!r} is no setting of a part{hint_or_all(key, known)}"
            raise SaintError(Code.REQUEST_INVALID, what, fix="Write KEY=VALUE.")
        else:
            value = text if key == ALSA_DEVICE else _value(text)  # "plughw:1,0" is no list
            found[-1]["output" if key in _OUTPUT else "hardware"][key] = value
    return found


def _value(text: str) -> Any:
    """Return a value as a robot's file would read it; `-90,90` is a list."""
    if not text:
        return None
    listed = f"[{text}]" if "," in text and not text.startswith("[") else text
    value = config.read_yaml(f"value: {listed}", "the setting").data["value"]
    return json.loads(json.dumps(value))
