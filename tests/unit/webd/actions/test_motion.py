"""Motion commands: refused while the robot is stopped or the router does not accept them, strict in
what they hold, honest about what was limited; nothing of before a stop or a stall is sent again.
"""

import asyncio
from typing import Any

import pytest

from saint_services.lib.errors import Code
from saint_services.lib.generated.saint_msgs import EStop, InputSample
from saint_services.webd.robot import latch
from saint_services.webd.robot.context import REPEAT_S
from saint_services.webd.topics.newest import Newest
from tests.unit.webd.raw_http import answer_to
from tests.unit.webd.web_rig import Chat, Rig
from tests.waiting import every, let_pass, stand_still, stays, turns, until

MOVES: list[tuple[str, str, dict[str, Any]]] = [
    ("head", "move", {"pan": 40.0}),
    ("head", "home", {}),
    ("arms", "move", {"arm": "left", "positions": [10.0]}),
    ("arms", "move_hand", {"arm": "left", "x": 0.4, "y": 0.3, "z": 0.6}),
    ("arms", "home", {}),
    ("arms", "gripper", {"arm": "left", "position": 0.5}),
    ("tracks", "drive", {"linear": 0.3}),
    ("base", "drive", {"linear": 0.3}),
]


async def settled(rig: Rig, is_active: bool) -> None:
    """webd has received the latch."""
    rig.robot.set_estop(is_active, "websocket:ann", "child in front" if is_active else "")
    await turns(1)


def drive(linear: float = 0.3) -> dict[str, Any]:
    return {"type": "tracks", "action": "drive", "params": {"linear": linear}}


async def post(rig: Rig, path: str, body: Any) -> tuple[int, dict[str, Any]]:
    async with rig.http.post(f"{rig.url}/api/v1/{path}", json=body) as answer:
        return answer.status, await answer.json()


# While the robot is stopped


@pytest.mark.parametrize(("group", "action", "params"), MOVES)
async def test_command_during_a_stop_is_refused_with_who_and_why(
    rig: Rig, group: str, action: str, params: dict[str, Any]
) -> None:
    received = rig.robot.listen_to_clients()
    await settled(rig, True)
    error = await (await rig.chat()).fail(group, action, **params)
    status, body = await post(rig, f"{group}/{action}", params)
    assert (error["code"], body["code"], status) == ("estop_active", "estop_active", 409)
    for said in (error["message"], body["message"]):
        assert "stopped by Client ann: child in front" in said
    assert received == []


async def test_reading_of_a_stick_during_a_stop_is_refused(rig: Rig) -> None:
    received = rig.robot.listen_to_clients()
    await settled(rig, True)
    reading = {"type": "input", "target": "tracks", "values": {"linear": 0.3}}
    reply = await (await rig.chat()).request(reading)
    assert reply["error"]["code"] == "estop_active"
    assert received == []


async def test_zero_velocity_during_a_stop_is_accepted(rig: Rig) -> None:
    await settled(rig, True)
    await (await rig.chat()).do("tracks", "stop")


async def test_command_after_the_clear_is_accepted(rig: Rig) -> None:
    await settled(rig, True)
    await settled(rig, False)
    received = rig.robot.listen_to_clients()
    await (await rig.chat()).do("head", "move", pan=40.0)
    assert [each.names for each in received] == [("pan",)]


async def test_position_requested_before_a_stop_is_not_sent_again(rig: Rig) -> None:
    await (await rig.chat()).do("head", "move", pan=40.0)
    received = rig.robot.listen_to_clients()
    rig.robot.set_estop(True, "test", "")
    rig.robot.set_estop(False, "test", "")
    await stays(lambda: received == [], 3 * REPEAT_S)


def unknown(**more: Any) -> Newest:
    return Newest(estop=EStop(active=False), **more)


def test_latch_without_a_report_refuses() -> None:
    problem = latch.problem(Newest(), 100.0)
    assert problem is not None and problem.code is Code.REFUSED


@pytest.mark.parametrize(("age_s", "is_refused"), [(0.99, False), (1.01, True)])
def test_router_that_is_silent_for_a_second_refuses(age_s: float, is_refused: bool) -> None:
    newest = unknown(router_received_s=100.0)
    assert (latch.problem(newest, 100.0 + age_s) is not None) is is_refused


def test_latch_that_is_known_to_be_open_refuses_nothing() -> None:
    assert latch.problem(unknown(), 100.0) is None


