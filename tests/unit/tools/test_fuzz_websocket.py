"""The WebSocket's fuzzer: each of its deeds once against webd; and it sees what it is there for."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestServer

from tools.fuzz.api import Target, target
from tools.fuzz.websocket import DEEDS, Rng
from tools.fuzz.websocket_client import Client, FaultError

SEED = 20261122
Deed = Callable[[Client, Rng], Awaitable[None]]


@pytest_asyncio.fixture
async def attacked() -> AsyncIterator[Target]:
    async with target() as found:
        yield found


@pytest.mark.parametrize("deed", dict.fromkeys(DEEDS), ids=lambda deed: deed.__name__)
async def test_webd_answers_or_closes_with_a_reason(attacked: Target, deed: Deed) -> None:
    async with Client(attacked.address) as client:
        await deed(client, random.Random(SEED))
    async with Client(attacked.address) as client:
        await client.ask('{"type": "system", "action": "describe"}')
    assert attacked.mistakes == []


async def test_exception_that_nobody_catches_is_a_mistake(attacked: Target) -> None:
    asyncio.get_running_loop().call_exception_handler(
        {"message": "in a callback", "exception": ValueError("ours")}
    )
    assert len(attacked.mistakes) == 1 and "ours" in attacked.mistakes[0]


@pytest.mark.parametrize(
    ("answer", "fault"),
    [('{"type": "response", "error": {"code": "internal"}}', "internal"), ("", "ended")],
)
async def test_internal_answer_and_sudden_end_are_faults(answer: str, fault: str) -> None:
    async def webd(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.receive()
        if answer:
            await socket.send_str(answer)
        return socket

    app = web.Application()
    app.router.add_get("/api/ws", webd)
    async with TestServer(app) as server, Client(f"{server.host}:{server.port}") as client:
        with pytest.raises(FaultError, match=fault):
            await client.ask('{"type": "system", "action": "status"}')
