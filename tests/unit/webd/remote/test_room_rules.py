"""RobotHub's rooms: who joins, what is passed on, and a stop that stays."""

import json
from typing import Any

import pytest

from tests.unit.webd.remote.conversation_rig import Channel, ConversationRig


def update(*joints: tuple[str, float], **more: Any) -> str:
    data = [{"name": name, "value": value, **more} for name, value in joints]
    return json.dumps({"type": "joint_update", "data": data})


def types(channel: Channel) -> list[str]:
    return [each["type"] for each in channel.sent]


async def test_a_consumer_gets_the_state_before_joined_then_what_changes(
    rig: ConversationRig,
) -> None:
    producer, own = rig.participant("bench", "producer", "p")
    assert types(own) == ["joined"]
    producer.receive(update(("a", 1.0), ("b", 2.0)))
    _, channel = rig.participant("bench", "consumer", "c")
    assert types(channel) == ["state_sync", "joined"]
    assert channel.sent[0]["data"] == {"a": 1.0, "b": 2.0}
    assert channel.sent[1]["role"] == "consumer"
    producer.receive(update(("a", 1.0), ("b", 3.0)))
    producer.receive(update(("a", 1.0), ("b", 3.0)))
    assert [each["data"] for each in channel.of("joint_update")] == [[{"name": "b", "value": 3.0}]]
    producer.receive('{"type": "heartbeat"}')
    assert types(own)[-1] == "heartbeat_ack"


async def test_a_second_producer_is_refused_until_the_first_has_left(rig: ConversationRig) -> None:
    first, _ = rig.participant("bench", "producer", "p")
    second, channel = rig.participant("bench", "producer", "q")
    assert types(channel) == ["error"]
    assert "p is its producer" in channel.sent[0]["message"]
    assert channel.ended
    second.receive(update(("a", 9.0)))
    assert rig.rooms.opened("lab", "bench").room.joints == {}
    second.close()
    first.close()
    _, channel = rig.participant("bench", "producer", "q")
    assert types(channel) == ["joined"]


@pytest.mark.parametrize(
    "first",
    ['{"participant_id": "", "role": "consumer"}', '{"participant_id": "x", "role": "boss"}',
     json.dumps({"participant_id": "x" * 101, "role": "consumer"}), "{", "[]"],
)  # fmt: skip
async def test_a_join_that_is_none_is_refused_and_closed(rig: ConversationRig, first: str) -> None:
    session, channel = rig.participant("bench", "producer", "p")
    session.close()
    late, channel = rig.participant("bench", "consumer", "c")
    late.close()
    late.receive(first)
    assert types(channel)[-1] == "error"
    assert channel.ended


@pytest.mark.parametrize(
    "text",
    [update(("a", 361)), update(("a", -361)), update(("x" * 51, 1)), update(("", 1)), update(),
     update(*((f"j{n}", 1.0) for n in range(21))), update(("a", 1), speed=101),
     '{"type": "made_up"}', "{"],
)  # fmt: skip
async def test_values_beyond_their_limits_are_refused(rig: ConversationRig, text: str) -> None:
    producer, channel = rig.participant("bench", "producer", "p")
    producer.receive(text)
    assert types(channel) == ["joined", "error"]
    assert rig.rooms.opened("lab", "bench").room.joints == {}


async def test_a_room_of_a_target_commands_it_through_the_router(rig: ConversationRig) -> None:
    producer, _ = rig.participant("follower", "producer", "p")
    producer.receive(update(("Rotation", 50.0), ("Jaw", 25.0)))
    await rig.settled()
    assert rig.sent == [("websocket:remote:p", {"shoulder_pan": 55.0, "gripper": 0.25})]
    assert rig.requests[0][0] == "take_control"
    _, channel = rig.participant("follower", "consumer", "c")
    rig.command(shoulder_pan=-110.0, gripper=0.5)
    await rig.settled()
    assert channel.of("joint_update")[0]["data"] == [
        {"name": "shoulder_pan", "value": -100.0}, {"name": "gripper", "value": 50.0},
    ]  # fmt: skip


async def test_a_consumer_commands_nothing(rig: ConversationRig) -> None:
    consumer, channel = rig.participant("follower", "consumer", "c")
    consumer.receive(update(("Rotation", 1.0)))
    await rig.settled()
    assert channel.sent[-1]["message"] == "a consumer commands nothing"
    assert rig.sent == []


@pytest.mark.parametrize("text", ['{"type": "emergency_stop", "reason": "hand"}',
                                  '{"type": "emergency_stop", "reason": 7}'])  # fmt: skip
async def test_emergency_stop_of_any_participant_stays(rig: ConversationRig, text: str) -> None:
    producer, own = rig.participant("follower", "producer", "p")
    consumer, _ = rig.participant("bench", "consumer", "c")
    consumer.receive(text)
    await rig.settled()
    assert rig.presses() == ["websocket:remote:c"]
    assert own.of("emergency_stop")
    producer.receive(update(("Rotation", 1.0)))
    assert "the robot is stopped" in own.sent[-1]["message"]
    assert rig.sent == []


async def test_a_producer_that_leaves_releases_the_lock(rig: ConversationRig) -> None:
    producer, _ = rig.participant("follower", "producer", "p")
    producer.receive(update(("Rotation", 1.0)))
    await rig.settled()
    producer.close()
    await rig.settled()
    assert rig.requests[-1][0] == "release_control"
    assert rig.rooms.masters == {}
