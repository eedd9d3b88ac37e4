"""Several roles on one node: our server and nodes on a local bus; the test plays the role
processes.
"""

import pytest

from saint_services.lib.api import Done
from saint_services.lib.api.adoption import (
    ADOPT_NODE,
    REPLACE_NODE,
    RESET_NODE,
    AdoptNode,
    AdoptReply,
    NodeInfo,
    NodeState,
    ReplaceNode,
    ResetNode,
    RoleList,
)
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.ipc import Client
from tests.unit.trust.trust_rig import Robot, adopt, eventually, info, report, seen

pytestmark = pytest.mark.slow


async def add(server: Client, node_id: str, role: str) -> AdoptReply:
    return await server.request(ADOPT_NODE, AdoptNode(node_id=node_id, role=role, add=True))


async def reset(server: Client, node_id: str, role: str = "") -> Done:
    return await server.request(RESET_NODE, ResetNode(node_id=node_id, role=role))


def names(node: NodeInfo) -> list[str]:
    return [role.role for role in node.roles]


async def knows(server: Client, node_id: str, roles: list[str]) -> NodeInfo:
    return await eventually(lambda: info(server, node_id), lambda found: names(found) == roles)


async def head_and_console(robot: Robot, server: Client) -> None:
    """Assign both roles to pi_1."""
    await seen(server, "pi_1")
    await adopt(server, "pi_1", "head", name="Upper Body")
    await knows(server, "pi_1", ["head"])
    await add(server, "pi_1", "console")
    await knows(server, "pi_1", ["head", "console"])


async def test_role_is_added_to_a_node_and_both_start(robot: Robot):
    head = await robot.role("pi_1", "role-headd")
    console = await robot.role("pi_1", "role-consoled")
    async with robot.server() as server, robot.node() as node:
        await head_and_console(robot, server)
        said = await report(node)
        assert [(r.role, r.role_alive) for r in said.roles] == [("head", True), ("console", True)]
        assert (said.role, said.role_alive) == ("head", True)
        assert [role.topic_prefix for role in (await info(server, "pi_1")).roles] == [
            "/saint/head",
            "/saint/console",
        ]
        roles = {r.role: r.node_id for r in (await server.get("/roles", RoleList)).roles}
        assert (roles["head"], roles["console"]) == ("pi_1", "pi_1")
    assert (len(head.assignments), len(console.assignments)) == (1, 1)


async def test_both_arms_are_held_by_one_node_in_two_processes(robot: Robot):
    first = await robot.role("pi_1", "role-armsd")
    second = await robot.role("pi_1", "role-armsd@2")
    async with robot.server(robot="saint_two") as server, robot.node() as node:
        await seen(server, "pi_1")
        for number, side in enumerate(("left", "right"), start=1):
            one = {"role": "arms", "instance": side, "add": number > 1}
            await server.request(ADOPT_NODE, AdoptNode(node_id="pi_1", **one))
            await knows(server, "pi_1", ["arms"] * number)
        await second.die()
        said = await eventually(lambda: report(node), lambda s: s.roles[1].role_restarts == 1)
        assert [(r.instance, r.role_restarts) for r in said.roles] == [("left", 0), ("right", 1)]
        await eventually(lambda: report(node), lambda s: all(r.role_alive for r in s.roles))
    sides = [{a.config.instance for a in role.assignments} for role in (first, second)]
    assert sides == [{"left"}, {"right"}]


async def test_another_role_without_add_is_refused_with_the_command(robot: Robot):
    await robot.role("pi_1", "role-headd")
    async with robot.server() as server, robot.node():
        await seen(server, "pi_1")
        await adopt(server, "pi_1", "head")
        with pytest.raises(SaintError) as caught:
            await adopt(server, "pi_1", "console")
    assert "already holds head" in caught.value.message
    assert "saintctl node adopt pi_1 console --add" in caught.value.fix


async def test_roles_that_need_the_same_pin_are_refused_before_the_node_is_contacted(robot: Robot):
    head = await robot.role("pi_1", "role-headd")
    async with robot.server() as server, robot.node():
        await seen(server, "pi_1")
        await adopt(server, "pi_1", "head")
        await knows(server, "pi_1", ["head"])
        with pytest.raises(SaintError) as caught:
            await add(server, "pi_1", "tracks")
        assert caught.value.code is Code.CONFLICT
        assert "GPIO12 is used by head (pan) and would be used by tracks" in caught.value.message
        assert names(await info(server, "pi_1")) == ["head"]
    assert len(head.assignments) == 1


