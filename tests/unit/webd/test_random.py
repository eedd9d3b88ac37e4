"""Random messages and requests against the real webd: each is answered, none is an internal fault,
and the robot goes on answering. Shapes come from the table of actions, so a new action is in it.
"""

import asyncio
import contextlib
import json
import threading
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from saint_services.webd.actions import table
from saint_services.webd.actions.act import Act
from saint_services.webd.api.messages import ENVELOPES
from tests.unit.webd.web_rig import Chat, Rig
from tests.web.fakes.robot import fake_robot

T = TypeVar("T")

ANSWERS = (200, 400, 401, 403, 404, 409, 413, 422, 503)
# What ends the connection or the machine is tested where it belongs; the camera never ends.
LEFT_OUT = {"disconnect_client"}
NAMED = [each for each in table.every() if each.action not in LEFT_OUT]

words = st.sampled_from(
    [
        "head",
        "tracks",
        "arms.left",
        "sim_head",
        "rc",
        "start",
        "",
        "*",
        "../x",
        "%2e",
        "ü\u0000",
        "\x95",
    ]
)
numbers = st.one_of(
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0, 1, -1, 0.5]),
)
plain = st.one_of(st.none(), st.booleans(), numbers, words, st.text(max_size=20))
values = st.recursive(
    plain,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=8,
)


def fields(named: Act) -> st.SearchStrategy[dict[str, Any]]:
    """Right names with any values, some left out, some that are not there."""
    known = list(named.params.model_json_schema(by_alias=True).get("properties", {}))
    names = st.sampled_from(known) if known else words
    return st.dictionaries(names | words, values, max_size=5)


requested = st.sampled_from(NAMED).flatmap(lambda named: st.tuples(st.just(named), fields(named)))
messages = st.one_of(
    requested.map(lambda a: {"type": a[0].group, "action": a[0].action, "params": a[1]}),
    requested.map(
        lambda a: {"type": "command", "target": a[0].group, "action": a[0].action, "params": a[1]}
    ),
    st.builds(
        lambda kind, rest: {"type": kind, **rest},
        st.sampled_from(sorted(ENVELOPES)),
        st.dictionaries(st.sampled_from(["topics", "values", "target", "token"]), values),
    ),
    values,
)
many = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
    database=None,
)


class World:
    """One webd for all examples, in a loop of its own; hypothesis waits for each answer."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._open = contextlib.AsyncExitStack()
        self.rig: Rig
        self.chat: Chat

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Its result."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    def begin(self) -> None:
        self._thread.start()
        self.do(self._begin())

    async def _begin(self) -> None:
        robot, address, domain = await self._open.enter_async_context(fake_robot(self._directory))
        http = await self._open.enter_async_context(aiohttp.ClientSession())
        self.rig = Rig(robot, address, domain, http)
        self.chat = await self.rig.chat()

    def end(self) -> None:
        self.do(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self) -> None:
        chat = await self.rig.chat()
        assert (await chat.request({"type": "system", "action": "describe"}))["status"] == "ok"
        await self.rig.close()
        await self._open.aclose()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """It must still answer at the end."""
    world = World(tmp_path_factory.mktemp("random"))
    world.begin()
    yield world
    world.end()


@many
@given(message=messages)
def test_random_message_is_answered_and_no_fault(world: World, message: Any):
    reply = world.do(world.chat.send_text(json.dumps(message)))
    assert reply.get("error", {}).get("code") != "internal", reply


@many
@given(request=requested)
def test_random_request_is_answered_and_no_fault(world: World, request: tuple[Act, dict[str, Any]]):
    named, params = request
    status, answer = world.do(_post(world, named.path, json.dumps(params).encode()))
    assert status in ANSWERS, answer
    assert isinstance(json.loads(answer), dict)


@many
@given(body=st.binary(max_size=100))
def test_random_bytes_are_answered_and_no_fault(world: World, body: bytes):
    status, answer = world.do(_post(world, "/api/v1/head/move", body))
    assert status in (200, 400, 409), answer  # 409: another random message has stopped the robot


async def _post(world: World, path: str, body: bytes) -> tuple[int, str]:
    async with world.rig.http.post(world.rig.url + path, data=body) as answer:
        return answer.status, await answer.text()
