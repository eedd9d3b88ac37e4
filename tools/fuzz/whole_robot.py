"""A whole simulated robot, started as a person starts it, and at its end: which of its processes
ended by themselves, and which logged a stack trace. Not here: what is done to it (http.py,
websocket.py).
"""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from pathlib import Path

from tests.integration.robot import Robot, running_robot

# What the launcher says of a process that nobody ended.
_FELL = re.compile(r".* (ended with|did not answer for|was not ready within|keeps failing).*")
_TRACE = "Traceback (most recent call last):"
_TRACE_LINES = 40


@contextlib.asynccontextmanager
async def running() -> AsyncIterator[tuple[str, list[str]]]:
    """Its address, and a list that is filled at the end with what it suffered."""
    suffered: list[str] = []
    with contextlib.ExitStack() as open_robot:
        robot = await asyncio.to_thread(open_robot.enter_context, running_robot())
        try:
            yield robot.http_url.removeprefix("http://"), suffered
        finally:
            suffered += await asyncio.to_thread(_found, robot)


def _found(robot: Robot) -> list[str]:
    found = fallen((robot.root / "run.out").read_text(errors="replace"))
    for path in sorted((robot.root / "log").glob("*.log")):
        found += [f"{path.stem}: {trace}" for trace in traces(path)]
    return found


def fallen(log: str) -> list[str]:
    """The lines of the launcher about processes that ended by themselves, or hung."""
    return [line for line in log.splitlines() if _FELL.fullmatch(line)]


def traces(path: Path) -> list[str]:
    """The stack traces in a log, with the line before each."""
    lines = path.read_text(errors="replace").splitlines()
    starts = [n for n, line in enumerate(lines) if line.strip().endswith(_TRACE)]
    return ["\n".join(lines[max(0, n - 1) : n + _TRACE_LINES]) for n in starts]
