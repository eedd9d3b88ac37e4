"""What the API is fuzzed on: webd with a fake robot behind it, in this process; a whole simulated
robot; or one that runs already. Keeps what was logged as a mistake of ours. Not here: what is sent
(http.py, websocket.py), what a whole robot suffered (whole_robot.py).
"""

import argparse
import contextlib
import logging
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from tests.web.fakes.robot import fake_robot
from tools.fuzz import whole_robot


@dataclass(frozen=True, slots=True)
class Where:
    """What is attacked: the robot at `url`, a whole one, or webd alone."""

    url: str = ""
    is_whole: bool = False


def add_where(parser: argparse.ArgumentParser) -> None:
    """The options that say it."""
    parser.add_argument("--robot", action="store_true", help="start a whole simulated robot")
    parser.add_argument("--url", default="", help="of a simulated robot; its token in SAINT_TOKEN")


def where(options: argparse.Namespace) -> Where:
    """As it was said."""
    return Where(options.url, options.robot)


@dataclass(slots=True)
class Target:
    """Where it answers, and what went wrong there; of a robot elsewhere its own log says it."""

    address: str
    mistakes: list[str] = field(default_factory=list)


class _Mistakes(logging.Handler):
    """Exceptions that nobody caught: of a request, a callback or a task."""

    def __init__(self, found: list[str]) -> None:
        super().__init__()
        self._found = found

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info or (record.name == "asyncio" and record.levelno >= logging.ERROR):
            self._found.append(logging.Formatter().format(record))


@contextlib.asynccontextmanager
async def target(where: Where) -> AsyncIterator[Target]:
    """One of these three; all mistakes are known only at its end."""
    if where.url:
        yield Target(urlsplit(where.url).netloc)
        return
    if where.is_whole:
        async with whole_robot.running() as (address, mistakes):
            yield Target(address, mistakes)
        return
    with tempfile.TemporaryDirectory() as directory:
        async with fake_robot(Path(directory)) as (_, address, _domain):
            found = Target(address)
            watch = _Mistakes(found.mistakes)
            logging.getLogger().addHandler(watch)
            try:
                yield found
            finally:
                logging.getLogger().removeHandler(watch)


def verdict(found: Target) -> bool:
    """Whether nothing went wrong; what did is printed."""
    for mistake in found.mistakes:
        print(mistake, flush=True)
    return not found.mistakes
