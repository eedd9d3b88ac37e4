"""adoptiond as a daemon: nodes received, adopted, reset, renamed, lost and found again."""

import asyncio
import json
import os
import pwd
import time

import pytest

from saint_services.adoptiond.config import Config
from saint_services.lib.api.adoption import (
    ADOPT_NODE,
    RESET_NODE,
    SET_NODE_NAME,
    AdoptNode,
    AdoptReply,
    NameNode,
    NodeInfo,
    NodeList,
    NodeState,
    ResetNode,
    RoleList,
)
from saint_services.lib.api.orders import SIGN_OFFER, SignOffer, offer_parts
from saint_services.lib.crypto.signing import is_signed
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated import saint_msgs as msgs
from saint_services.lib.generated import topics
from saint_services.lib.ipc import Client
from tests.audit_log import collected
from tests.unit.adoptiond.adoption_rig import REPOSITORY, FakeNode, Robot
from tests.waiting import turns, until


async def known(client: Client, *nodes: FakeNode) -> None:
    """Wait until the registry knows the nodes."""
    for node in nodes:
        node.live()
    async with asyncio.timeout(2.0):
        while True:
            found = {n.node_id for n in (await client.get("/nodes", NodeList)).nodes}
            if found >= {node.node_id for node in nodes}:
                return


async def info(client: Client, node_id: str) -> NodeInfo:
    return await client.get(f"/nodes/{node_id}", NodeInfo)


async def adopt(client: Client, node_id: str, role: str, instance: str = "") -> AdoptReply:
    return await client.request(
        ADOPT_NODE, AdoptNode(node_id=node_id, role=role, instance=instance)
    )


async def test_roles_are_those_of_the_robot_manifest(robot: Robot):
    async with robot.registry() as client:
        found = await client.get("/roles", RoleList)
    assert found.robot == "SAINT-01"
    assert [(r.role, r.instance, r.topic_prefix) for r in found.roles] == [
        ("head", "", "/saint/head"),
        ("arms", "left", "/saint/arms/left"),
        ("arms", "right", "/saint/arms/right"),
        ("tracks", "", "/saint/tracks"),
        ("console", "", "/saint/console"),
    ]


async def test_node_that_announces_itself_is_listed(robot: Robot):
    async with robot.registry() as client:
        await known(client, robot.node("pi_1"))
        found = await info(client, "pi_1")
        assert (found.state, found.hardware_model) == (NodeState.UNADOPTED, "Raspberry Pi 4")
        assert found.first_seen.endswith("Z")
        with pytest.raises(SaintError) as caught:
            await info(client, "pi_2")
        assert caught.value.code is Code.NOT_FOUND


async def test_adoption_by_ipc_and_by_ros_lead_to_the_same(robot: Robot):
    left, right = robot.node("pi_1"), robot.node("pi_2")
    async with robot.registry() as client:
        await known(client, left, right)
        reply = await adopt(client, "pi_1", "arms", "left")
        assert (reply.topic_prefix, left.instance) == ("/saint/arms/left", "left")
        assert left.person == pwd.getpwuid(os.getuid()).pw_name  # saintctl's own user
        shipped = (REPOSITORY / "manifests/roles/arms_left.yaml").read_text()
        assert left.config_yaml.startswith(f"{shipped}\noutputs_mark: ")
        assert "\n\nbody: '{" in left.config_yaml  # with the robot's body
        request = msgs.AdoptNode_Request(node_id="pi_2", role="arms", instance="right")
        answer = await robot.watcher.call(topics.NODES_ADOPT, request, 8.0)
        assert (answer.success, answer.assigned_topic_prefix) == (True, "/saint/arms/right")
        assert right.person == "a ROS program"
        conflict = await robot.watcher.call(
            topics.NODES_ADOPT,
            msgs.AdoptNode_Request(node_id="pi_2", role="arms", instance="left"),
            8.0,
        )
        assert (conflict.success, conflict.message) == (
            False,
            "pi_2 already holds arms right",
        )
        roles = (await client.get("/roles", RoleList)).roles
        assert [r.node_id for r in roles] == ["", "pi_1", "pi_2", "", ""]


async def test_adoption_and_reset_by_ros_leave_one_entry_each(robot: Robot):
    async with collected(robot.directories.runtime) as entries, robot.registry() as client:
        await known(client, robot.node("pi_1"))
        wanted = msgs.AdoptNode_Request(node_id="pi_1", role="head")
        assert (await robot.watcher.call(topics.NODES_ADOPT, wanted, 8.0)).success
        wrong = msgs.AdoptNode_Request(node_id="pi_1", role="tail\n" * 100)
        assert not (await robot.watcher.call(topics.NODES_ADOPT, wrong, 8.0)).success
        reset = msgs.ResetNode_Request(node_id="pi_1")
        assert (await robot.watcher.call(topics.NODES_RESET, reset, 8.0)).success
        unknown = msgs.ResetNode_Request(node_id="pi_9")
        assert not (await robot.watcher.call(topics.NODES_RESET, unknown, 8.0)).success
        await until(lambda: len(entries) >= 4)
    assert [(e.what, bool(e.text), bool(e.refused)) for e in entries] == [
        ("management adopt_node", True, False),
        ("management adopt_node", False, True),
        ("management reset_node", True, False),
        ("management reset_node", False, True),
    ]
    assert {(e.who, e.level, e.source) for e in entries} == {("a ROS program", "", "ros")}
    assert "\n" not in entries[1].detail


