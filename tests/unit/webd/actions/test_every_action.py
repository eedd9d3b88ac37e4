"""Every action of the tables, over a real WebSocket."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from saint_services.lib.api.webd.motion import Enable
from saint_services.lib.bus import Sample
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated import topics
from saint_services.lib.role_config.model import Camera
from saint_services.webd.actions import motion
from tests.unit.role.role_rig import load_role
from tests.unit.webd.web_rig import Rig
from tests.waiting import stays, turns


def listening(rig: Rig, topic: Any = topics.INPUT_WEBSOCKET) -> list[Any]:
    """What arrives on a topic."""
    received: list[Any] = []

    def keep(sample: Sample[Any]) -> None:
        received.append(sample.message)

    rig.domain.bus("listener").subscribe(topic, keep)
    return received


def reported(sample: Any) -> tuple[str, dict[str, float]]:
    return sample.target, dict(zip(sample.names, sample.values, strict=True))


MOTIONS = [
    (("head", "move", {"pan": 45.0, "tilt": -15.0}), [("head", {"pan": 45.0, "tilt": -15.0})]),
    (("head", "move", {"jaw": 0.5, "speed": 0.25}), [("head", {"jaw": 0.5, "speed": 0.25})]),
    (("head", "home", {}),
     [("head", {"pan": 0, "tilt": 0, "roll": 0, "jaw": 0, "eye_pan": 0, "eye_tilt": 0})]),
    (("arms", "move", {"arm": "left", "positions": [1, None, 3]}),
     [("arms.left", {"joint_0": 1, "joint_2": 3})]),
    (("arms", "home", {"arm": "right"}), [("arms.right", {f"joint_{n}": 0 for n in range(6)})]),
    (("arms", "home", {}),
     [(f"arms.{arm}", {f"joint_{n}": 0 for n in range(6)}) for arm in ("left", "right")]),
    (("arms", "gripper", {"arm": "left", "position": 0.75}), [("arms.left", {"gripper": 0.75})]),
    (("arms", "gripper", {"arm": "left", "position": 0.5, "force": 2}),
     [("arms.left", {"gripper": 0.5, "force": 2})]),
    (("tracks", "drive", {"linear": 0.5, "angular": -0.25}),
     [("tracks", {"linear": 0.5, "angular": -0.25})]),
    (("tracks", "stop", {}), [("tracks", {"linear": 0, "angular": 0})]),
    (("base", "drive", {"linear": 0.5}), [("tracks", {"linear": 0.5, "angular": 0})]),
    (("base", "stop", {}), [("tracks", {"linear": 0, "angular": 0})]),
    (("parts", "set", {"target": "head", "values": {"jaw": 0.5}}), [("head", {"jaw": 0.5})]),
    (("parts", "set", {"target": "tracks", "values": {"linear": 0.5}}),
     [("tracks", {"linear": 0.5})]),
    (("parts", "home", {"target": "arms.left"}),
     [("arms.left", {f"joint_{n}": 0 for n in range(6)})]),
]  # fmt: skip


@pytest.mark.parametrize(("command", "samples"), MOTIONS)
async def test_motion_becomes_a_sample(rig: Rig, command: Any, samples: Any) -> None:
    received = listening(rig)
    chat = await rig.chat()
    await chat.request({"type": "auth", "client_id": "desk"})
    kind, action, params = command
    assert await chat.do(kind, action, **params) == {}
    await turns(1)
    assert [reported(sample) for sample in received] == samples
    assert {sample.source for sample in received} == {"websocket:desk"}
    assert not any(sample.failsafe for sample in received)


async def test_sequence_rises_with_every_sample(rig: Rig) -> None:
    received = listening(rig)
    chat = await rig.chat()
    for _ in range(5):
        await chat.do("tracks", "drive", linear=0.1)
    numbers = [sample.sequence for sample in received]
    assert numbers == sorted(set(numbers))


async def test_nothing_is_sent_after_the_client_left(rig: Rig) -> None:
    received = listening(rig)
    chat = await rig.chat()
    await chat.do("tracks", "drive", linear=1.0)
    await chat.socket.close()
    await stays(lambda: len(received) == 1, 0.1)


@pytest.mark.parametrize(
    ("action", "params", "sentence"),
    [
        ("move", {"arm": "left", "positions": [0.0] * 7}, "has 6 joints, the command names 7"),
        ("move", {"arm": "left", "positions": [None]}, "no position"),
        ("move", {"arm": "middle", "positions": [1.0]}, "params.arm"),
        ("gripper", {"arm": "left", "position": 1.5}, "at most 1"),
    ],
)
async def test_impossible_arm_command_is_refused(
    rig: Rig, action: str, params: dict[str, Any], sentence: str
) -> None:
    error = await (await rig.chat()).fail("arms", action, **params)
    assert error["code"] == "request_invalid"
    assert sentence in error["message"]


async def test_empty_head_move_is_refused(rig: Rig) -> None:
    assert "names none" in (await (await rig.chat()).fail("head", "move", speed=1))["message"]


async def test_nodes_are_listed(rig: Rig) -> None:
    chat = await rig.chat()
    assert len((await chat.do("management", "list_nodes"))["nodes"]) == 6
    free = (await chat.do("management", "list_unadopted"))["nodes"]
    assert [node["node_id"] for node in free] == ["sim_spare"]
    adopted = (await chat.do("management", "list_adopted"))["nodes"]
    assert {node["node_id"] for node in adopted} == set(rig.robot.nodes) - {"sim_spare"}
    assert (await chat.do("management", "list_roles"))["robot"] == "SAINT-01"
    info = await chat.do("management", "get_node_info", node_id="sim_head")
    assert info["role"] == "head"


async def test_node_is_adopted_named_and_reset(rig: Rig) -> None:
    chat = await rig.chat()
    await chat.do("management", "reset_node", node_id="sim_console", factory_reset=True)
    reply = await chat.do(
        "management", "adopt_node", node_id="sim_spare", role="console", display_name="Desk"
    )
    assert reply == {"message": "adopted", "topic_prefix": "/saint/console", "code": "482 173"}
    assert rig.robot.nodes["sim_spare"].display_name == "Desk"
    await chat.do("management", "set_node_name", node_id="sim_spare", display_name="Panel")
    assert rig.robot.nodes["sim_spare"].display_name == "Panel"
    texts = [e["text"] for e in (await chat.do("management", "get_activity_log"))["entries"]]
    assert "sim_spare was adopted as console" in texts
    assert "sim_console was reset" in texts


async def test_node_is_replaced_and_another_one_ignored(rig: Rig) -> None:
    chat = await rig.chat()
    reply = await chat.do("management", "replace_node", node_id="sim_head", by="sim_spare")
    assert (reply["topic_prefix"], reply["code"]) == ("/saint/head", "482 173")
    assert rig.robot.nodes["sim_spare"].role == "head"
    info = await chat.do("management", "ignore_node", node_id="sim_head")
    assert (info["is_ignored"], info["not_offered"]) == (True, "ignored")
    await chat.do("management", "ignore_node", node_id="sim_head", is_ignored=False)
    assert not rig.robot.nodes["sim_head"].is_ignored
    texts = [e["text"] for e in (await chat.do("management", "get_activity_log"))["entries"]]
    assert "sim_spare replaced sim_head" in texts
    assert "sim_head is offered again" in texts


async def test_refusals_of_others_keep_their_code(rig: Rig) -> None:
    chat = await rig.chat()
    taken = await chat.fail("management", "adopt_node", node_id="sim_spare", role="head")
    assert taken["code"] == "conflict" and "sim_head" in taken["message"]
    unknown = await chat.fail("management", "get_node_info", node_id="nobody")
    assert unknown["code"] == "not_found"


ROUTE = {
    "id": "mine",
    "priority": 150,
    "input": {"source": "livelink", "subject": "Me"},
    "output": {"target": "head"},
    "mapping": [{"from": "Head", "to": "pan", "scale": 1.0}],
}


async def test_routes_are_kept_by_the_router(rig: Rig) -> None:
    chat = await rig.chat()
    saved = await chat.do("router", "set_route", route=ROUTE)
    assert saved["route"]["mapping"][0]["from"] == "Head"
    switched = await chat.do("router", "set_route_enabled", route_id="mine", enabled=False)
    assert switched["status"] == "disabled"
    routes = (await chat.do("router", "list_routes"))["routes"]
    assert routes[-1]["route"]["id"] == "mine"
    await chat.do("router", "delete_route", route_id="mine")
    assert (await chat.fail("router", "delete_route", route_id="mine"))["code"] == "not_found"
    assert (await chat.do("router", "get_status"))["state"] == "idle"


async def test_receiver_and_subjects_are_requested(rig: Rig) -> None:
    chat = await rig.chat()
    assert (await chat.do("rc", "get_status"))["protocol"] == "crsf"
    assert await chat.do("rc", "get_protocol") == {"protocol": "crsf"}
    await chat.do("rc", "set_enabled", enabled=False)
    assert rig.robot.receiver.is_enabled is False
    for group, names in (("router", ("list_livelink_sources", "get_livelink_subject")),
                         ("livelink", ("list_sources", "get_subject"))):  # fmt: skip
        sources = (await chat.do(group, names[0]))["sources"]
        assert sources[0]["subject_name"] == "FaceCapture"
        subject = await chat.do(group, names[1], subject_name="FaceCapture")
        assert subject["values"] == {"jawOpen": 0.25}
        assert (await chat.fail(group, names[1], subject_name="a/../b"))["code"] == "not_found"


async def test_system_is_described(rig: Rig) -> None:
    chat = await rig.chat()
    data = await chat.do("system", "describe")
    assert data["targets"]["head"]["pan"]["limits"] == [-180, 180]
    assert (await chat.do("system", "status"))["robot"] == "SAINT-01"


@pytest.mark.parametrize("group", ["tracks", "system"])
async def test_estop_goes_to_the_router_and_back(rig: Rig, group: str) -> None:
    chat = await rig.chat()
    await chat.request({"type": "auth", "client_id": "desk"})
    raised = await chat.do(group, "estop", enable=True)
    assert raised["estop"]["active"] is True
    assert rig.robot.requests == ["estop websocket:desk"]
    seen = raised["estop"]["generation"]
    released = await chat.do(group, "estop", enable=False, generation=seen)
    assert released["estop"]["active"] is False


async def test_clear_over_a_press_that_came_since_is_refused_with_its_reason(rig: Rig) -> None:
    chat = await rig.chat()
    raised = await chat.do("system", "estop", enable=True)
    rig.robot.set_estop(True, "websocket:B", "child in front")
    seen = raised["estop"]["generation"]
    error = await chat.fail("system", "estop", enable=False, generation=seen)
    assert error["code"] == "refused" and "websocket:B: child in front" in error["message"]
    assert rig.robot.estop.active


@pytest.mark.parametrize("more", [{}, {"generation": None}])
async def test_clear_without_a_generation_is_refused_and_says_what_to_send(
    rig: Rig, more: dict[str, None]
) -> None:
    rig.robot.set_estop(True, "rc", "switch")
    error = await (await rig.chat()).fail("system", "estop", enable=False, **more)
    assert error["code"] == "refused" and '"generation"' in error["fix"]
    assert rig.robot.estop.active


@pytest.mark.parametrize("generation", [True, "1", 1.0, -1])
async def test_generation_that_is_no_number_clears_nothing(rig: Rig, generation: object) -> None:
    """A message about the stop that is not sound is one more press."""
    before = rig.robot.set_estop(True, "rc", "switch").generation
    await (await rig.chat()).do("system", "estop", enable=False, generation=generation)
    assert rig.robot.estop.active
    assert rig.robot.estop.generation > before


async def test_status_lists_every_press(rig: Rig) -> None:
    rig.robot.set_estop(True, "rc", "switch")
    rig.robot.set_estop(True, "websocket:B", "child in front")
    latch = (await (await rig.chat()).do("system", "status"))["estop"]
    assert [each["reason"] for each in latch["presses"]] == ["switch", "child in front"]
    assert latch["since"] == latch["presses"][0]["since"] > 1_600_000_000
    assert latch["generation"] == rig.robot.estop.generation


async def test_refused_release_says_why(rig: Rig) -> None:
    rig.robot.clear_refusal = "rc channel_2 is not neutral"
    error = await (await rig.chat()).fail("system", "estop", enable=False, generation=0)
    assert (error["code"], error["message"]) == ("refused", "rc channel_2 is not neutral")


async def test_estop_without_router_stops_the_tracks_directly(rig: Rig) -> None:
    received = listening(rig, topics.TRACKS_ESTOP)
    await rig.robot.stop("routerd")
    error = await (await rig.chat()).fail("system", "estop")
    assert error["code"] == Code.DAEMON_UNREACHABLE
    assert [message.data for message in received] == [True]


@pytest.mark.parametrize("enable", [True, False])
async def test_camera_is_requested_from_the_head(rig: Rig, enable: bool) -> None:
    received = listening(rig, topics.HEAD_CAMERA_CMD)
    said = await (await rig.chat()).do("head", "camera", enable=enable)
    assert said == {"camera_requested": enable}
    assert [message.data for message in received] == [enable]


def test_head_without_a_camera_says_so() -> None:
    role = load_role("head", camera=Camera(enabled=False))
    robot: Any = SimpleNamespace(roles=SimpleNamespace(name="R", by_target={"head": role}))
    caller: Any = None
    with pytest.raises(SaintError, match=r"has no camera.*camera\.enabled"):
        motion.head_camera(robot, caller, Enable(enable=True))
    assert motion.head_camera(robot, caller, Enable(enable=False)) == {"camera_active": False}


async def test_missing_daemon_is_an_error_reply(rig: Rig) -> None:
    await rig.robot.stop("rcd")
    error = await (await rig.chat()).fail("rc", "get_status")
    assert error["code"] == "daemon_unreachable" and "rcd" in error["message"]


async def test_slow_request_delays_no_command(rig: Rig) -> None:
    rig.robot.adopt_takes_s = 2.0
    received = listening(rig)
    chat = await rig.chat()
    adopt = {"node_id": "sim_spare", "role": "console"}
    await chat.socket.send_json({"type": "management", "action": "adopt_node", "params": adopt})
    async with asyncio.timeout(1.0):
        await chat.do("tracks", "stop")
    assert len(received) == 1


async def test_more_requests_than_allowed_are_refused_but_never_the_stop(rig: Rig) -> None:
    rig.robot.adopt_takes_s = 1.0
    chat = await rig.chat()
    adopt = {"node_id": "sim_spare", "role": "head"}
    for _ in range(17):
        await chat.socket.send_json({"type": "management", "action": "adopt_node", "params": adopt})
    first = await chat.reply()
    assert first["error"]["code"] == "refused"
    async with asyncio.timeout(0.9):
        assert (await chat.do("system", "estop"))["estop"]["active"] is True
