"""A router that registers every writer of inputs, for daemons that are tested without one."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from saint_services.lib.api.credentials import WriterReply, WriterRequest
from saint_services.lib.api.routing import REGISTER_WRITER
from saint_services.lib.bus.input_writer import REGISTRATIONS
from saint_services.lib.daemon import bind
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.health import Health
from saint_services.lib.ipc import Api, Call
from tests.waiting import until


class Admission:
    """Whether the router registers writers. A test closes and opens it again."""

    def __init__(self) -> None:
        self._closed = asyncio.Event()
        self.origin = ""  # of the router's participant

    def close(self) -> None:
        """End all registrations, refuse new ones."""
        self._closed.set()

    def open(self) -> None:
        """Register writers again."""
        self._closed.clear()

    async def replies(self) -> AsyncIterator[WriterReply]:
        """What a writer receives for as long as it is registered."""
        if self._closed.is_set():
            raise SaintError(Code.REFUSED, "this router registers no writers")
        while not self._closed.is_set():
            yield WriterReply(origin=self.origin)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._closed.wait(), 1.0)


def admit_writers(api: Api, admission: Admission | None = None) -> Api:
    """Answer as routerd does to a writer that it registers."""
    chosen = admission or Admission()

    def hold(_: Call[WriterRequest]) -> AsyncIterator[WriterReply]:
        return chosen.replies()

    api.bind_stream(REGISTER_WRITER, hold)
    return api


@contextlib.asynccontextmanager
async def serving_writers(runtime: Path) -> AsyncIterator[None]:
    """The router's socket, for a while."""
    server = await admit_writers(Api()).serve([bind(runtime, "routerd")])
    try:
        yield
    finally:
        await server.close()


async def registered(health: Health) -> None:
    """Wait until the daemon with this health publishes its inputs."""
    await until(lambda: health.counters[REGISTRATIONS])