async def test_adoption_that_the_node_refuses_says_why(robot: Robot):
    node = robot.node("pi_1")
    node.refusal = "0x40 does not answer"
    async with robot.registry() as client:
        await known(client, node)
        with pytest.raises(SaintError) as caught:
            await adopt(client, "pi_1", "head")
        assert caught.value.code is Code.REFUSED
        assert "0x40 does not answer" in caught.value.message
        node.refusal = ""
        await adopt(client, "pi_1", "head")  # nothing was left pending


async def test_adoption_of_a_node_that_does_not_answer_ends_in_time(robot: Robot):
    node = robot.node("pi_1")
    async with robot.registry(Config(adopt_timeout_s=0.1)) as client:
        await known(client, node)
        await node.bus.close()
        with pytest.raises(SaintError) as caught:
            await adopt(client, "pi_1", "head")
        assert caught.value.code is Code.BUS_TIMEOUT


async def test_twenty_adoptions_at_once_give_five_roles_once_each(robot: Robot):
    nodes = [robot.node(f"pi_{number}") for number in range(20)]
    async with robot.registry() as client:
        await known(client, *nodes)
        roles = (await client.get("/roles", RoleList)).roles
        wanted = [(node.node_id, roles[i % 5]) for i, node in enumerate(nodes)]
        outcomes = await asyncio.gather(
            *(adopt(client, node_id, r.role, r.instance) for node_id, r in wanted),
            return_exceptions=True,
        )
        refused = [o for o in outcomes if isinstance(o, SaintError)]
        assert len(refused) == 15
        assert {o.code for o in refused} == {Code.CONFLICT}
        assert len({(n.role, n.instance) for n in nodes if n.role}) == 5


async def test_twenty_nodes_are_adopted_at_once(robot: Robot):
    robot.give_twenty_arms()
    nodes = [robot.node(f"pi_{number}") for number in range(20)]
    async with robot.registry(Config(robot="big")) as client:
        await known(client, *nodes)
        replies = await asyncio.gather(
            *(adopt(client, f"pi_{number}", "arms", f"n{number}") for number in range(20))
        )
        assert [r.topic_prefix for r in replies] == [f"/saint/arms/n{n}" for n in range(20)]
        found = (await client.get("/nodes", NodeList)).nodes
        assert {n.state for n in found} == {NodeState.ACTIVE}


async def test_two_nodes_with_one_role_show_the_conflict(robot: Robot):
    first, second = robot.node("pi_1"), robot.node("pi_2")
    first.role = second.role = "head"
    async with robot.registry() as client:
        await known(client, first, second)
        assert (await info(client, "pi_1")).reason == "pi_2 holds head too; reset one of them"
        assert (await info(client, "pi_2")).reason == "pi_1 holds head too; reset one of them"


