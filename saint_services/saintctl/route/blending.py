"""`saintctl route blending`: how rivals for one field are combined, cross-fade, time-outs."""

from collections.abc import Mapping
from typing import Annotated

import typer

from ...lib.api import routing
from ...lib.api.routing import Blending
from ..connect import asked, wish
from ..console import AsJson, print_facts, print_json
from ..estop.confirm import RemoveStop, asked_confirmed

DEFAULT = "default"
Pairs = Annotated[list[str] | None, typer.Option("--field", help="head.pan=blend, or =default")]
Times = Annotated[
    list[str] | None, typer.Option("--timeout", help="rc=220 (ms), rc=default, or 300 for all")
]


def add_to(app: typer.Typer) -> None:
    """It is a subcommand of `route` itself."""
    app.command("blending")(blending)


def blending(
    context: typer.Context,
    mode: Annotated[str | None, typer.Option(help="priority, blend or additive")] = None,
    fields: Pairs = None,
    blend_ms: Annotated[int | None, typer.Option(help="Cross-fade of a change of control")] = None,
    hysteresis_ms: Annotated[
        int | None, typer.Option(help="So long a lost source must be steady again")
    ] = None,
    timeouts: Times = None,
    remove_stop: RemoveStop = None,
    as_json: AsJson = False,
) -> None:
    """Show how rivals for one field are combined, or set what is given of it."""
    reply = asked(context.obj, routing.LIST_ROUTES, as_json).blending
    data = reply.model_dump()
    data["fields"] = _merged(reply.fields, fields)
    data["source_timeout_ms"] = _times(reply, timeouts)
    given = {"mode": mode, "blend_time_ms": blend_ms, "hysteresis_ms": hysteresis_ms}
    data |= {key: value for key, value in given.items() if value is not None}
    wanted = wish(Blending, as_json, **data)
    if wanted != reply:
        place, row = context.obj, routing.SET_BLENDING
        reply = asked_confirmed(place, row, remove_stop, as_json, blending=wanted)
    print_json(reply) if as_json else print_facts(_facts(reply))


def _merged(known: Mapping[str, str], changes: list[str] | None) -> dict[str, str]:
    merged = dict(known)
    for text in changes or ():
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise typer.BadParameter(f"{text!r} is not of the form head.pan=blend")
        merged[name] = value
    return {name: value for name, value in merged.items() if value != DEFAULT}


def _times(known: Blending, changes: list[str] | None) -> object:
    """One number for all classes, or numbers by class; None: each class its own."""
    now = known.source_timeout_ms
    if not changes:
        return now
    if len(changes) == 1 and "=" not in changes[0]:
        return None if changes[0] == DEFAULT else _ms(changes[0])
    if isinstance(now, int):
        raise typer.BadParameter(f"all classes have {now} ms; say --timeout default first")
    merged = _merged({name: str(ms) for name, ms in (now or {}).items()}, changes)
    return {name: _ms(value) for name, value in merged.items()} or None


def _ms(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 7:
        return int(text)
    raise typer.BadParameter(f"{text!r} is not a number of milliseconds")


def _facts(shown: Blending) -> list[tuple[str, str]]:
    times = shown.source_timeout_ms
    told = f"{times} ms for all"
    if not isinstance(times, int):
        told = ", ".join(f"{name} {ms} ms" for name, ms in (times or {}).items()) or "each class's"
    fields = ", ".join(f"{name} {mode}" for name, mode in shown.fields.items())
    return [
        ("rivals", shown.mode + (f"; {fields}" if fields else "")),
        ("cross-fade", f"{shown.blend_time_ms} ms"),
        ("lost", f"after silence: {told}; steady again for {shown.hysteresis_ms} ms"),
    ]
