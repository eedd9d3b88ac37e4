"""A stop is never refused: not for how it is written, not for who retries old tokens beside it, not
for connections and places that others hold. A clear must be exactly one.
"""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.access.levels import Level
from saint_services.lib.api.webd.system import EStop
from saint_services.webd import logic
from saint_services.webd.accounts.access import FREE_ATTEMPTS, Identity
from saint_services.webd.actions.table import MODELS
from saint_services.webd.api import stopping
from saint_services.webd.websocket.places import refusal
from tests.unit.webd.raw_http import answer_to
from tests.unit.webd.web_rig import Rig
from tests.waiting import until

UNSOUND = [
    '{"type": "system", "action": "estop", "params": {"enable": "yes"}}',
    '{"type": "system", "action": "estop", "params": {"enable": "false"}}',
    '{"type": "system", "action": "estop", "params": {"enable": 0}}',
    '{"type": "system", "action": "estop", "params": {"enable": null}}',
    '{"type": "system", "action": "estop", "params": {"enabled": false}}',
    '{"type": "system", "action": "estop", "params": {"enable": false, "now": 1}}',
    '{"type": "system", "action": "estop", "params": {"enable": false, "enable": true}}',
    '{"type": "system", "action": "estop", "params": {"enable": false, "enable": false}}',
    '{"type": "system", "action": "estop", "params": {"enable": false}, "hurry": true}',
    '{"type": "system", "action": "estop", "params": {"enable": false}, "id": {}}',
    '{"type": "system", "action": "estop", "params": [false]}',
    '{"type": "system", "action": "estop", "params": null}',
    '{"type": "system", "action": "estop"}',
    '{"type": "tracks", "action": "estop", "params": {}}',
    '{"type": "tracks", "action": "E-Stop"}',
    '{"type": "estop", "params": {"enable": false}}',
    '{"type": "command", "target": "estop", "action": "clear"}',
    '{"type": "command", "target": "robot", "action": "estop", "params": {"enable": false}}',
    '{"type": "rc", "action": "emergency_stop"}',
    '{"type": "system", "action": "estop", "params": {"reason": 7}}',
    '{"type": "system", "action": "estop", "params": {"reason": "' + "x" * 500 + '"}}',
    '{"type": "system", "action": "estop"',
    '{"type": "system", "action": "estop", "params": {"enable": false}',
    "{'type': 'system', 'action': 'estop'}",
    "{type: system, action: estop}",
    '{"type": "system", "action": "estop", "params": {"reason": "\\ud800"}}',
    '{"type": "system", "action": "estop", "params": {"reason": "help \\u0000 me"}}',
    "estop",
    '"estop"',
]


def params_of(text: str) -> EStop:
    call = logic.parse(text, MODELS)
    assert isinstance(call, logic.ClientCall)
    assert call.action == "estop"
    assert isinstance(call.params, EStop)
    return call.params


@pytest.mark.parametrize("text", UNSOUND)
def test_stop_message_that_is_not_sound_stops(text: str) -> None:
    assert params_of(text).enable is True


@pytest.mark.parametrize("group", ["system", "tracks"])
def test_exact_clear_is_one(group: str) -> None:
    text = json.dumps({"type": group, "action": "estop", "params": {"enable": False}})
    assert params_of(text).enable is False


@given(st.dictionaries(st.text(max_size=8), st.none() | st.booleans() | st.integers() | st.text()))
def test_any_params_but_an_exact_clear_stop(params: dict[str, Any]) -> None:
    text = json.dumps({"type": "system", "action": "estop", "params": params})
    is_exact = params.get("enable") is False and params.keys() <= {"enable"}
    assert params_of(text).enable is not is_exact


@pytest.mark.parametrize(
    "text",
    [
        '{"type": "rc", "action": "set_failsafe", "params": {"action": "estop"}}',
        '{"type": "tracks", "action": "stop"}',
        '{"type": "router", "action": "get_preset", "params": {"name": "estop"}}',
        "stop, says the text, and it is no message",
    ],
)
def test_other_messages_do_not_stop(text: str) -> None:
    try:
        parsed = logic.parse(text, MODELS)
    except logic.BadMessageError:
        return
    assert not isinstance(parsed, logic.ClientCall) or parsed.action != "estop"


def test_reason_of_an_unsound_stop_is_kept() -> None:
    assert stopping.of_unsound({"reason": "child in front", "x": 1}).reason == "child in front"
    assert stopping.of_unsound(["x"]).reason == stopping.UNREADABLE


