"""The specification's table "Available Commands", row by row and as it is written there: every one
is known, in both shapes, with its parameters; none is accepted and left without effect.
"""

import json
from typing import Any

import pytest

from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import HeadState
from saint_services.webd import logic
from saint_services.webd.actions.table import MODELS
from tests.unit.webd.actions.test_every_action import listening, reported
from tests.unit.webd.web_rig import Rig

NODE = {"node_id": "saint-node-a1b2c3".replace("-", "_")}
ROUTE = {
    "id": "my_custom_route", "enabled": True, "priority": 150,
    "input": {"source": "livelink", "subject": "MyCharacter", "type": "animation"},
    "output": {"target": "head"}, "mapping": [{"from": "Head", "to": "pan", "scale": 1.0}],
}  # fmt: skip
TABLE: list[tuple[str, str, dict[str, Any]]] = [
    ("head", "move", {"pan": 45.0, "tilt": -15.0, "roll": 1.0, "speed": 0.5}),
    ("head", "home", {}),
    ("head", "camera", {"enable": True}),
    ("head", "camera", {"enable": False}),
    ("arms", "move", {"arm": "left", "positions": [0.0, 10.0], "speed": 0.5}),
    ("arms", "home", {"arm": "left"}),
    ("arms", "home", {"arm": "right"}),
    ("arms", "home", {"arm": "both"}),
    ("arms", "gripper", {"arm": "right", "position": 0.5, "force": 10.0}),
    ("tracks", "drive", {"linear": 0.5, "angular": 0.1}),
    ("tracks", "stop", {}),
    ("tracks", "estop", {"enable": True}),
    ("tracks", "estop", {"enable": False}),
    ("system", "status", {}),
    ("system", "shutdown", {}),
    ("system", "reboot", {}),
    ("system", "reboot", {"node": "pi_1"}),
    ("management", "list_unadopted", {}),
    ("management", "list_adopted", {}),
    ("management", "get_gpio_status", NODE),
    ("management", "adopt_node", {**NODE, "role": "head"}),
    ("management", "adopt_node", {**NODE, "role": "arms", "instance": "left"}),
    ("management", "adopt_node", {**NODE, "role": "head", "display_name": "Head Unit"}),
    ("management", "reset_node", {**NODE, "factory_reset": False}),
    ("management", "get_node_info", NODE),
    ("management", "set_node_name", {**NODE, "display_name": "Head"}),
    ("management", "firmware_status", {}),
    ("management", "trigger_update", {}),
    ("management", "trigger_update", NODE),
    ("management", "get_activity_log",
     {"limit": 100, "offset": 0, "level": "INFO", "source": None}),
    ("router", "list_routes", {}),
    ("router", "set_route", {"route": ROUTE}),
    ("router", "delete_route", {"route_id": "my_custom_route"}),
    ("router", "set_route_enabled", {"route_id": "facecap_to_head", "enabled": False}),
    ("router", "list_livelink_sources", {}),
    ("router", "get_livelink_subject", {"subject_name": "FaceCapture"}),
    ("router", "list_presets", {}),
    ("router", "load_preset", {"preset_name": "rc_manual"}),
    ("router", "save_preset", {"preset_name": "mine"}),
    ("router", "save_preset", {"preset_name": "mine", "routes": [ROUTE]}),
    ("router", "delete_preset", {"preset_name": "mine"}),
    ("rc", "get_status", {}),
    ("rc", "set_enabled", {"enabled": True}),
    ("rc", "get_channel_config", {}),
    ("rc", "get_channel_config", {"channel": 1}),
    ("rc", "set_channel_config", {"channel": 1, "name": "steering", "min": 1000, "max": 2000,
                                  "center": 1500, "reversed": False}),
    ("rc", "calibrate_channel", {"channel": 1, "position": "min"}),
    ("rc", "calibrate_channel", {"channel": 1, "position": "center"}),
    ("rc", "set_failsafe", {"action": "hold"}),
    ("rc", "set_failsafe", {"action": "neutral"}),
    ("rc", "set_failsafe", {"action": "estop"}),
    ("rc", "set_failsafe", {"action": "passthrough"}),
    ("rc", "get_protocol", {}),
    *(("rc", "set_protocol", {"protocol": p}) for p in ("pwm", "ppm", "sbus", "ibus", "crsf")),
]  # fmt: skip


@pytest.mark.parametrize(("target", "action", "params"), TABLE)
def test_row_is_known_in_both_shapes(target: str, action: str, params: dict[str, Any]) -> None:
    number = "550e8400-e29b-41d4-a716-446655440000"
    long = {"id": number, "type": "command", "target": target, "action": action, "params": params}
    call = logic.parse(json.dumps(long), MODELS)
    assert isinstance(call, logic.ClientCall)
    assert (call.id, call.group, call.action) == (number, target, action)
    short = {"id": number, "type": target, "action": action, "params": params}
    assert logic.parse(json.dumps(short), MODELS) == call


