"""`saintctl route blending`: how contenders for one field are combined, cross-fade, time-outs."""

from collections.abc import Mapping
from typing import Annotated

import typer

from ...lib.api import routing
from ...lib.api.routing import Blending, SetBlending
from ..connect import checked_params, run_request
from ..console import AsJson, print_facts, print_json, run
from ..estop.confirm import RemoveStop, request_confirmed
from ..row_command import help_of

DEFAULT = "default"
Pairs = Annotated[list[str] | None, typer.Option("--field", help="head.pan=blend, or =default")]
Times = Annotated[
    list[str] | None, typer.Option("--timeout", help="rc=220 (ms), rc=default, or 300 for all")
]


def blending(
    context: typer.Context,
    mode: Annotated[str | None, typer.Option(help=help_of(Blending, "mode"))] = None,
    fields: Pairs = None,
    blend_ms: Annotated[int | None, typer.Option(help=help_of(Blending, "blend_time_ms"))] = None,
    hysteresis_ms: Annotated[
        int | None, typer.Option(help=help_of(Blending, "hysteresis_ms"))
    ] = None,
    timeouts: Times = None,
    remove_stop: RemoveStop = None,
    as_json: AsJson = False,
) -> None:
    """Show how contenders for one field are combined, or change what the options name."""
    reply = run_request(context.obj, routing.LIST_ROUTES, as_json).blending
    data = reply.model_dump()
    data["fields"] = _merged(reply.fields, fields)
    data["source_timeout_ms"] = _times(reply, timeouts)
    given = {"mode": mode, "blend_time_ms": blend_ms, "hysteresis_ms": hysteresis_ms}
    data |= {key: value for key, value in given.items() if value is not None}
    changed = checked_params(Blending, as_json, **data)
    if changed != reply:
        row, params = routing.SET_BLENDING, SetBlending(blending=changed)
        reply = run(request_confirmed(context.obj, row, params, remove_stop), as_json)
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
    """Return one number for all classes, or numbers by class; None: each class has its own."""
    now = known.source_timeout_ms
    if not changes:
        return now
    if len(changes) == 1 and "=" not in changes[0]:
        return None if changes[0] == DEFAULT else _ms(changes[0])
    if isinstance(now, int):
        raise typer.BadParameter(f"all classes have {now} ms; use --timeout default first")
    merged = _merged({name: str(ms) for name, ms in (now or {}).items()}, changes)
    return {name: _ms(value) for name, value in merged.items()} or None


def _ms(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 7:
        return int(text)
    raise typer.BadParameter(f"{text!r} is not a number of milliseconds")


def _facts(blending: Blending) -> list[tuple[str, str]]:
    times = blending.source_timeout_ms
    if isinstance(times, int):
        timeout = f"{times} ms for all"
    else:
        by_class = ", ".join(f"{name} {ms} ms" for name, ms in (times or {}).items())
        timeout = by_class or "each class's own"
    fields = ", ".join(f"{name} {mode}" for name, mode in blending.fields.items())
    return [
        ("contenders", blending.mode + (f"; {fields}" if fields else "")),
        ("cross-fade", f"{blending.blend_time_ms} ms"),
        ("time-out", f"{timeout}; back after {blending.hysteresis_ms} ms without a gap"),
    ]
