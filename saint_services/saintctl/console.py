"""Output of all commands: JSON, tables and facts on stdout, errors on stderr with an exit code."""

import asyncio
import json
import os
import sys
from collections.abc import Coroutine, Iterable
from typing import Annotated, Any, TypeVar

import typer
from pydantic import BaseModel

from ..lib.errors import SaintError

T = TypeVar("T")

EXIT_CODES = (
    "Exit codes: 0 done, 1 fault, 2 wrong usage or file, 3 hardware, 4 not found, "
    "5 refused or in conflict, 6 not allowed, 7 a daemon does not answer or, after a stop, "
    "a role has not confirmed it."
)

_GAP = 2  # between columns
_LEAST = 8  # characters of a folded column

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def run(work: Coroutine[Any, Any, T], as_json: bool = False) -> T:
    """Run `work` and return its result. A SaintError is printed and ends the program."""
    try:
        return asyncio.run(work)
    except SaintError as err:
        raise fail(err, as_json) from None


def fail(err: SaintError, as_json: bool = False) -> typer.Exit:
    """Print the error and its remedy on stderr; return the exception that ends the program."""
    if as_json:
        fault = {"code": str(err.code), "message": err.message, "fix": err.fix}
        print(json.dumps(fault), file=sys.stderr)
    else:
        print(f"saintctl: {err}\n{err.fix}", file=sys.stderr)
    return typer.Exit(err.exit_code)


def print_json(reply: BaseModel) -> None:
    """Print a reply as the daemons send it."""
    print(reply.model_dump_json(indent=2, by_alias=True))


def print_table(columns: Iterable[str], rows: Iterable[Iterable[str]], empty: str) -> None:
    """Print aligned columns without cutting words off: a pipe gets lines of any length, a terminal
    folds the last column and, if that is not enough, the widest. Without rows print `empty`.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    names = list(columns)
    lines = [[Text.from_markup(str(cell)) for cell in row] for row in rows]
    if not lines:
        print(empty)
        return
    widths = [max(cell.cell_len for cell in column) for column in zip(*lines, strict=True)]
    widths = [max(width, len(name)) for width, name in zip(widths, names, strict=True)]
    console = Console(highlight=False, soft_wrap=False)
    if not console.is_terminal:
        console.width = max(console.width, sum(widths) + _GAP * len(widths))
    folding = _folding(widths, console.width)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for at, name in enumerate(names):
        table.add_column(
            name,
            overflow="fold",
            no_wrap=at not in folding,
            min_width=None if at in folding else widths[at],
        )
    for line in lines:
        table.add_row(*line)
    console.print(table)


def _folding(widths: list[int], room: int) -> set[int]:
    """Return the columns that may fold, so that all others stay whole."""
    room -= _GAP * len(widths)
    last = len(widths) - 1
    if sum(widths) <= room:
        return {last}
    folding = {last, max(range(len(widths)), key=widths.__getitem__)}
    whole = sum(width for at, width in enumerate(widths) if at not in folding)
    return folding if whole + _LEAST * len(folding) <= room else set(range(len(widths)))


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print one label and its text per line; long text folds beside its label."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True, style="dim", min_width=9)
    table.add_column(overflow="fold")
    for label, text in facts:
        table.add_row(label, Text(text))
    Console(highlight=False).print(table)


def styled(text: str, **style: Any) -> str:
    """Return the text in color, or bare where stdout is no terminal or NO_COLOR is set."""
    is_wanted = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return typer.style(text, **style) if is_wanted else text


def duration(seconds: float) -> str:
    """Format seconds: 12 -> "12 s", 4000 -> "1 h 6 m"."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} m {whole % 60} s"
    if whole < 86_400:
        return f"{whole // 3600} h {whole % 3600 // 60} m"
    return f"{whole // 86_400} d {whole % 86_400 // 3600} h"


def sentence(message: str) -> str:
    """Return a daemon's message with a capital letter and a full stop."""
    return f"{message[:1].upper()}{message[1:]}".rstrip(".") + "."


def dot(good: bool) -> str:
    """Return a colored mark that is also readable without color."""
    return "[green]●[/]" if good else "[red]○[/]"
