"""`saintctl input`: the sources that the router receives."""

import typer

from ..lib.api import routing
from ..lib.api.routing import RouterStatus, SourceInfo
from .console import dot, print_table
from .row_command import row_command

app = typer.Typer(help="Inputs: list.", no_args_is_help=True)

_SHOWN = 6  # values in a row; --json has all of them


@row_command(app, "list", routing.GET_STATUS)
def print_sources(reply: RouterStatus) -> None:
    """List every input source with its age, rate and first values."""
    columns = ("", "source", "age", "rate", "state", "values")
    print_table(columns, [_row(source) for source in reply.sources], "No input was received yet.")


def _row(source: SourceInfo) -> tuple[str, ...]:
    state = "failsafe" if source.failsafe else "live" if source.alive else "timed out"
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
