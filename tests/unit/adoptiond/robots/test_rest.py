"""Changes of the robot while outputs are live: they wait for a moment, and are refused after it."""

import asyncio

import pytest

from saint_services.adoptiond.robots import service
from saint_services.lib.api import Done, adoption
from saint_services.lib.api import robot as rows
from saint_services.lib.api.backup import DaemonBackup, RestoreNotes
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.ipc import Client
from saint_services.lib.robot import restart
from tests.unit.adoptiond.adoption_rig import FakeNode, Robot
from tests.unit.adoptiond.robots.test_robots import OTHER_PIN, RENAMED, adopted, apply, document
from tests.waiting import let_pass, until


@pytest.fixture(autouse=True)
def _adoptiond_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restart, "_PAUSE_S", 60.0)


async def own(client: Client, node: FakeNode) -> None:
    """Put the owner's robot in force, at rest, and have the node drive then."""
    await reported(client, node, safe=True)
    await apply(client, RENAMED)
    await reported(client, node, safe=False)


async def reported(client: Client, node: FakeNode, *, safe: bool) -> None:
    node.outputs_safe = safe

    async def is_known() -> bool:
        node.live()
        found = await client.request(adoption.LIST_NODES, Nothing())
        return all(each.outputs_safe is safe for each in found.nodes)

    await until(is_known)


async def test_change_waits_until_the_part_that_was_released_rests(robot: Robot) -> None:
    async with robot.registry() as client:
        node = await adopted(client, robot, "head")
        await reported(client, node, safe=False)
        change = asyncio.create_task(apply(client, RENAMED))
        await let_pass(0.2)
        assert not change.done()
        node.outputs_safe = True
        node.live()
        assert (await change).version == 2


async def test_change_is_refused_while_a_part_is_driven_on(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "_REST_S", 0.1)
    async with robot.registry() as client:
        node = await adopted(client, robot, "head")
        await reported(client, node, safe=False)
        with pytest.raises(SaintError) as caught:
            await apply(client, RENAMED)
        assert caught.value.code is Code.REFUSED
        assert "outputs of head are live" in caught.value.message
        assert (await document(client)).version == 0
        await apply(client, OTHER_PIN)  # pins alone: the node changes them when it rests


async def test_change_is_refused_while_parts_of_the_servers_own_machine_are_driven(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "_REST_S", 0.1)
    monkeypatch.setenv("SAINT_MACHINE", "both")
    monkeypatch.setenv("SAINT_NODE_ID", "head")
    async with robot.registry() as client:
        node = await adopted(client, robot, "head")
        await reported(client, node, safe=False)
        with pytest.raises(SaintError, match="outputs of head are live"):
            await apply(client, RENAMED)


@pytest.mark.parametrize("way", ["template", "reset", "check", "backup"])
async def test_template_does_not_return_while_outputs_are_live(
    robot: Robot, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr(service, "_REST_S", 0.1)
    async with robot.registry() as client:
        node = await adopted(client, robot, "head")
        before = await client.get("/backup", DaemonBackup)
        await own(client, node)
        requests = {
            "template": lambda: client.request(rows.USE_TEMPLATE, rows.UseTemplate(name="saint")),
            "reset": lambda: client.delete("/backup", Done),
            "check": lambda: client.post("/backup/check-reset", None, RestoreNotes),
            "backup": lambda: client.put("/backup", before, RestoreNotes),
        }
        with pytest.raises(SaintError) as caught:
            await requests[way]()
        assert caught.value.code is Code.REFUSED
        assert (await document(client)).name == "Robi"
        await reported(client, node, safe=True)
        await requests[way]()
        assert (await document(client)).is_own is (way in ("template", "check"))