async def test_node_that_falls_silent_is_offline_and_its_role_may_be_replaced(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("saint_services.adoptiond.registry.OFFLINE_AFTER_S", 0.2)
    old, new = robot.node("pi_1"), robot.node("pi_2")
    old.role = "head"
    alerts: list[msgs.ConsoleAlert] = []
    robot.watcher.subscribe(topics.CONSOLE_ALERTS, lambda s: alerts.append(s.message))
    async with robot.registry() as client:
        await known(client, old)
        await until(lambda: bool(alerts))
        assert (await info(client, "pi_1")).state is NodeState.OFFLINE
        assert alerts[0].text == "pi_1, head is offline"
        await known(client, new)
        new.live()
        await adopt(client, "pi_2", "head")


async def test_reset_online_orders_the_node_offline_forgets_it_with_a_sentence(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
):
    node = robot.node("pi_1")
    async with robot.registry() as client:
        await known(client, node)
        await adopt(client, "pi_1", "head")
        done = await client.request(RESET_NODE, ResetNode(node_id="pi_1"))
        assert (done.message, node.role) == ("is unadopted", "")
        assert (await info(client, "pi_1")).role == ""
        await adopt(client, "pi_1", "head")
        monkeypatch.setattr("saint_services.adoptiond.registry.OFFLINE_AFTER_S", -1.0)
        done = await client.request(RESET_NODE, ResetNode(node_id="pi_1"))
        assert done.message == (
            "pi_1 is offline and was forgotten by the server; "
            "switched on again, it still holds head"
        )
        assert (await client.get("/nodes", NodeList)).nodes == []


async def test_registry_survives_a_restart_and_names_stay(robot: Robot):
    node = robot.node("pi_1")
    async with robot.registry() as client:
        await known(client, node)
        await adopt(client, "pi_1", "head")
        renamed = await client.request(
            SET_NODE_NAME, NameNode(node_id="pi_1", display_name="Head Unit")
        )
        assert renamed.display_name == "Head Unit"
    kept = json.loads((robot.directories.state / "nodes.json").read_text())
    assert kept["nodes"]["pi_1"]["role"] == "head"
    async with robot.registry() as client:
        found = await info(client, "pi_1")
        assert (found.state, found.role, found.display_name) == (
            NodeState.OFFLINE,
            "head",
            "Head Unit",
        )
        assert found.reason == "no report since the server started"


async def test_wiped_server_finds_its_robot_again(robot: Robot):
    node = robot.node("pi_1")
    node.role = "tracks"
    await turns(1)
    async with robot.registry() as client:
        await known(client, node)  # only by its own topic, found in the graph
        assert (await info(client, "pi_1")).role == "tracks"


async def test_damaged_registry_is_set_aside_and_reported(robot: Robot):
    robot.directories.state.mkdir(parents=True)
    (robot.directories.state / "nodes.json").write_text('{"version_of_format": 1, "nod')
    async with robot.registry() as client:
        assert (await client.get("/nodes", NodeList)).nodes == []
    assert (robot.directories.state / "nodes.json.damaged-1").exists()


async def test_configuration_is_served_with_its_checksum_and_only_when_it_differs(robot: Robot):
    async with robot.registry():
        request = msgs.GetRoleConfig_Request(node_id="pi_1", role="arms", instance="left")
        full = await robot.watcher.call(topics.NODES_CONFIG, request, 2.0)
        assert (full.success, full.changed, full.version) == (True, True, "1.0.0")
        assert full.config_yaml.startswith("role: arms\ninstance: left\n")
        assert (full.server, len(full.checksum)) == ("SAINT-01", 64)
        request.known_version, request.known_checksum = full.version, full.checksum
        same = await robot.watcher.call(topics.NODES_CONFIG, request, 2.0)
        assert (same.success, same.changed, same.config_yaml) == (True, False, "")
        unknown = msgs.GetRoleConfig_Request(node_id="pi_1", role="tail")
        assert not (await robot.watcher.call(topics.NODES_CONFIG, unknown, 2.0)).success


async def test_system_status_counts_nodes_and_shows_the_estop(robot: Robot):
    node = robot.node("pi_1")
    node.role = "head"
    robot.watcher.publisher(topics.ESTOP).publish(msgs.EStop(active=True))
    statuses: list[msgs.SystemStatus] = []
    robot.watcher.subscribe(topics.SYSTEM_STATUS, lambda s: statuses.append(s.message))
    async with robot.registry() as client:
        await known(client, node)
        query = msgs.GetSystemStatus_Request()
        answer = await robot.watcher.call(topics.SYSTEM_STATUS_QUERY, query, 2.0)
        assert (answer.status.nodes_active, answer.status.nodes_unadopted) == (1, 0)
        assert answer.status.estop
        assert [n.role for n in answer.nodes] == ["head"]
        await until(lambda: bool(statuses))


async def test_garbage_on_the_bus_changes_nothing(robot: Robot):
    async with robot.registry() as client:
        robot.domain.publish_bytes(topics.NODES_UNADOPTED, b"\xff" * 40)
        publisher = robot.watcher.publisher(topics.NODES_UNADOPTED)
        publisher.publish(msgs.NodeAnnouncement(node_id="../../etc/passwd"))
        publisher.publish(msgs.NodeAnnouncement(node_id=""))
        await known(client, robot.node("pi_1"))
        assert [n.node_id for n in (await client.get("/nodes", NodeList)).nodes] == ["pi_1"]


async def test_robot_manifest_that_is_missing_stops_with_its_name(robot: Robot):
    with pytest.raises(SaintError) as caught:
        async with robot.registry(Config(robot="nobody")):
            pass
    assert caught.value.exit_code == 2
    assert "nobody.yaml" in caught.value.message


async def test_thirty_nodes_cost_little(robot: Robot):
    nodes = [robot.node(f"pi_{number}") for number in range(30)]
    async with robot.registry() as client:
        await known(client, *nodes)
        before_s = time.process_time()
        for _ in range(10):  # ten seconds of a robot's life
            for node in nodes:
                node.live()
            await turns(1)
        await known(client, nodes[-1])
        assert time.process_time() - before_s < 0.5  # 5 % of one core; measured: 0.05 s


async def test_offers_are_signed_for_nodes_of_this_server_alone(robot: Robot):
    async with robot.registry() as client:
        bus = robot.domain.bus("asker")
        served = await bus.call(topics.NODES_CONFIG, msgs.GetRoleConfig_Request("pi_1"), 2.0)
        offer = SignOffer(
            server_key=served.server_key, node_id="pi_1", challenge="0a",
            update_available=True, version="1.1.0", url="http://192.168.10.1/1.1.0.raucb",
        )  # fmt: skip
        signed = await client.request(SIGN_OFFER, offer)
        assert is_signed(served.server_key, signed.signature, *offer_parts(offer))
        with pytest.raises(SaintError) as refusal:
            await client.request(SIGN_OFFER, offer.model_copy(update={"server_key": "f" * 64}))
    assert refusal.value.code is Code.NOT_FOUND
