"""A router that registers every writer of inputs, for daemons that are tested without one."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from saint_services.lib.api.credentials import WriterReply, WriterRequest
from saint_services.lib.api.routing import REGISTER_WRITER
from saint_services.lib.daemon import bind
from saint_services.lib.health import Health
from saint_services.lib.input_writer import REGISTRATIONS
from saint_services.lib.ipc import Api, Call


def admit_writers(api: Api) -> Api:
    """Answer as routerd does to a writer that it registers."""

    async def hold(_: Call[WriterRequest]) -> AsyncIterator[WriterReply]:
        while True:
            yield WriterReply()
            await asyncio.sleep(1.0)

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
    async with asyncio.timeout(5.0):
        while not health.counters[REGISTRATIONS]:  # noqa: ASYNC110  # it is the daemon's to say
            await asyncio.sleep(0.005)
