"""What conversations with remote sides decide."""

import json
from typing import Any

import pytest

from saint_services.lib.clock import monotonic_s
from saint_services.webd.remote import master
from tests.unit.lib.remote.arena_examples import COMMAND, STATUS
from tests.unit.webd.remote.conversation_rig import ConversationRig
from tests.waiting import let_pass


def command(value: float, **more: Any) -> str:
    joints = [{"name": "Elbow", "value": value}]
    return json.dumps({"type": "command", **more, "data": {"joints": joints}})


async def test_a_command_is_sent_under_the_lock_and_acknowledged(rig: ConversationRig) -> None:
    conversation, peer = rig.conversation("a")
    conversation.receive(COMMAND)
    await rig.settled()
    assert rig.sent == [("websocket:remote:a", {"shoulder_pan": 45.0, "elbow_flex": -30.0})]
    [(action, lock)] = rig.requests
    assert (action, lock.target, lock.holder, lock.takeover) == (
        "take_control", "parts.follower", "websocket:remote:a", False,
    )  # fmt: skip
    assert len(peer.of("command_ack")) == 1
    assert conversation.info().state == "driving"


async def test_without_the_lock_nothing_is_sent(rig: ConversationRig) -> None:
    rig.conflict = "parts.follower is locked by leader:hand for 0.3 s more"
    conversation, peer = rig.conversation("a")
    conversation.receive(command(1.0, id=7))
    await rig.settled()
    conversation.receive(command(2.0, id=8))
    assert rig.sent == []
    errors = peer.of("error")
    assert [each["id"] for each in errors] == [7, 8]
    assert all("leader:hand" in each["message"] for each in errors)


async def test_a_command_whose_lock_comes_too_late_is_dropped_and_reported(
    rig: ConversationRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(master, "PENDING_S", -1.0)
    conversation, peer = rig.conversation("a")
    conversation.receive(command(1.0, id=7))
    await rig.settled()
    assert rig.sent == []
    assert [(each["id"], each["code"]) for each in peer.of("error")] == [(7, "late")]
    conversation.receive(command(2.0))
    assert [values for _, values in rig.sent] == [{"elbow_flex": 2.0}]


async def test_an_old_command_is_refused(rig: ConversationRig) -> None:
    conversation, peer = rig.conversation("a")
    for sequence, value in ((5, 1.0), (4, 99.0), (5, 99.0), (6, 2.0)):
        conversation.receive(command(value, sequence=sequence))
        await rig.settled()
    assert [values["elbow_flex"] for _, values in rig.sent] == [1.0, 2.0]
    assert [each["code"] for each in peer.of("error")] == ["old", "old"]


async def test_a_follower_gets_what_the_router_commands_alone(rig: ConversationRig) -> None:
    conversation, peer = rig.conversation("b", leads=True)
    rig.command(is_router=False, elbow_flex=99.0)
    rig.command(elbow_flex=20.0, gripper=0.5)
    await rig.settled()
    [sent] = peer.of("command")
    assert sent["data"]["joints"] == [
        {"name": "elbow_flex", "value": 20.0}, {"name": "gripper", "value": 50.0},
    ]  # fmt: skip
    conversation.receive(json.dumps({"type": "command_ack", "id": sent["id"]}))
    conversation.receive(STATUS)
    found = conversation.info()
    assert (found.state, found.kind) == ("following", "slave")
    assert found.joints == {"shoulder_pan": 44.8, "elbow_flex": -29.9}


async def test_a_follower_that_does_not_read_gets_no_queue(rig: ConversationRig) -> None:
    conversation, peer = rig.conversation("b", leads=True)
    peer.unsent = 20_000
    rig.command(elbow_flex=20.0)
    await rig.settled()
    assert peer.of("command") == []
    assert conversation.info().left_out == 1


async def test_a_program_that_commands_on_the_path_of_masters_gets_no_commands(
    rig: ConversationRig,
) -> None:
    conversation, peer = rig.conversation("b", leads=True)
    conversation.receive(command(3.0))
    await rig.settled()
    rig.command(elbow_flex=20.0)
    await rig.settled()
    assert peer.of("command") == []
    assert [source for source, _ in rig.sent] == ["websocket:remote:b"]


async def test_a_slave_link_moves_nothing_before_it_is_engaged_and_after_a_stop(
    rig: ConversationRig,
) -> None:
    link, peer = rig.conversation("bench", leads=True, is_link=True)
    rig.command(elbow_flex=1.0)
    await rig.settled()
    assert (peer.of("command"), link.info().state) == ([], "disengaged")
    link.engage()
    rig.command(elbow_flex=2.0)
    await rig.settled()
    assert len(peer.of("command")) == 1
    rig.stop("rc", "switch")
    rig.clear()
    await let_pass(0.12)
    rig.command(elbow_flex=3.0)
    await rig.settled()
    assert (len(peer.of("command")), link.info().state) == (1, "disengaged")


async def test_a_master_link_moves_nothing_before_it_is_engaged(rig: ConversationRig) -> None:
    link, peer = rig.conversation("boss", is_link=True)
    link.receive(command(1.0))
    assert peer.of("error")[0]["code"] == "disengaged"
    link.engage()
    link.receive(command(2.0))
    await rig.settled()
    assert rig.sent == [("websocket:remote:boss", {"elbow_flex": 2.0})]
    link.beat(monotonic_s())
    assert {each["name"] for each in peer.of("slave_status")[0]["data"]["joints"]} >= {"Elbow"}


async def test_a_slave_link_obeys_nothing(rig: ConversationRig) -> None:
    link, peer = rig.conversation("bench", leads=True, is_link=True)
    link.engage()
    link.receive(command(2.0))
    await rig.settled()
    assert rig.sent == []
    assert peer.of("error")[0]["code"] == "direction"


@pytest.mark.parametrize(
    "text",
    ['{"type": "estop"}', '{"type": "estop", "enable": false, "reason": "go on"}',
     '{"type": "estop", "id": {}}', '{"type": "e-stop"', "estop"],
)  # fmt: skip
async def test_whatever_names_the_stop_stops(rig: ConversationRig, text: str) -> None:
    conversation, peer = rig.conversation("a")
    conversation.receive(text)
    await rig.settled()
    assert rig.presses() == ["websocket:remote:a"]
    conversation.receive(command(1.0))
    assert peer.of("error")[-1]["code"] == "estop_active"
    assert rig.sent == []


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"type": "clear_estop"}', '{"type": "release"}', '{"type": "clear", "id": 1}',
     '{"type": "sequence", "data": {"commands": [{"joints": [{"name": "a", "value": 1}]}]}}'],
)  # fmt: skip
async def test_no_message_clears_a_stop_or_moves_anything_else(
    rig: ConversationRig, text: str
) -> None:
    rig.stop("rc", "switch")
    generation = rig.estop.generation
    conversation, peer = rig.conversation("a")
    conversation.receive(text)
    await rig.settled()
    assert rig.estop.active
    assert all(action != "clear_estop" for action, _ in rig.requests)
    assert rig.estop.generation >= generation
    assert peer.of("error")
    assert conversation.info().refused == 1


