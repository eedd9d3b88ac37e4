"""Inputs are published only while the daemon is registered at its router."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from saint_services.lib.api.credentials import WriterReply, WriterRequest
from saint_services.lib.api.routing import REGISTER_WRITER
from saint_services.lib.bus.input_writer import REGISTRATIONS, InputPublisher, InputWriter
from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.daemon import bind
from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.lib.generated.topics import INPUT_RC
from saint_services.lib.health import Health
from saint_services.lib.ipc import Api, Call
from tests.waiting import turns, until


class Bench:
    """A writer on a local bus, and a router that the test opens and closes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        domain = LocalDomain()
        self.bus = domain.bus("rcd")
        self.health = Health("rcd")
        self.writer = InputWriter("rcd", root, self.bus, self.health)
        self.publisher = self.writer.publisher(INPUT_RC)
        self.received: list[int] = []
        self.requests: list[WriterRequest] = []
        self.ends = asyncio.Event()
        domain.bus("reader").subscribe(INPUT_RC, lambda s: self.received.append(s.message.sequence))
        self.listener = bind(root, "routerd")

    async def hold(self, call: Call[WriterRequest]) -> AsyncIterator[WriterReply]:
        self.requests.append(call.body)
        yield WriterReply()
        await self.ends.wait()

    def publish(self, number: int) -> None:
        self.publisher.publish(InputSample(source="rc", sequence=number))

    async def until(self, registrations: int) -> None:
        await until(lambda: self.health.counters[REGISTRATIONS] >= registrations)


def is_dropping(publisher: InputPublisher[InputSample]) -> bool:
    return getattr(publisher.publish, "__self__", None) is None


async def test_input_is_published_only_while_the_writer_is_registered(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.publish(1)
    api = Api()
    api.bind_stream(REGISTER_WRITER, bench.hold)
    server = await api.serve([bench.listener])
    work = asyncio.create_task(bench.writer.stay_registered())
    try:
        await bench.until(1)
        bench.publish(2)
        assert [each.origin for each in bench.requests] == [bench.bus.origin]
        bench.ends.set()  # the router closes the connection
        await until(lambda: is_dropping(bench.publisher))
        bench.publish(3)
        bench.ends.clear()
        await bench.until(2)
        bench.publish(4)
        await turns(1)
        assert bench.received == [2, 4]
    finally:
        work.cancel()
        await server.close()


async def test_router_that_is_away_leaves_every_input_unpublished(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.listener.close()
    work = asyncio.create_task(bench.writer.stay_registered())
    await turns(1)
    bench.publish(1)
    await turns(1)
    work.cancel()
    assert bench.received == []


async def test_registered_publisher_is_the_real_one_without_a_call_between(tmp_path: Path) -> None:
    real = LocalDomain().bus("rcd").publisher(INPUT_RC)
    publisher = InputPublisher(real)
    assert publisher.publish != real.publish
    publisher.switch(is_registered=True)
    assert publisher.publish == real.publish
    publisher.switch(is_registered=False)
    with pytest.raises(AttributeError):
        _ = publisher.publish.__self__  # type: ignore[attr-defined]
