"""A node whose role file is lost receives its roles again from its own server, and from no
other.
"""

import asyncio

import pytest

from saint_services.lib.api.adoption import NodeState
from saint_services.lib.api.node import RESET, NodeReset
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.health import HealthReport
from saint_services.lib.ipc import Client
from saint_services.lib.state import last_good
from saint_services.noded.state import NodeFiles
from tests.unit.trust.test_several_roles import head_and_console, knows, names
from tests.unit.trust.trust_rig import Robot, adopt, eventually, info, report, seen


async def adopted(robot: Robot) -> None:
    """Head and console on one node, then everything stopped."""
    await robot.role("pi_1", "role-headd")
    await robot.role("pi_1", "role-consoled")
    async with robot.server() as server, robot.node():
        await head_and_console(robot, server)


def damage(robot: Robot, content: bytes | None, name: str = "role.yaml") -> None:
    path = robot.directories("pi_1").state / name
    for each in (path, last_good(path)):
        each.unlink()
        if content is not None:
            each.write_bytes(content)


async def issues(node: Client) -> str:
    return " ".join(each.text for each in (await node.get("/health", HealthReport)).issues)


@pytest.mark.parametrize("content", [None, b"", b"\xff"])
async def test_node_whose_role_file_is_lost_resumes_every_role_from_its_server(
    robot: Robot, content: bytes | None
) -> None:
    await adopted(robot)
    damage(robot, content)
    async with robot.server() as server, robot.node() as node:
        found = await eventually(lambda: report(node), lambda said: said.role_alive)
        assert {role.role for role in found.roles} == {"head", "console"}
        assert found.state is NodeState.ACTIVE
        assert "its server knows head and console" in await issues(node)
        assert set(names(await knows(server, "pi_1", [r.role for r in found.roles]))) == {
            "head",
            "console",
        }
        files = NodeFiles(robot.directories("pi_1").state)
        await eventually(
            lambda: asyncio.to_thread(files.load_roles), lambda read: len(read.roles) == 2
        )
    async with robot.node() as node:  # the disk works again: no server is needed
        found = await eventually(lambda: report(node), lambda said: said.role_alive)
        assert {role.role for role in found.roles} == {"head", "console"}


async def test_further_roles_whose_file_is_damaged_come_back_beside_the_one_at_work(
    robot: Robot,
) -> None:
    await adopted(robot)
    damage(robot, b"\xff", "more_roles.yaml")
    async with robot.server() as server, robot.node() as node:
        await eventually(
            lambda: report(node), lambda said: len(said.roles) == 2 and said.role_alive
        )
        await knows(server, "pi_1", ["head", "console"])


async def test_node_stays_safe_while_its_server_is_away_and_retries(robot: Robot) -> None:
    await adopted(robot)
    starts = sum("assigned" in each for each in robot.happened)
    damage(robot, b"")
    async with robot.node() as node:
        found = await eventually(lambda: report(node), lambda said: "did not answer" in said.reason)
        assert (found.state, found.role) == (NodeState.ADOPTING, "")
        assert found.outputs_safe
        assert "requested from its server" in await issues(node)
        assert sum("assigned" in each for each in robot.happened) == starts
        async with robot.server() as server:
            await eventually(lambda: report(node), lambda said: said.role_alive)
            await knows(server, "pi_1", ["head", "console"])


def away(*_: object) -> None:
    raise SaintError(Code.BUS_TIMEOUT, "no answer")


async def test_server_keeps_the_roles_of_a_node_that_has_lost_its_file(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    await adopted(robot)
    damage(robot, b"")
    monkeypatch.setattr("saint_services.adoptiond.api.membership.roles_of", away)
    async with robot.server() as server, robot.node():
        found = await seen(server, "pi_1", NodeState.ADOPTING)
        assert names(found) == ["head", "console"]
        assert "the list of its roles is lost" in found.reason


async def test_answer_of_another_server_is_refused(robot: Robot) -> None:
    await adopted(robot)
    damage(robot, b"")
    async with robot.server("other"), robot.node() as node:
        found = await eventually(lambda: report(node), lambda s: "not the server" in s.reason)
        assert found.roles == []


async def test_role_that_another_node_holds_now_is_not_given_back(robot: Robot) -> None:
    await adopted(robot)
    damage(robot, b"")
    await robot.role("pi_2", "role-headd")
    async with robot.server() as server, robot.node("pi_2"):
        await seen(server, "pi_2")
        await adopt(server, "pi_2", "head")
        async with robot.node("pi_1") as node:
            found = await eventually(lambda: report(node), lambda said: said.role_alive)
            assert [role.role for role in found.roles] == ["console"]
            assert names(await info(server, "pi_2")) == ["head"]


async def test_node_that_was_reset_does_not_get_its_roles_back(robot: Robot) -> None:
    await adopted(robot)
    async with robot.node() as node:  # the server is away, so it does not learn of the reset
        await node.request(RESET, NodeReset())
    async with robot.server() as server, robot.node() as node:
        await knows(server, "pi_1", [])
        assert (await report(node)).state is NodeState.UNADOPTED


async def test_first_boot_requests_nothing(robot: Robot) -> None:
    async with robot.node() as node:
        found = await report(node)
        assert (found.state, found.reason) == (NodeState.UNADOPTED, "")