async def test_a_stop_goes_to_everybody_but_its_sender_and_returns_to_nobody(
    rig: ConversationRig,
) -> None:
    sides = [rig.conversation(name, leads=True) for name in ("a", "b", "c")]
    sides[0][0].receive('{"type": "estop", "id": "far:7", "reason": "hand"}')
    await rig.settled()
    assert [[each["id"] for each in peer.of("estop")] for _, peer in sides] == [
        [], ["far:7"], ["far:7"],
    ]  # fmt: skip
    for conversation, _ in sides:  # it comes back over other robots
        conversation.receive('{"type": "estop", "id": "far:7"}')
    await rig.settled()
    assert rig.presses() == ["websocket:remote:a"]


async def test_a_stop_of_this_robot_is_sent_and_its_echo_is_known(rig: ConversationRig) -> None:
    conversation, peer = rig.conversation("a", leads=True)
    rig.stop("rc", "switch")
    [sent] = peer.of("estop")
    assert sent["reason"] == "switch"
    conversation.receive(json.dumps(sent))
    await rig.settled()
    assert rig.presses() == []
    rig.clear()
    conversation.receive(json.dumps({**sent, "id": "another"}))  # a newer one always counts
    await rig.settled()
    assert rig.presses() == ["websocket:remote:a"]


async def test_a_silent_peer_with_heartbeats_loses_its_goals_then_its_lock(
    rig: ConversationRig,
) -> None:
    conversation, _ = rig.conversation("a")
    now_s = monotonic_s()
    conversation.receive('{"type": "heartbeat"}')
    conversation.receive(command(50.0))
    await rig.settled()
    rig.goals.add(conversation.source, conversation.role, {"elbow_flex": 50.0}, now_s)
    conversation.beat(now_s + 0.25)
    assert rig.goals
    conversation.beat(now_s + 10.0)
    assert not rig.goals
    await rig.settled()
    assert [action for action, _ in rig.requests] == ["take_control", "release_control"]


async def test_a_closed_conversation_leaves_nothing(rig: ConversationRig) -> None:
    conversation, _ = rig.conversation("a")
    conversation.receive(command(50.0))
    await rig.settled()
    rig.goals.add(conversation.source, conversation.role, {"elbow_flex": 50.0}, monotonic_s())
    conversation.close()
    await rig.settled()
    assert not rig.goals
    assert rig.requests[-1][0] == "release_control"
    assert (rig.shared.open, rig.shared.names) == ({}, set())