# While webd is not registered at its router


async def unregistered(rig: Rig, chat: Chat) -> None:
    """The router has ended webd's registration and goes on working; webd knows."""
    rig.robot.admission.close()

    async def is_refused() -> bool:
        return (await chat.request(drive(0.0)))["status"] != "ok"

    await until(is_refused)


@pytest.mark.parametrize(("group", "action", "params"), [*MOVES, ("tracks", "stop", {})])
async def test_command_of_an_unregistered_webd_is_refused_with_what_to_do(
    rig: Rig, group: str, action: str, params: dict[str, Any]
) -> None:
    chat = await rig.chat()
    await unregistered(rig, chat)
    error = await chat.fail(group, action, **params)
    status, body = await post(rig, f"{group}/{action}", params)
    assert (error["code"], body["code"], status) == ("refused", "refused", 409)
    for said in (error, body):
        assert "nothing was moved" in said["message"]
        assert "The e-stop works" in said["fix"]


async def test_reading_of_a_stick_of_an_unregistered_webd_is_refused(rig: Rig) -> None:
    chat = await rig.chat()
    await unregistered(rig, chat)
    reading = {"type": "input", "target": "tracks", "values": {"linear": 0.3}}
    assert "nothing was moved" in (await chat.request(reading))["error"]["message"]


async def test_stop_of_an_unregistered_webd_stops_the_robot(rig: Rig) -> None:
    chat = await rig.chat()
    await unregistered(rig, chat)
    reported = await chat.do("system", "estop", reason="child in front")
    assert reported["estop"]["active"] is True
    assert rig.robot.estop.active


async def test_command_after_the_next_registration_is_accepted(rig: Rig) -> None:
    chat = await rig.chat()
    await unregistered(rig, chat)
    received = rig.robot.listen_to_clients()
    rig.robot.admission.open()

    async def is_accepted() -> bool:
        return (await chat.request(drive()))["status"] == "ok"

    await until(is_accepted)
    assert [each.target for each in received] == ["tracks"]


# Strict


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('"linear": true', "must be a number, not true"),
        ('"linear": "1.0"', "must be a number, not '1.0'"),
        ('"linaer": 1.0', "did you mean 'linear'"),
        ('"linear": 0.1, "linear": 0.2', "'linear' occurs twice"),
        ('"linear": NaN', "NaN is not a JSON number"),
        ('"linear": 1e999', "must be"),
        ('"linear": null', "must be a number"),
        ('"linear": [1]', "must be a number"),
    ],
)
async def test_loose_number_is_refused(rig: Rig, text: str, said: str) -> None:
    received = rig.robot.listen_to_clients()
    chat = await rig.chat()
    action = f'{{"id": 1, "type": "tracks", "action": "drive", "params": {{{text}}}}}'
    stream = f'{{"id": 2, "type": "input", "target": "tracks", "values": {{{text}}}}}'
    for message, number in ((action, 1), (stream, 2)):
        reply = await chat.send_text(message)
        assert (reply["status"], reply["id"]) == ("error", number), message
        assert said in reply["error"]["message"]
    url = f"{rig.url}/api/v1/tracks/drive"
    async with rig.http.post(url, data=f"{{{text}}}") as answer:
        assert answer.status == 400
        assert said in (await answer.json())["message"]
    assert received == []


@pytest.mark.parametrize("jaw", [True, "0.5", "open"])
async def test_loose_ratio_is_refused(rig: Rig, jaw: Any) -> None:
    error = await (await rig.chat()).fail("head", "move", jaw=jaw)
    assert "jaw must be a number" in error["message"]


async def test_switch_that_is_no_boolean_is_refused(rig: Rig) -> None:
    error = await (await rig.chat()).fail("head", "camera", enable="yes")
    assert "must be true or false" in error["message"]


async def test_input_without_a_target_names_what_it_likes(rig: Rig) -> None:
    reply = await (await rig.chat()).request({"type": "input", "values": {"axis_0": 0.5}})
    assert reply["status"] == "ok"


# Limited


