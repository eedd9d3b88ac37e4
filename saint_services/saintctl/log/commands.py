"""`saintctl log`: the lines of all programs, newest last, filtered, or as they come. On the robot's
own machine the logs are read themselves, so that they can be read while webd is dead; a node's
come through adoptiond.
"""

import contextlib
import time
from collections.abc import AsyncGenerator
from typing import Annotated

import typer

from ...lib.api.logs import LEVELS, MOST_LINES, LogFilter, LogLine, LogNames, LogPage, LogQuery
from ...lib.ipc import Client
from ...lib.logs import LogSource, robot_source
from ...lib.logs.source import follow_pages
from ..connect import Place, client, runtime_directory
from ..console import AsJson, print_json, run, styled
from ..server import Server
from . import activity as log_activity

app = typer.Typer(help="What all programs of the robot write.", no_args_is_help=True)
app.command("activity")(log_activity.activity)

_LOOK_S = 1.0
_LOOK_AT_NODE_S = 2.0
_LIMIT_S = 25.0  # a node is asked by its server
_COLOURS = {"ERROR": "red", "WARNING": "yellow"}

Level = Annotated[str, typer.Option(help="This and worse: debug, info, warning, error.")]
Source = Annotated[str, typer.Option(help="Name of a program, as `log names` lists them.")]
Node = Annotated[str, typer.Option(help="Name of a machine, as `log names` lists them.")]
Search = Annotated[str, typer.Option(help="Part of a line, in any case.")]


@app.command()
def show(
    context: typer.Context,
    level: Level = "info",
    source: Source = "",
    node: Node = "",
    search: Search = "",
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, max=20_000)] = 100,
    as_json: AsJson = False,
) -> None:
    """The newest lines; with --json one object per line."""
    found = run(_newest(context.obj, _filter(level, source, node, search), lines), as_json)
    for line in reversed(found):
        _print(line, as_json)


@app.command()
def follow(
    context: typer.Context,
    level: Level = "info",
    source: Source = "",
    node: Node = "",
    search: Search = "",
    as_json: AsJson = False,
) -> None:
    """Lines as they come, until Ctrl-C."""
    with contextlib.suppress(KeyboardInterrupt):
        run(_follow(context.obj, _filter(level, source, node, search), as_json), as_json)


@app.command()
def names(context: typer.Context, as_json: AsJson = False) -> None:
    """Programs and machines that have written."""
    found = run(_names(context.obj), as_json)
    if as_json:
        print_json(found)
        return
    print(found.scope)
    print("machines:", ", ".join(found.nodes))
    print("programs:", ", ".join(found.sources))


def _filter(level: str, source: str, node: str, search: str) -> LogFilter:
    try:
        return LogFilter.model_validate(
            {"level": level.upper(), "source": source, "node": node, "search": search}
        )
    except ValueError:
        words = ", ".join(LEVELS).lower()
        raise typer.BadParameter(f"{level!r} is no level ({words}), or a name is wrong") from None


def source_of(place: Place) -> LogSource:
    """Where the lines are read."""
    if isinstance(place, Server):
        return RemoteLogs(client(place, "webd"))
    return robot_source(runtime_directory(place), client(place, "adoptiond"))


async def _newest(place: Place, wanted: LogFilter, most: int) -> list[LogLine]:
    source, found, before = source_of(place), list[LogLine](), ""
    while len(found) < most:
        limit = min(MOST_LINES, most - len(found))
        page = await source.page(LogQuery(**wanted.model_dump(), before=before, limit=limit))
        found += page.lines
        before = page.older
        if not before:
            break
    return found


async def _follow(place: Place, wanted: LogFilter, as_json: bool) -> None:
    async with contextlib.aclosing(source_of(place).follow(wanted)) as lines:
        async for line in lines:
            if line is not None:
                _print(line, as_json)


async def _names(place: Place) -> LogNames:
    return await source_of(place).names()


class RemoteLogs:
    """Another machine's, through its webd."""

    def __init__(self, webd: Client) -> None:
        self._webd = webd

    async def page(self, query: LogQuery) -> LogPage:
        return await self._webd.post("/api/v1/logs/query", query, LogPage, timeout_s=_LIMIT_S)

    async def names(self) -> LogNames:
        return await self._webd.get("/api/v1/logs/names", LogNames, timeout_s=_LIMIT_S)

    def follow(self, wanted: LogFilter) -> AsyncGenerator[LogLine | None]:
        """By asking again and again."""
        return follow_pages(self.page, wanted, _LOOK_AT_NODE_S if wanted.node else _LOOK_S)


def _print(line: LogLine, as_json: bool) -> None:
    if as_json:
        print(line.model_dump_json(), flush=True)
        return
    clock = time.strftime("%m-%d %H:%M:%S", time.localtime(line.time))
    milliseconds = int(line.time * 1000) % 1000
    head = styled(f"{clock}.{milliseconds:03d}", dim=True)
    level = styled(f"{line.level.lower():7}", fg=_COLOURS.get(line.level))
    print(f"{head} {level} {line.node} {line.source}: {line.text}", flush=True)