async def test_both_roles_resume_after_a_power_cycle_without_the_server(robot: Robot):
    head = await robot.role("pi_1", "role-headd")
    console = await robot.role("pi_1", "role-consoled")
    async with robot.server() as server, robot.node():
        await head_and_console(robot, server)
    async with robot.node() as node:
        await eventually(lambda: report(node), lambda said: said.role_alive)
        assert [role.role for role in (await report(node)).roles] == ["head", "console"]
    assert (len(head.assignments), len(console.assignments)) == (2, 2)


async def test_role_that_dies_leaves_the_other_one_alone(robot: Robot):
    head = await robot.role("pi_1", "role-headd")
    console = await robot.role("pi_1", "role-consoled")
    async with robot.server() as server, robot.node() as node:
        await head_and_console(robot, server)
        await head.die()
        said = await eventually(lambda: report(node), lambda s: s.roles[0].role_restarts == 1)
        assert said.roles[1].role_restarts == 0
        await eventually(lambda: report(node), lambda s: s.role_alive)
    assert robot.happened.count("role-consoled ended") <= 1  # at the end of the test
    assert (len(head.assignments), len(console.assignments)) == (2, 1)


async def test_one_role_is_taken_away_and_the_other_goes_on(robot: Robot):
    await robot.role("pi_1", "role-headd")
    console = await robot.role("pi_1", "role-consoled")
    async with robot.server() as server, robot.node() as node:
        await head_and_console(robot, server)
        await reset(server, "pi_1", "head")
        listed = await knows(server, "pi_1", ["console"])
        assert (listed.role, listed.state) == ("console", NodeState.ACTIVE)
        assert [role.role for role in (await report(node)).roles] == ["console"]
        with pytest.raises(SaintError, match="does not hold head; it holds console"):
            await reset(server, "pi_1", "head")
    async with robot.node() as node:
        await eventually(lambda: report(node), lambda s: s.role == "console" and s.role_alive)
    assert len(console.assignments) == 2


async def test_reset_of_the_node_takes_all_its_roles(robot: Robot):
    await robot.role("pi_1", "role-headd")
    await robot.role("pi_1", "role-consoled")
    async with robot.server() as server, robot.node() as node:
        await head_and_console(robot, server)
        await reset(server, "pi_1")
        assert (await report(node)).roles == []
        assert names(await seen(server, "pi_1")) == []


async def test_server_that_starts_again_knows_both_roles_at_once(robot: Robot):
    await robot.role("pi_1", "role-headd")
    await robot.role("pi_1", "role-consoled")
    async with robot.server() as server, robot.node():
        await head_and_console(robot, server)
    async with robot.server() as server:
        assert names(await info(server, "pi_1")) == ["head", "console"]


async def test_replacing_moves_every_role(robot: Robot, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("saint_services.adoptiond.registry.OFFLINE_AFTER_S", 1.5)
    for machine in ("pi_1", "pi_2"):
        await robot.role(machine, "role-headd")
        await robot.role(machine, "role-consoled")
    async with robot.server() as server:
        async with robot.node("pi_1"):
            await head_and_console(robot, server)
        async with robot.node("pi_2") as node:
            await seen(server, "pi_1", NodeState.OFFLINE)
            await seen(server, "pi_2")
            await server.request(REPLACE_NODE, ReplaceNode(node_id="pi_1", by="pi_2"))
            new = await knows(server, "pi_2", ["head", "console"])
            assert new.display_name == "Upper Body"
            assert [role.role for role in (await report(node)).roles] == ["head", "console"]
            assert names(await info(server, "pi_1")) == []


async def test_replacing_that_fails_half_way_leaves_everything_as_it_was(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("saint_services.adoptiond.registry.OFFLINE_AFTER_S", 1.5)
    for machine in ("pi_1", "pi_2"):
        await robot.role(machine, "role-headd")
    await robot.role("pi_1", "role-consoled")  # pi_2 has no display: its console never starts
    async with robot.server() as server:
        async with robot.node("pi_1"):
            await head_and_console(robot, server)
        async with robot.node("pi_2") as node:
            await seen(server, "pi_1", NodeState.OFFLINE)
            await seen(server, "pi_2")
            with pytest.raises(SaintError, match="as console failed"):
                await server.request(REPLACE_NODE, ReplaceNode(node_id="pi_1", by="pi_2"))
            assert (await report(node)).state is NodeState.UNADOPTED
            assert names(await info(server, "pi_1")) == ["head", "console"]
