"""`saintctl input`: what the router hears."""

import typer

from ..lib.api import routing
from ..lib.api.routing import SourceInfo
from .connect import asked
from .console import AsJson, dot, print_json, print_table

app = typer.Typer(help="Inputs: list.", no_args_is_help=True)

_SHOWN = 6  # values in a row; --json has all of them


@app.command("list")
def show(context: typer.Context, as_json: AsJson = False) -> None:
    """Every input source with its age, rate and first values."""
    reply = asked(context.obj, routing.GET_STATUS, as_json)
    if as_json:
        print_json(reply)
        return
    columns = ("", "source", "age", "rate", "state", "values")
    print_table(columns, [_row(source) for source in reply.sources], "No input was heard yet.")


def _row(source: SourceInfo) -> tuple[str, ...]:
    state = "failsafe" if source.failsafe else "live" if source.alive else "silent"
    shown = list(source.values.items())[:_SHOWN]
    values = "  ".join(f"{name} {value:+.2f}" for name, value in shown)
    more = len(source.values) - len(shown)
    return (
        dot(source.alive and not source.failsafe),
        source.source,
        f"{source.age_ms} ms",
        f"{source.rate_hz:.0f} Hz",
        state,
        values + (f"  and {more} more" if more > 0 else ""),
    )
