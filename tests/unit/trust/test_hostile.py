"""Orders from an attacker who knows the protocol: each is answered with a sentence, and
nothing changes."""

import itertools

import pytest

from saint_services.lib.api.adoption import NodeState
from saint_services.lib.api.orders import ChallengeReply, OrderKind, answer_parts, order_parts
from saint_services.lib.crypto.signing import PrivateKey, is_signed
from saint_services.lib.generated import saint_msgs as msgs
from saint_services.lib.generated import topics
from tests.unit.trust.trust_rig import Robot, adopt, report, seen

EVIL = PrivateKey(b"e" * 32)
BODIES = (
    "",
    "null",
    "[]",
    "{",
    '{"nonce": 1}',
    '{"role": "head"}',
    '{"role": "' + "x" * 5000 + '"}',
    '{"factory_reset": true}',
    '{"factory_reset": true, "more": 1}',
    '{"server": "EVIL", "commitment": "' + "0" * 64 + '"}',
    '{"nonce": "' + "0" * 32 + '"}',
    "\x01\ud7ff" * 20,
    "[" * 4000,
)


async def order(
    robot: Robot, kind: str, body: str, key: PrivateKey = EVIL, node_id: str = "pi_1"
) -> msgs.SignedOrder_Response:
    """A correctly signed order over a challenge that the node really issued."""
    service = topics.NODE_ORDER.at(node_id="pi_1")
    query = msgs.SignedOrder_Request(node_id="pi_1", kind="challenge", server_key=key.public)
    given = await robot.watcher.call(service, query, 2.0)
    challenge = ChallengeReply.model_validate_json(given.body).challenge
    made = msgs.SignedOrder_Request(node_id, kind, body, challenge, key.public)
    made.signature = key.sign(*order_parts(made))
    robot.last_order = made
    return await robot.watcher.call(service, made, 5.0)


@pytest.mark.parametrize("is_adopted", [False, True])
async def test_orders_that_make_no_sense_change_nothing(robot: Robot, is_adopted: bool):
    await robot.role("pi_1", "role-headd")
    async with robot.server() as server, robot.node() as node:
        await seen(server, "pi_1")
        if is_adopted:
            await adopt(server, "pi_1")
        before = await report(node)
        kinds = [*(k.value for k in OrderKind if k is not OrderKind.CHALLENGE), "", "x" * 300]
        for kind, body in itertools.product(kinds, BODIES):
            answer = await order(robot, kind, body)
            if answer.success:  # an introduction is allowed while the node has no server
                assert (kind, is_adopted) == ("meet", False)
                continue
            assert answer.message
            assert len(answer.message) < 300
        after = await report(node)
        assert (after.state, after.server, after.code) == (
            before.state,
            before.server,
            before.code,
        )


async def test_server_that_changes_its_number_after_it_saw_the_nodes_is_refused(robot: Robot):
    async with robot.node() as node:
        meet = '{"server": "EVIL", "commitment": "' + "0" * 64 + '"}'
        assert (await order(robot, "meet", meet)).success
        bind = await order(robot, "bind", '{"nonce": "' + "1" * 32 + '"}')
        assert (bind.success, "committed itself" in bind.message) == (False, True)
        assert (await report(node)).server == ""


async def test_server_cannot_bind_what_another_one_met(robot: Robot):
    async with robot.node() as node:
        meet = '{"server": "EVIL", "commitment": "' + "0" * 64 + '"}'
        assert (await order(robot, "meet", meet)).success
        other = PrivateKey(b"o" * 32)
        bind = await order(robot, "bind", '{"nonce": "' + "1" * 32 + '"}', other)
        assert "did not introduce itself" in bind.message
        assert (await report(node)).state is NodeState.UNADOPTED


async def test_order_for_another_node_is_refused_and_the_refusal_is_signed(robot: Robot):
    async with robot.node():
        answer = await order(robot, "meet", "{}", node_id="pi_2")
        assert answer.message == "this is pi_1, not pi_2"
        assert robot.last_order
        parts = answer_parts(robot.last_order, answer)
        assert is_signed(answer.node_key, answer.signature, *parts)
        answer.message = "done"
        parts = answer_parts(robot.last_order, answer)
        assert not is_signed(answer.node_key, answer.signature, *parts)