@pytest.mark.parametrize(
    ("group", "action", "params", "text"),
    [
        ("tracks", "drive", {"linear": 1e6}, "linear 1e+06 m/s was limited to 1.5 m/s"),
        ("head", "move", {"pan": 500}, "pan 500 deg was limited to 180 deg"),
        ("head", "move", {"pan": -500}, "pan -500 deg was limited to -180 deg"),
    ],
)
async def test_absurd_value_is_answered_with_its_limit(
    rig: Rig, group: str, action: str, params: dict[str, Any], text: str
) -> None:
    reported = await (await rig.chat()).do(group, action, **params)
    assert [each["text"] for each in reported["limited"]] == [text]
    [entry] = reported["limited"]
    assert (entry["field"], entry["asked"]) == next(iter(params.items()))
    assert (await post(rig, f"{group}/{action}", params))[1] == reported


async def test_reading_beyond_its_limit_is_answered_with_it(rig: Rig) -> None:
    reading = {"type": "input", "target": "tracks", "values": {"linear": -9.0, "angular": 0.1}}
    reply = await (await rig.chat()).request(reading)
    assert [each["limited_to"] for each in reply["data"]["limited"]] == [-1.5]


async def test_value_at_its_limit_is_not_limited(rig: Rig) -> None:
    assert await (await rig.chat()).do("tracks", "drive", linear=1.5, angular=-3.0) == {}


# After a stall

pytest_stall = pytest.mark.timed


async def beating(rig: Rig, chat: Chat) -> list[InputSample]:
    """webd's watch has begun, and the client has driven."""
    await let_pass(0.15)
    assert (await chat.request(drive()))["status"] == "ok"
    return rig.robot.listen_to_clients()


@pytest_stall
async def test_commands_that_waited_out_a_stall_are_refused(rig: Rig) -> None:
    chat = await rig.chat()
    received = await beating(rig, chat)
    for _ in range(20):
        await chat.socket.send_json(drive())
    received.clear()
    stand_still(0.6)
    replies = [await chat.reply() for _ in range(20)]
    assert {reply["error"]["code"] for reply in replies if "error" in reply} == {"refused"}
    assert [sample for sample in received if any(sample.values)] == []


@pytest_stall
async def test_commands_of_a_connection_that_was_closed_meanwhile_are_refused(rig: Rig) -> None:
    chat = await rig.chat()
    received = await beating(rig, chat)
    for _ in range(5):
        await chat.socket.send_json(drive())
    closing = asyncio.create_task(chat.socket.close())
    received.clear()
    stand_still(0.6)
    await closing
    await stays(lambda: received == [], 0.3)


@pytest_stall
async def test_stop_that_waited_out_a_stall_stops(rig: Rig) -> None:
    chat = await rig.chat()
    await beating(rig, chat)
    await chat.socket.send_json({"id": 7, "type": "system", "action": "estop"})
    stand_still(0.6)
    assert (await chat.reply())["data"]["estop"]["active"] is True


@pytest_stall
async def test_release_that_waited_out_a_stall_is_refused(rig: Rig) -> None:
    chat = await rig.chat()
    await beating(rig, chat)
    rig.robot.set_estop(True, "test", "")
    params = {"enable": False}
    await chat.socket.send_json({"type": "system", "action": "estop", "params": params})
    stand_still(0.6)
    assert (await chat.reply())["status"] == "error"
    assert rig.robot.estop.active


@pytest_stall
async def test_command_after_the_pong_of_a_stall_is_accepted(rig: Rig) -> None:
    chat = await rig.chat()
    await beating(rig, chat)
    stand_still(0.6)
    reported: list[str] = []
    async for _ in every(0.02, until=lambda: "ok" in reported):
        reported.append((await chat.request(drive()))["status"])
    assert (reported[0], reported[-1]) == ("error", "ok")


@pytest_stall
async def test_position_requested_before_a_stall_is_not_sent_again(rig: Rig) -> None:
    chat = await rig.chat()
    await beating(rig, chat)
    await chat.do("head", "move", pan=170.0)
    received = rig.robot.listen_to_clients()
    stand_still(0.6)
    await stays(lambda: received == [], 3 * REPEAT_S)


@pytest_stall
async def test_http_command_that_waited_out_a_stall_is_refused(rig: Rig) -> None:
    await beating(rig, await rig.chat())
    body = b'{"linear": 0.3}'
    request = (
        b"POST /api/v1/tracks/drive HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
        % (len(body), body)
    )
    requested = asyncio.create_task(answer_to(rig.address, request))
    await turns(2)  # it connects: the kernel accepts, webd has not yet
    stand_still(0.6)
    found = await requested
    assert (found.status, found.headers.get("connection")) == (409, "close")
    assert (await post(rig, "system/estop", {}))[0] == 200
