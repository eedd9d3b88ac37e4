"""Another source takes the target of a remote master: it moves nothing more by itself."""

import json

from saint_services.lib.clock import monotonic_s
from tests.unit.webd.remote.conversation_rig import ConversationRig
from tests.unit.webd.remote.test_conversation import command

PERSON = "websocket:page"


async def test_a_master_whose_target_is_taken_is_refused_until_it_connects_again(
    rig: ConversationRig,
) -> None:
    conversation, peer = rig.conversation("a")
    conversation.receive(command(1.0, id=1))
    await rig.settled()
    rig.goals.add(conversation.source, conversation.role, {"elbow_flex": 50.0}, monotonic_s())
    rig.holder = PERSON
    conversation.beat(monotonic_s() + 1.0)
    await rig.settled()
    assert not rig.goals
    assert "websocket:page has parts.follower now" in peer.of("error")[-1]["message"]
    rig.holder = ""  # it stays so when the person has released the target
    conversation.receive(command(2.0, id=2))
    await rig.settled()
    assert [values for _, values in rig.sent] == [{"elbow_flex": 1.0}]
    assert (peer.of("error")[-1]["id"], peer.of("error")[-1]["code"]) == (2, "lock_lost")
    assert conversation.info().state == "waiting"
    assert PERSON in conversation.info().problem
    conversation.close()
    await rig.settled()
    again, _ = rig.conversation("a")
    again.receive(command(3.0))
    await rig.settled()
    assert rig.sent[-1] == ("websocket:remote:a", {"elbow_flex": 3.0})


async def test_a_master_link_whose_target_is_taken_waits_for_a_person(rig: ConversationRig) -> None:
    link, peer = rig.conversation("boss", is_link=True)
    link.engage()
    link.receive(command(1.0))
    await rig.settled()
    rig.holder = PERSON
    link.beat(monotonic_s() + 1.0)
    await rig.settled()
    link.receive(command(2.0))
    assert peer.of("error")[-1]["code"] == "lock_lost"
    link.engage(takes_over=True)
    await rig.settled()
    link.receive(command(3.0))
    await rig.settled()
    assert [values["elbow_flex"] for _, values in rig.sent] == [1.0, 3.0]
    assert rig.requests[-1][1].takeover


async def test_a_lock_that_has_only_ended_is_requested_again(rig: ConversationRig) -> None:
    conversation, peer = rig.conversation("a")
    conversation.receive(command(1.0))
    await rig.settled()
    rig.holder = ""
    conversation.beat(monotonic_s() + 1.0)
    await rig.settled()
    conversation.receive(command(2.0))
    await rig.settled()
    assert peer.of("error") == []
    actions = [action for action, _ in rig.requests]
    assert actions in (["take_control"], ["take_control"] * 2)


async def test_a_producer_whose_target_is_taken_gets_its_holders_name(rig: ConversationRig) -> None:
    producer, channel = rig.participant("follower", "producer", "p")
    update = {"type": "joint_update", "data": [{"name": "Rotation", "value": 50.0}]}
    producer.receive(json.dumps(update))
    await rig.settled()
    sent = len(rig.sent)
    rig.holder = PERSON
    rig.rooms.beat(monotonic_s() + 1.0)
    await rig.settled()
    producer.receive(json.dumps(update))
    await rig.settled()
    assert len(rig.sent) == sent
    assert PERSON in channel.of("error")[-1]["message"]
