"""A server and its nodes exchange keys; afterwards a node accepts orders of that server only."""

import dataclasses
import json
import stat
from typing import Any

import pytest
import yaml

from saint_services.lib.api.adoption import (
    IGNORE_NODE,
    REPLACE_NODE,
    RESET_NODE,
    AdoptReply,
    IgnoreNode,
    NodeInfo,
    NodeList,
    NodeState,
    ReplaceNode,
    ResetNode,
)
from saint_services.lib.api.node import RESET, NodeReset
from saint_services.lib.api.orders import UPDATE, UpdateNode
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated import saint_msgs as msgs
from saint_services.lib.generated import topics
from saint_services.lib.ipc import Client
from saint_services.lib.state import last_good
from tests.unit.trust.trust_rig import Robot, adopt, eventually, info, report, seen
from tests.waiting import until

pytestmark = pytest.mark.slow


async def replace(server: Client, old: str, new: str) -> AdoptReply:
    return await server.request(REPLACE_NODE, ReplaceNode(node_id=old, by=new))


async def ignore(server: Client, node_id: str, is_ignored: bool) -> NodeInfo:
    return await server.request(IGNORE_NODE, IgnoreNode(node_id=node_id, is_ignored=is_ignored))


async def test_adoption_shows_one_code_on_both_sides_and_keeps_it(robot: Robot):
    await robot.role("pi_1", "role-headd")
    async with robot.server() as server, robot.node() as node:
        await seen(server, "pi_1")
        reply = await adopt(server, "pi_1")
        ours, theirs = await info(server, "pi_1"), await report(node)
        assert len(reply.code) == 7
        assert reply.code == ours.code == theirs.code
        assert (ours.is_ours, theirs.server) == (True, "SAINT-01")
    async with robot.server() as server, robot.node() as node:
        await seen(server, "pi_1", NodeState.ACTIVE)
        assert (await info(server, "pi_1")).code == reply.code == (await report(node)).code


async def test_keys_are_secret_files(robot: Robot):
    await robot.role("pi_1", "role-headd")
    async with robot.server() as server, robot.node():
        await seen(server, "pi_1")
        await adopt(server, "pi_1")
        shown = json.dumps((await info(server, "pi_1")).model_dump(mode="json"))
    for path in (
        robot.directories("server").state / "server.key",
        robot.directories("pi_1").state / "node.key",
    ):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert path.read_text().strip() not in shown


async def test_unsigned_orders_are_refused_once_the_node_belongs_to_a_server(robot: Robot):
    await robot.role("pi_1", "role-headd")
    async with robot.server() as server, robot.node() as node:
        await seen(server, "pi_1")
        await adopt(server, "pi_1")
        call = robot.watcher.call
        said = [
            await call(
                topics.NODE_RESET.at(node_id="pi_1"), msgs.ResetNode_Request(node_id="pi_1"), 2.0
            ),
            await call(
                topics.NODE_ADOPT.at(node_id="pi_1"),
                msgs.AdoptNode_Request(node_id="pi_1", role="head"),
                2.0,
            ),
            await call(
                topics.NODE_UPDATE.at(node_id="pi_1"),
                msgs.UpdateNode_Request(node_id="pi_1", action="rollback"),
                2.0,
            ),
        ]
        for answer in said:
            assert not answer.success
            assert "belongs to SAINT-01" in answer.message
            assert "hold its button for 5 s" in answer.message
        assert (await report(node)).state is NodeState.ACTIVE


async def test_replayed_order_is_refused(robot: Robot):
    await robot.role("pi_1", "role-headd")
    sent: list[Any] = []
    async with robot.server() as server, robot.node() as node:
        await seen(server, "pi_1")
        await adopt(server, "pi_1")

        def overhear(request: Any) -> Any:
            sent.append(request)
            return request

        robot.tap = overhear
        await server.request(RESET_NODE, ResetNode(node_id="pi_1"))
        await adopt(server, "pi_1")
        [reset] = [order for order in sent if getattr(order, "kind", "") == "reset"]
        again = await robot.watcher.call(topics.NODE_ORDER.at(node_id="pi_1"), reset, 2.0)
        assert not again.success
        assert "used before" in again.message
        assert (await report(node)).state is NodeState.ACTIVE