@pytest.mark.parametrize(("target", "action", "params"), TABLE)
def test_row_with_a_wrong_parameter_is_refused(
    target: str, action: str, params: dict[str, Any]
) -> None:
    if action == "estop":
        return  # it stops, however it is written: api/test_stopping.py
    wrong = {"type": target, "action": action, "params": {**params, "prams": 1}}
    with pytest.raises(logic.BadMessageError, match="prams"):
        logic.parse(json.dumps(wrong), MODELS)


async def test_authentication_and_its_answer(rig: Rig) -> None:
    chat = await rig.chat("/saint")
    await chat.socket.send_str('{"type": "auth", "token": "", "client_id": "controller_001"}')
    reply = await chat.reply()
    assert (reply["type"], reply["status"]) == ("response", "ok")
    assert reply["data"]["client_id"] == "controller_001"


async def test_response_has_the_specified_form(rig: Rig) -> None:
    chat = await rig.chat("/saint")
    text = {"id": "uuid-string", "type": "command", "target": "head", "action": "move",
            "params": {"pan": 45.0, "tilt": -15.0, "speed": 0.5}}  # fmt: skip
    reply = await chat.send_text(json.dumps(text))
    assert reply == {"id": "uuid-string", "type": "response", "status": "ok", "data": {}}


async def test_state_has_the_specified_form(rig: Rig) -> None:
    chat = await rig.chat("/saint")
    message = {"type": "subscribe", "topics": ["head", "arms", "tracks"], "rate_hz": 10}
    assert (await chat.request(message))["data"] == {"topics": ["head", "arms", "tracks"]}
    publisher = rig.domain.bus("head").publisher(topics.HEAD_STATE)
    publisher.publish(HeadState(44.8, -14.9, 0.0, True))
    state = await chat.state("head")
    data = {"pan": 44.8, "tilt": -14.9, "roll": 0.0, "camera_active": True}
    assert {**state, "timestamp": 0} == {
        "type": "state", "node": "head", "timestamp": 0, "data": data
    }  # fmt: skip
    reply = await chat.request({"type": "unsubscribe", "topics": ["arms"]})
    assert reply["data"] == {"topics": ["head", "tracks"]}


async def test_input_is_one_sample_and_is_not_answered_without_an_id(rig: Rig) -> None:
    received = listening(rig)
    chat = await rig.chat()
    await chat.request({"type": "auth", "client_id": "pad"})
    values = {"linear": 0.5, "angular": -1}
    await chat.socket.send_json({"type": "input", "target": "tracks", "values": values})
    await chat.socket.send_json({"type": "input", "values": {"axis_0": 0.25}})
    reply = await chat.request({"type": "input", "values": {"axis_0": 0.5}})  # the first reply
    assert reply["status"] == "ok"
    assert [reported(sample) for sample in received] == [
        ("tracks", {"linear": 0.5, "angular": -1.0}),
        ("", {"axis_0": 0.25}),
        ("", {"axis_0": 0.5}),
    ]
    assert {sample.source for sample in received} == {"websocket:pad"}


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ({"values": {}}, "values"),
        ({"values": {"a b": 1.0}}, "values"),
        ({"values": {"x": "fast"}}, "values.x"),
        ({"values": {"x": 1e9}}, "at most"),
        ({"values": {f"axis_{n}": 0.0 for n in range(129)}}, "values"),
        ({"target": "trakcs", "values": {"linear": 1.0}}, "did you mean 'tracks'?"),
        ({"target": "tracks", "value": {"linear": 1.0}}, "did you mean 'values'?"),
    ],
)
async def test_wrong_input_is_refused_and_sends_nothing(
    rig: Rig, message: dict[str, Any], sentence: str
) -> None:
    received = listening(rig)
    reply = await (await rig.chat()).request({"type": "input", **message})
    assert reply["status"] == "error" and sentence in reply["error"]["message"]
    assert received == []


async def test_own_samples_are_shown_among_the_inputs(rig: Rig) -> None:
    chat, desk = await rig.chat(), await rig.chat()
    await desk.request({"type": "auth", "client_id": "desk"})
    await chat.subscribe("inputs")
    await desk.do("tracks", "drive", linear=0.5)
    while not (shown := (await chat.state("inputs"))["data"]["websocket"]):
        pass
    assert shown[0]["subject"] == "desk"
    assert shown[0]["values"] == {"linear": 0.5, "angular": 0.0}


async def test_reading_that_was_held_back_moves_nothing(rig: Rig) -> None:
    received = listening(rig)
    chat = await rig.chat()
    message = {"type": "input", "target": "tracks", "values": {"linear": 0.5}}
    assert (await chat.request({**message, "time_ms": 5000}))["status"] == "ok"
    reply = await chat.request({**message, "time_ms": 1000})  # four seconds older, at the same time
    assert reply["error"]["code"] == "refused" and "too late" in reply["error"]["message"]
    assert len(received) == 1
    assert 'refused_total{reason="stale_input"} 1' in await rig.counters()