@pytest.mark.parametrize("text", [UNSOUND[0], UNSOUND[6], UNSOUND[-3]])
async def test_unsound_stop_on_a_websocket_reaches_the_router(rig: Rig, text: str) -> None:
    reply = await (await rig.chat()).send_text(text)
    assert reply["data"]["estop"]["active"] is True
    assert rig.robot.estop.active


@pytest.mark.parametrize("payload", [b'{"type":"system","action":"estop"}', b"estop"])
async def test_stop_in_a_binary_message_stops(rig: Rig, payload: bytes) -> None:
    chat = await rig.chat()
    await chat.socket.send_bytes(payload)
    assert (await chat.reply())["data"]["estop"]["active"] is True


async def test_stop_in_a_message_that_is_too_large_stops(rig: Rig) -> None:
    chat = await rig.chat()
    await chat.socket.send_str('{"type":"system","action":"estop","params":' + " " * 70_000)
    await until(lambda: rig.robot.estop.active)


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"{}", b'{"enable":"yes"}', b'{"enable":false,"enable":false}', b"\xff\xfe",
     b'{"enable":false,"extra":1}', b"[]", b"x" * 100_000],
)  # fmt: skip
@pytest.mark.parametrize("group", ["system", "tracks"])
async def test_unsound_stop_over_http_stops(rig: Rig, group: str, body: bytes) -> None:
    async with rig.http.post(f"{rig.url}/api/v1/{group}/estop", data=body) as answer:
        assert answer.status == 200
        assert (await answer.json())["estop"]["active"] is True


async def test_stop_whose_body_does_not_come_stops(rig: Rig) -> None:
    request = (
        b"POST /api/v1/system/estop HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{"
    )
    found = await answer_to(rig.address, request)
    assert (found.status, json.loads(found.body)["estop"]["active"]) == (200, True)


async def test_release_over_http_releases(rig: Rig) -> None:
    seen = rig.robot.set_estop(True, "test", "").generation
    body = {"enable": False, "generation": seen}
    async with rig.http.post(f"{rig.url}/api/v1/system/estop", json=body) as answer:
        assert (await answer.json())["estop"]["active"] is False


def token(rig: Rig) -> str:
    return (rig.robot.runtime.parent / "state" / "token").read_text().strip()


async def throttle(rig: Rig) -> None:
    """Another script at this address retries a token that is not right any more."""
    old = {"Authorization": "Bearer of-yesterday"}
    for _ in range(FREE_ATTEMPTS + 2):
        async with rig.http.get(f"{rig.url}/api/v1/system/status", headers=old) as answer:
            assert answer.status == 401


async def test_stop_with_a_right_token_passes_the_wait_of_wrong_ones(locked: Rig) -> None:
    await throttle(locked)
    own = {"Authorization": f"Bearer {token(locked)}"}
    async with locked.http.post(f"{locked.url}/api/v1/system/estop", headers=own) as answer:
        assert answer.status == 200
    assert locked.robot.estop.active


async def test_websocket_with_a_right_token_passes_the_wait_of_wrong_ones(locked: Rig) -> None:
    await throttle(locked)
    chat = await locked.chat()
    assert (await chat.request({"type": "auth", "token": token(locked)}))["status"] == "ok"
    await chat.do("system", "estop")


async def test_wrong_tokens_still_wait(locked: Rig) -> None:
    await throttle(locked)
    old = {"Authorization": "Bearer another"}
    async with locked.http.get(f"{locked.url}/api/v1/system/status", headers=old) as answer:
        assert "try again in" in (await answer.json())["message"]


async def test_nobody_stops_without_a_way_in(locked: Rig) -> None:
    async with locked.http.post(f"{locked.url}/api/v1/system/estop", json={}) as answer:
        assert answer.status == 401
    assert not locked.robot.estop.active


VIEWER = Identity("eve", Level.VIEWER, "token", "1")
OTHER = Identity("other", Level.VIEWER, "token", "2")
OPERATOR = Identity("ann", Level.OPERATOR, "token", "3")


def test_one_viewer_holds_eight_places() -> None:
    assert refusal(VIEWER, [VIEWER] * 7, 64) == ""
    assert "eve" in refusal(VIEWER, [VIEWER] * 8, 64)
    assert refusal(OTHER, [VIEWER] * 8, 64) == ""


