"""What all commands share: how an answer is printed, how a fault ends the program."""

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
    "5 refused or taken, 6 not allowed, 7 a daemon or, at a stop, a role "
    "does not answer."
)

_GAP = 2  # between columns
_LEAST = 8  # a folded column can still be read

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def run(work: Coroutine[Any, Any, T], as_json: bool = False) -> T:
    """The result of `work`; a SaintError becomes one sentence, what to do, and its exit code."""
    try:
        return asyncio.run(work)
    except SaintError as err:
        raise fail(err, as_json) from None


def fail(err: SaintError, as_json: bool = False) -> typer.Exit:
    """Say what failed on stderr; returns what to raise."""
    if as_json:
        fault = {"code": str(err.code), "message": err.message, "fix": err.fix}
        print(json.dumps(fault), file=sys.stderr)
    else:
        print(f"saintctl: {err}\n{err.fix}", file=sys.stderr)
    return typer.Exit(err.exit_code)


def print_json(reply: BaseModel) -> None:
    """A reply as the daemons send it."""
    print(reply.model_dump_json(indent=2, by_alias=True))


def print_table(columns: Iterable[str], rows: Iterable[Iterable[str]], empty: str) -> None:
    """Aligned columns, no word cut off: a program gets lines as long as they are, a terminal folds
    the last column, and where that is not enough the widest. `empty` is said without rows.
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
    """Which columns may fold, so that all the others are whole."""
    room -= _GAP * len(widths)
    last = len(widths) - 1
    if sum(widths) <= room:
        return {last}
    folding = {last, max(range(len(widths)), key=widths.__getitem__)}
    whole = sum(width for at, width in enumerate(widths) if at not in folding)
    return folding if whole + _LEAST * len(folding) <= room else set(range(len(widths)))


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Labels and what belongs to them, one per line; long text folds beside its label."""
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
    """For a person at a terminal who has not said NO_COLOR; else the bare text."""
    is_wanted = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return typer.style(text, **style) if is_wanted else text


def duration(seconds: float) -> str:
    """12 -> "12 s", 4000 -> "1 h 6 m"."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} m {whole % 60} s"
    if whole < 86_400:
        return f"{whole // 3600} h {whole % 3600 // 60} m"
    return f"{whole // 86_400} d {whole % 86_400 // 3600} h"


def dot(good: bool) -> str:
    """A coloured mark that also reads without colour."""
    return "[green]●[/]" if good else "[red]○[/]"
