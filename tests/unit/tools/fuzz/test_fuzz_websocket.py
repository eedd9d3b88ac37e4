"""The WebSocket's fuzzer: each of its deeds once against webd; and it sees what it is there for."""

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestServer
from pydantic import ValidationError

from saint_services.webd.actions import table
from tests.waiting import let_pass
from tools.fuzz import fitting, whole_robot
from tools.fuzz.api import Target, Where, target
from tools.fuzz.websocket import DEEDS, Deed, attack
from tools.fuzz.websocket_client import Client, FaultError

pytestmark = pytest.mark.slow

SEED = 20261122


@pytest_asyncio.fixture
async def attacked() -> AsyncIterator[Target]:
    async with target(Where()) as found:
        yield found


@pytest.mark.parametrize("deed", dict.fromkeys(DEEDS), ids=lambda deed: deed.__name__)
async def test_webd_answers_or_closes_with_a_reason(attacked: Target, deed: Deed) -> None:
    async with Client(attacked.address) as client:
        await deed(client, random.Random(SEED), time.monotonic() + 60)
    async with Client(attacked.address) as client:
        await client.send_checked('{"type": "system", "action": "describe"}')
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
            await client.send_checked('{"type": "system", "action": "status"}')


async def test_attack_ends_in_time_though_every_action_takes_long() -> None:
    """As against a robot whose nodes are asked: each answer comes when nobody expects it."""
    late: list[asyncio.Task[None]] = []

    async def answer(socket: web.WebSocketResponse, message_id: object) -> None:
        await let_pass(0.5)
        await socket.send_json({"type": "response", "id": message_id})

    async def webd(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for _ in socket:
            late.append(asyncio.create_task(answer(socket, 1)))
        return socket

    app = web.Application()
    app.router.add_get("/api/ws", webd)
    async with TestServer(app) as server, Client(f"{server.host}:{server.port}") as client:
        texts = [json.dumps({"id": n, "type": "system", "action": "status"}) for n in range(40)]
        began_s = time.monotonic()
        await client.ask_all(texts, began_s + 0.1)
    assert time.monotonic() - began_s < 10  # one after the other they would take 20
    assert 12 <= len(late) < 40


async def test_attack_goes_on_until_its_time_is_over(attacked: Target) -> None:
    began_s = time.monotonic()
    assert await attack(attacked.address, 1.0, SEED) == []
    assert time.monotonic() - began_s >= 1.0


def test_processes_that_fell_and_stack_traces_are_found(tmp_path: Path) -> None:
    reported = "server/webd is ready\nserver/rcd ended with SIGSEGV: x\nhead/noded ended\n"
    assert whole_robot.fallen(reported) == ["server/rcd ended with SIGSEGV: x"]
    log = tmp_path / "server-webd.log"
    log.write_text("a\nfailed\nTraceback (most recent call last):\n  File\nValueError\n")
    assert [trace.splitlines()[0] for trace in whole_robot.traces(log)] == ["failed"]


def test_fitting_params_are_mostly_taken() -> None:
    rng, taken = random.Random(SEED), Counter[bool]()
    for named in table.every():
        for _ in range(5):
            try:
                named.params.model_validate_json(json.dumps(fitting.params(rng, named.params)))
            except ValidationError:
                taken[False] += 1
            else:
                taken[True] += 1
    assert taken[True] > 0.8 * taken.total()
