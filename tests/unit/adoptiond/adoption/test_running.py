"""An adoption is finished on both sides when a client leaves or the server ends meanwhile."""

import asyncio
import json

import pytest

from saint_services.adoptiond.adoption.running import Adoptions
from saint_services.adoptiond.config import Config
from saint_services.adoptiond.order_sender import OrderSender
from saint_services.adoptiond.registry import Catalog, Registry
from saint_services.adoptiond.state import SavedNode, SavedRegistry, registry_store
from saint_services.lib.api.adoption import (
    ADOPT_NODE,
    LIST_NODES,
    AdoptNode,
    AdoptReply,
    NodeInfo,
    NodeState,
)
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.orders import OrderKind
from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.ipc import Client
from tests.unit.adoptiond.adoption_rig import FakeNode, Robot
from tests.waiting import turns, until

WANTED = AdoptNode(node_id="pi_1", role="head", display_name="Head Unit")


async def shown(client: Client) -> NodeInfo | None:
    found = (await client.request(LIST_NODES, Nothing())).nodes
    return next((node for node in found if node.node_id == "pi_1"), None)


async def offered(client: Client, node: FakeNode) -> NodeInfo | None:
    node.live()
    found = await shown(client)
    return found if found and found.is_offered else None


async def begun(client: Client, node: FakeNode) -> "asyncio.Task[AdoptReply]":
    """Request the adoption; return when the node works on it."""

    async def is_known() -> bool:
        node.live()
        return await shown(client) is not None

    await until(is_known)
    node.may_work.clear()
    adoption = asyncio.ensure_future(client.request(ADOPT_NODE, WANTED))
    await until(lambda: OrderKind.ADOPT in node.ordered)
    return adoption


@pytest.fixture
def replaced(robot: Robot) -> None:
    """The node was replaced once: it is reset when it is online in its role again."""
    gone = SavedNode(display_name="Old", replaced_by="pi_2")
    registry_store(robot.directories.state).save(SavedRegistry(nodes={"pi_1": gone}))


async def test_client_that_leaves_does_not_end_the_adoption(robot: Robot, replaced: None) -> None:
    node = robot.node("pi_1")
    async with robot.registry() as client:
        async with Client(robot.directories.runtime / "adoptiond.sock") as leaving:
            adoption = await begun(leaving, node)
            adoption.cancel()
        await turns(50)  # the server notices that its client has left
        node.may_work.set()

        async def is_active() -> bool:
            node.live()
            found = await shown(client)
            return found is not None and found.state is NodeState.ACTIVE

        await until(is_active)
        found = await shown(client)
        assert found is not None
        assert (found.display_name, found.replaced_by) == ("Head Unit", "")
        assert OrderKind.RESET not in node.ordered


async def test_server_that_ends_lets_an_adoption_finish_first(robot: Robot, replaced: None) -> None:
    node = robot.node("pi_1")
    async with Client(robot.directories.runtime / "adoptiond.sock") as leaving:
        async with robot.registry():
            adoption = await begun(leaving, node)
            asyncio.get_running_loop().call_later(0.1, node.may_work.set)
        await adoption
    kept = json.loads((robot.directories.state / "nodes.json").read_text())["nodes"]["pi_1"]
    assert (kept["role"], kept["display_name"], kept["replaced_by"]) == ("head", "Head Unit", "")


class NoOwner:
    """The holder of a registry that is not used."""

    registry = Registry()
    catalog = Catalog("SAINT-01", {})
    address = ""

    def change(self, node_id: str, registry: Registry) -> None:
        raise NotImplementedError

    async def persist(self) -> None:
        raise NotImplementedError


def adoptions() -> Adoptions:
    sender = OrderSender(LocalDomain().bus("adoptiond"), None, "SAINT-01")
    return Adoptions(NoOwner(), sender, Config())


async def test_restart_waits_for_adoptions_and_not_longer_than_its_limit() -> None:
    running, end = adoptions(), asyncio.Event()
    work = asyncio.ensure_future(running.to_its_end(end.wait()))
    await turns(2)
    await asyncio.wait_for(running.settled(0.05), 5.0)
    assert not work.done()
    waiting = asyncio.ensure_future(running.settled(60.0))
    end.set()
    await asyncio.wait_for(waiting, 5.0)
    assert await work


async def test_end_refuses_further_adoptions_and_leaves_a_long_one_unfinished() -> None:
    running, end = adoptions(), asyncio.Event()
    work = asyncio.ensure_future(running.to_its_end(end.wait()))
    await turns(2)
    await running.close(0.05)
    with pytest.raises(asyncio.CancelledError):
        await work
    with pytest.raises(SaintError) as refused:
        await running.to_its_end(end.wait())
    assert refused.value.code is Code.DAEMON_UNREACHABLE