async def test_order_that_was_changed_on_its_way_is_refused(robot: Robot):
    await robot.role("pi_1", "role-headd")
    async with robot.server() as server, robot.node() as node:
        await seen(server, "pi_1")
        await adopt(server, "pi_1")

        def change(request: Any) -> Any:
            if getattr(request, "kind", "") != "reset":
                return request
            return dataclasses.replace(request, body='{"factory_reset":true}')

        robot.tap = change
        with pytest.raises(SaintError) as caught:
            await server.request(RESET_NODE, ResetNode(node_id="pi_1"))
        assert caught.value.code is Code.REFUSED
        assert (await report(node)).state is NodeState.ACTIVE


async def test_node_of_another_server_is_shown_and_not_taken(robot: Robot):
    await robot.role("pi_1", "role-headd")
    async with robot.node():
        async with robot.server() as server:
            await seen(server, "pi_1")
            await adopt(server, "pi_1")
        async with robot.server("other") as other:
            found = await seen(other, "pi_1", NodeState.ACTIVE)
            found = await eventually(lambda: info(other, "pi_1"), lambda n: bool(n.server))
            assert not found.is_ours
            assert "SAINT-01" in found.not_offered
            for attempt in (
                adopt(other, "pi_1"),
                other.request(RESET_NODE, ResetNode(node_id="pi_1")),
            ):
                with pytest.raises(SaintError) as caught:
                    await attempt
                assert caught.value.code is Code.CONFLICT
                assert "belongs to SAINT-01" in caught.value.message


async def test_configuration_of_another_server_is_not_taken(robot: Robot):
    await robot.role("pi_1", "role-headd")
    async with robot.node() as node:
        async with robot.server() as server:
            await seen(server, "pi_1")
            await adopt(server, "pi_1")
        before = (robot.directories("pi_1").state / "role_config.yaml").read_text()
        async with robot.server("other", robot.newer_manifests()):
            found = await eventually(lambda: report(node), lambda r: bool(r.reason))
            assert "not the server that this node belongs to" in found.reason
            assert found.state is NodeState.ACTIVE
        assert (robot.directories("pi_1").state / "role_config.yaml").read_text() == before


async def test_newer_configuration_of_its_server_is_taken(robot: Robot):
    role = await robot.role("pi_1", "role-headd")
    async with robot.node():
        async with robot.server() as server:
            await seen(server, "pi_1")
            await adopt(server, "pi_1")
        async with robot.server("server", robot.newer_manifests()):
            await until(lambda: len(role.assignments) > 1)
            assert role.assignments[-1].config.version == "9.9.9"


async def test_node_adopted_before_there_were_keys_gets_them_at_the_next_contact(robot: Robot):
    await robot.role("pi_1", "role-headd")
    robot.adopt_without_keys("pi_1", "SAINT-01")
    async with robot.node() as node, robot.server() as server:
        found = await eventually(lambda: info(server, "pi_1"), lambda n: n.is_ours)
        assert found.state is NodeState.ACTIVE
        assert found.code == (await report(node)).code != ""
    assert yaml.safe_load((robot.directories("pi_1").state / "trust.yaml").read_text())["code"]


async def test_node_that_another_robot_adopted_before_there_were_keys_is_left_alone(robot: Robot):
    await robot.role("pi_1", "role-headd")
    robot.adopt_without_keys("pi_1", "OTHER-07")
    async with robot.node() as node, robot.server() as server:
        await seen(server, "pi_1", NodeState.ACTIVE)
        with pytest.raises(SaintError) as caught:
            await adopt(server, "pi_1")
        assert "was adopted by OTHER-07, not by SAINT-01" in caught.value.message
        assert (await report(node)).server == ""


async def test_soft_reset_keeps_the_server_and_factory_reset_forgets_it(robot: Robot):
    await robot.role("pi_1", "role-headd")
    async with robot.server() as server, robot.node() as node:
        await seen(server, "pi_1")
        await adopt(server, "pi_1")
        await server.request(RESET_NODE, ResetNode(node_id="pi_1"))
        assert ((await report(node)).server, (await report(node)).state) == (
            "SAINT-01",
            NodeState.UNADOPTED,
        )
        await adopt(server, "pi_1")
        await server.request(RESET_NODE, ResetNode(node_id="pi_1", factory_reset=True))
        assert (await report(node)).server == ""
        assert not (robot.directories("pi_1").state / "trust.yaml").exists()
        assert (await info(server, "pi_1")).code == ""


