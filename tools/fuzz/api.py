"""What the API is fuzzed on: webd with a fake robot behind it, in this process, or a running robot.
Keeps what was logged as a mistake of ours. Not here: what is sent (http.py, websocket.py).
"""

import contextlib
import logging
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from tests.web.fake_robot import fake_robot


@dataclass(slots=True)
class Target:
    """Where it answers, and what went wrong there; of a robot elsewhere its own log tells that."""

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
async def target(url: str = "") -> AsyncIterator[Target]:
    """The robot at `url`, else one of its own."""
    if url:
        yield Target(urlsplit(url).netloc)
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