def test_viewers_leave_a_quarter_of_the_places_to_operators() -> None:
    crowd = [Identity(f"v{n}", Level.VIEWER, "session", str(n)) for n in range(48)]
    assert refusal(VIEWER, crowd[:47], 64) == ""
    assert "16" in refusal(VIEWER, crowd, 64)
    assert refusal(OPERATOR, crowd, 64) == ""


def test_one_operator_holds_half_of_the_places() -> None:
    assert refusal(OPERATOR, [OPERATOR] * 31, 64) == ""
    assert refusal(OPERATOR, [OPERATOR] * 32, 64)
    assert refusal(OPERATOR, [OPERATOR], 2) == ""


@pytest.mark.parametrize("via", ["open", "socket"])
def test_anonymous_users_are_not_counted(via: Any) -> None:
    anyone = Identity("anyone", Level.ADMIN, via)
    assert refusal(anyone, [anyone] * 63, 64) == ""


async def test_viewers_token_does_not_take_the_places_of_others(locked: Rig) -> None:
    own = {"Authorization": f"Bearer {token(locked)}"}
    url = f"{locked.url}/api/v1/users/add_token"
    body = {"name": "eve", "role": "viewer"}
    async with locked.http.post(url, json=body, headers=own) as answer:
        secret = (await answer.json())["secret"]
    theirs = {"Authorization": f"Bearer {secret}"}
    for _ in range(8):
        await locked.chat(headers=theirs)
    with pytest.raises(aiohttp.WSServerHandshakeError):
        await locked.chat(headers=theirs)
    late = await locked.chat()
    refused = await late.request({"type": "auth", "token": secret})
    assert "8 connections" in refused["error"]["message"]
    chat = await locked.chat(headers=own)
    await chat.do("system", "estop")


STOP = b"POST /api/v1/system/estop HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}"


@contextlib.asynccontextmanager
async def crowd(rig: Rig, count: int) -> AsyncIterator[None]:
    """Connections from our own address that never ask for anything."""
    host, _, port = rig.address.partition(":")
    held: list[socket.socket] = []
    try:
        for _ in range(count):
            held.append(socket.socket())
            held[-1].setblocking(False)
            await asyncio.get_running_loop().sock_connect(held[-1], (host, int(port)))
        yield
    finally:
        for each in held:
            each.close()


async def test_stop_that_comes_among_600_half_open_connections_is_obeyed(rig: Rig) -> None:
    async with crowd(rig, 300):
        requested = asyncio.create_task(answer_to(rig.address, STOP, 10.0))
        async with crowd(rig, 300):
            assert (await requested).status == 200
    assert rig.robot.estop.active


async def test_connection_that_served_before_outlives_600_half_open_ones(rig: Rig) -> None:
    host, _, port = rig.address.partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"GET /api/v1/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert (await reader.readline()).split()[1] == b"200"
    async with crowd(rig, 600):
        writer.write(STOP)
        async with asyncio.timeout(5.0):
            while b"active" not in await reader.readline():
                assert not reader.at_eof()
    writer.close()
    assert rig.robot.estop.active


# Words of a stop


@pytest.mark.parametrize("place", ["type", "target", "action"])
@pytest.mark.parametrize("word", ["estop", "E-Stop", "emergency stop", "EMERGENCY_STOP"])
def test_it_is_meant_in_each_place(place: str, word: str) -> None:
    assert stopping.is_meant({place: word})
    assert stopping.is_named(f"{{'{place}': '{word}'")


def test_it_is_not_meant_elsewhere() -> None:
    assert not stopping.is_meant({"name": "estop", "action": 7})
    assert not stopping.is_named("{name: estop")


def test_it_is_looked_for_in_64_characters() -> None:
    assert stopping.is_meant({"action": "e" + "-" * 59 + "stop"})
    assert not stopping.is_meant({"action": "e" + "-" * 60 + "stop"})


def test_it_keeps_a_reason_of_200_characters() -> None:
    assert stopping.of_unsound({"reason": "x" * 300}) == EStop(enable=True, reason="x" * 200)


@pytest.mark.parametrize("given", [None, {}, {"reason": 7}, {"reason": ""}, "reason"])
def test_it_says_that_it_was_not_sound(given: object) -> None:
    found = stopping.of_unsound(given)
    assert (found.enable, found.reason) == (True, "malformed stop message")