async def test_factory_reset_on_the_node_frees_it_for_another_server(robot: Robot):
    await robot.role("pi_1", "role-headd")
    async with robot.node() as node:
        async with robot.server() as server:
            await seen(server, "pi_1")
            await adopt(server, "pi_1")
        await node.request(RESET, NodeReset(factory_reset=True))
        async with robot.server() as server:
            found = await eventually(lambda: info(server, "pi_1"), lambda n: n.code == "")
            assert (found.is_ours, found.server) == (False, "")
        async with robot.server("other") as other:
            await seen(other, "pi_1")
            await adopt(other, "pi_1")
            assert (await info(other, "pi_1")).is_ours


async def test_failed_first_adoption_leaves_the_node_free(robot: Robot):
    async with robot.server() as server, robot.node() as node:  # without a role process
        await seen(server, "pi_1")
        with pytest.raises(SaintError):
            await adopt(server, "pi_1")
        assert (await report(node)).server == ""
        await eventually(lambda: info(server, "pi_1"), lambda n: (n.code, n.server) == ("", ""))


async def test_answer_of_an_impostor_is_refused(robot: Robot):
    await robot.role("pi_1", "role-headd")
    async with robot.server() as server:
        async with robot.node():
            await seen(server, "pi_1")
            await adopt(server, "pi_1")
        for name in ("node.key", "trust.yaml"):  # another computer does not have them
            path = robot.directories("pi_1").state / name
            path.unlink()
            last_good(path).unlink()
        async with robot.node("pi_1"):
            found = await eventually(
                lambda: info(server, "pi_1"), lambda n: "key is not the known one" in n.reason
            )
            assert not found.is_ours


async def test_replace_moves_role_and_name_and_resets_the_old_one_when_it_returns(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("saint_services.adoptiond.registry.OFFLINE_AFTER_S", 1.5)
    for machine in ("pi_1", "pi_2"):
        await robot.role(machine, "role-headd")
    async with robot.server() as server:
        async with robot.node("pi_1"):
            await seen(server, "pi_1")
            await adopt(server, "pi_1", name="Head Unit")
            with pytest.raises(SaintError) as caught:
                await replace(server, "pi_1", "pi_2")
            assert "is online" in caught.value.message
        async with robot.node("pi_2") as new:
            await seen(server, "pi_2")
            await seen(server, "pi_1", NodeState.OFFLINE)
            await replace(server, "pi_1", "pi_2")
            now = await info(server, "pi_2")
            assert (now.role, now.display_name) == ("head", "Head Unit")
            assert (await info(server, "pi_1")).replaced_by == "pi_2"
            async with robot.node("pi_1") as old:
                await eventually(lambda: report(old), lambda r: r.state is NodeState.UNADOPTED)
            assert (await report(new)).state is NodeState.ACTIVE


async def test_ignored_node_is_not_offered_until_it_is_wanted_again(robot: Robot):
    await robot.role("pi_1", "role-headd")
    async with robot.server() as server, robot.node():
        await seen(server, "pi_1")
        await ignore(server, "pi_1", True)
        found = await info(server, "pi_1")
        assert (found.is_offered, found.is_ignored) == (False, True)
        assert "saintctl node unignore pi_1" in found.not_offered
        with pytest.raises(SaintError) as caught:
            await adopt(server, "pi_1")
        assert "is ignored" in caught.value.message
    async with robot.server() as server, robot.node():
        await seen(server, "pi_1")
        assert (await info(server, "pi_1")).is_ignored
        await ignore(server, "pi_1", False)
        await adopt(server, "pi_1")


async def test_device_with_an_impossible_name_is_listed_with_the_reason(robot: Robot):
    async with robot.server() as server:
        publisher = robot.watcher.publisher(topics.NODES_UNADOPTED)
        publisher.publish(msgs.NodeAnnouncement(node_id="pi-1"))
        found = await eventually(
            lambda: server.get("/nodes", NodeList), lambda reply: bool(reply.strangers)
        )
        assert found.strangers[0].name == "pi-1"
        assert "cannot be part of a topic name" in found.strangers[0].reason


async def test_update_is_ordered_by_its_server(robot: Robot):
    await robot.role("pi_1", "role-headd")
    order = UpdateNode(node_id="pi_1", action="rollback")
    async with robot.server() as server, robot.node():
        await seen(server, "pi_1")
        with pytest.raises(SaintError) as caught:
            await server.request(UPDATE, order)
        assert caught.value.code is Code.NOT_FOUND  # the node accepts no signed orders yet
        await adopt(server, "pi_1")
        with pytest.raises(SaintError) as caught:
            await server.request(UPDATE, order)
        # The order arrived and was genuine; this computer has no second slot.
        assert caught.value.code is Code.REFUSED
        assert "belongs to" not in caught.value.message
        assert "signature" not in caught.value.message
