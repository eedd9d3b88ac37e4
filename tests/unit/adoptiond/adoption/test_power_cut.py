"""The power fails at every point of an adoption: afterwards the node is adopted on both sides, or
offered."""

import asyncio
import contextlib
from pathlib import Path

import pytest

from saint_services.adoptiond import registry_service
from saint_services.adoptiond.adoption import unfinished
from saint_services.lib.api.adoption import ADOPT_NODE, LIST_NODES, AdoptNode, NodeInfo, NodeState
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.errors import SaintError
from saint_services.lib.ipc import Client
from tests.unit.adoptiond.adoption.cut_rig import ServerCut, TrustingNode
from tests.unit.adoptiond.adoption_rig import Robot
from tests.waiting import until

NEVER = 1 << 30


async def shown(client: Client, node: TrustingNode) -> NodeInfo | None:
    node.live()
    found = (await client.request(LIST_NODES, Nothing())).nodes
    return next((each for each in found if each.node_id == "pi_1"), None)


async def cut(root: Path, at: int, without: str) -> tuple[Robot, TrustingNode, ServerCut]:
    """Adopt a node and cut the power at that point."""
    robot = Robot(root)
    node = TrustingNode(robot.domain, "pi_1")
    power = ServerCut(robot, at, node, without)
    with pytest.MonkeyPatch.context() as patch:
        power.cut_disk(patch)
        robot.on_bus = lambda bus: power.cut_bus(bus, patch)
        async with robot.registry() as client:
            await until(lambda: shown(client, node))
            power.arm()
            with contextlib.suppress(SaintError):
                wanted = AdoptNode(node_id="pi_1", role="head", display_name="Head Unit")
                await client.request(ADOPT_NODE, wanted)
    return robot, node, power


async def outcome(robot: Robot, node: TrustingNode, power: ServerCut) -> str:
    """Start the server again; return what becomes of the node."""
    robot.directories = power.directories(robot.directories)
    robot.on_bus = lambda _: None

    async def settled(client: Client) -> str:
        found = await shown(client, node)
        if found is None:
            return ""
        if found.is_offered and not node.role:
            return "offered"
        is_named = found.display_name == "Head Unit" and found.code == node.code != ""
        is_adopted = found.state is NodeState.ACTIVE and found.is_ours and node.role == "head"
        return "adopted" if is_adopted and is_named and found.role == "head" else ""

    async with robot.registry() as client:
        return str(await until(lambda: settled(client)))


@pytest.mark.parametrize("without", ["server", "robot", "between"])
@pytest.mark.parametrize("stride", [4, pytest.param(1, marks=pytest.mark.long)])
async def test_power_cut_leaves_the_node_adopted_or_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stride: int, without: str
) -> None:
    monkeypatch.setattr(unfinished, "_SETTLES_S", 0.5)
    monkeypatch.setattr(registry_service, "_CARE_PAUSE_S", 0.5)
    _, _, whole = await cut(tmp_path / "all", NEVER, "server")
    assert whole.count > 30
    cuts = [await cut(tmp_path / str(at), at, without) for at in range(0, whole.count, stride)]
    found = await asyncio.gather(*(outcome(*each) for each in cuts))
    assert found[0] == "offered"
    assert found[-1] == "adopted"
