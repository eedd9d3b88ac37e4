"""`saintctl log`: log lines of all programs, filtered, newest last, or as they are written. On the
robot's own machine the logs are read directly, so that they are readable while webd is down; a
node's lines come through adoptiond.
"""

import contextlib
import time
from collections.abc import AsyncGenerator
from typing import Annotated

import typer

from ...lib.api.endpoint import Nothing
from ...lib.api.logs import LEVELS, MOST_LINES, LogFilter, LogLine, LogNames, LogPage, LogQuery
from ...lib.api.webd.upkeep import LOG_NAMES, QUERY_LOGS
from ...lib.ipc import Client
from ...lib.logs import LogSource, robot_source
from ...lib.logs.source import follow_pages
from ..connect import RobotAddress, client, runtime_directory
from ..console import AsJson, print_json, run, styled
from ..remote import RemoteRobot
from . import activity as activity_log
from .activity import Level

app = typer.Typer(help="Log lines of all programs of the robot.", no_args_is_help=True)

_PERIOD_S = 1.0
_PERIOD_OF_NODE_S = 2.0
_COLORS = {"ERROR": "red", "WARNING": "yellow"}

Source = Annotated[str, typer.Option(help="Name of a program, see `log names`.")]
Node = Annotated[str, typer.Option(help="Name of a machine, see `log names`.")]
Search = Annotated[str, typer.Option(help="Part of a line, in any case.")]


@app.command()
def show(
    context: typer.Context,
    level: Level = "info",
    source: Source = "",
    node: Node = "",
    search: Search = "",
    lines: Annotated[
        int, typer.Option("--lines", "-n", min=1, max=20_000, help="Number of lines.")
    ] = 100,
    as_json: AsJson = False,
) -> None:
    """Show the newest lines; with --json one object per line."""
    print_newest(context.obj, _filter(level, source, node, search), lines, as_json)


def print_newest(robot: RobotAddress, wanted: LogFilter, lines: int, as_json: bool) -> None:
    """Print the newest lines, the last one below."""
    for line in reversed(run(_newest(robot, wanted, lines), as_json)):
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
    """Show new lines as they are written, until Ctrl-C."""
    with contextlib.suppress(KeyboardInterrupt):
        run(_follow(context.obj, _filter(level, source, node, search), as_json), as_json)


@app.command()
def names(context: typer.Context, as_json: AsJson = False) -> None:
    """List the programs and machines that have written."""
    found = run(log_source(context.obj).names(), as_json)
    if as_json:
        print_json(found)
        return
    print(found.scope)
    print("machines:", ", ".join(found.nodes))
    print("programs:", ", ".join(found.sources))


app.command("activity")(activity_log.activity)


def _filter(level: str, source: str, node: str, search: str) -> LogFilter:
    try:
        return LogFilter.model_validate(
            {"level": level.upper(), "source": source, "node": node, "search": search}
        )
    except ValueError:
        known = ", ".join(LEVELS).lower()
        raise typer.BadParameter(f"{level!r} is no level ({known}), or a name is wrong") from None


def log_source(robot: RobotAddress) -> LogSource:
    """Return the logs of a robot: another robot's through its webd."""
    if isinstance(robot, RemoteRobot):
        return RemoteLogs(client(robot, "webd"))
    return robot_source(runtime_directory(robot), client(robot, "adoptiond"))


async def _newest(robot: RobotAddress, wanted: LogFilter, most: int) -> list[LogLine]:
    source, found, before = log_source(robot), list[LogLine](), ""
    while len(found) < most:
        limit = min(MOST_LINES, most - len(found))
        page = await source.page(LogQuery(**wanted.model_dump(), before=before, limit=limit))
        found += page.lines
        before = page.older
        if not before:
            break
    return found


async def _follow(robot: RobotAddress, wanted: LogFilter, as_json: bool) -> None:
    async with contextlib.aclosing(log_source(robot).follow(wanted)) as lines:
        async for line in lines:
            if line is not None:
                _print(line, as_json)


class RemoteLogs:
    """The logs of another robot, through its webd."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def page(self, query: LogQuery) -> LogPage:
        return await self._client.request(QUERY_LOGS, query)

    async def names(self) -> LogNames:
        return await self._client.request(LOG_NAMES, Nothing())

    def follow(self, wanted: LogFilter) -> AsyncGenerator[LogLine | None]:
        """Yield new lines by requesting pages periodically."""
        return follow_pages(self.page, wanted, _PERIOD_OF_NODE_S if wanted.node else _PERIOD_S)


def _print(line: LogLine, as_json: bool) -> None:
    if as_json:
        print(line.model_dump_json(), flush=True)
        return
    clock = time.strftime("%m-%d %H:%M:%S", time.localtime(line.time))
    milliseconds = int(line.time * 1000) % 1000
    head = styled(f"{clock}.{milliseconds:03d}", dim=True)
    level = styled(f"{line.level.lower():7}", fg=_COLORS.get(line.level))
    print(f"{head} {level} {line.node} {line.source}: {line.text}", flush=True)
