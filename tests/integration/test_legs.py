"""A walking robot (manifests/robots/asimov.yaml) in real processes, with its simulated controller:
stands, balances and walks by saintctl; sits down when that ends, and when its role is killed.
"""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Iterator

import pytest

from saint_services.client.robot import Robot as Client
from saint_services.lib.api.states import LegsState
from saint_services.lib.api.webd.legs import DAMP, STAND
from tests.integration.robot import Robot, running_robot
from tests.waiting import let_pass

LIMIT_S = 60.0


@pytest.fixture(scope="module")
def asimov() -> Iterator[Robot]:
    with running_robot("--robot", "asimov") as robot:
        yield robot


@contextlib.asynccontextmanager
async def connected(robot: Robot) -> AsyncIterator[Client]:
    async with Client(robot.http_url) as client:
        latch = await client.estop_state()
        assert latch is not None
        await client.clear_estop(latch.generation)
        yield client


async def reported(client: Client, *modes: str) -> list[LegsState]:
    """Wait until the controller has reported these modes one after the other."""
    left, seen = list(modes), []
    async with asyncio.timeout(LIMIT_S):
        async for state in client.watch(LegsState):
            seen.append(state)
            if state.reported == left[0]:
                left.pop(0)
            if not left:
                break
    return seen


async def test_saintctl_has_the_robot_stand_walk_and_sit_down(asimov: Robot) -> None:
    async with connected(asimov) as client:
        await client.call(DAMP)  # the role has just started
        words = ("--server", asimov.http_url, "legs", "move", "0.3", "--seconds", "3")
        command = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "saint_services.saintctl", *words,
            stdout=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        seen = await reported(client, "stand", "move", "damp")
        assert await asyncio.wait_for(command.wait(), LIMIT_S) == 0
    modes = [state.mode for state in seen]
    assert modes.index("stand") < modes.index("balance") < modes.index("move")
    assert not any("fell" in alert for state in seen for alert in state.alerts)


async def test_robot_sits_down_when_its_role_is_killed(asimov: Robot) -> None:
    async with connected(asimov) as client:
        await client.call(DAMP)
        holding = asyncio.create_task(_hold(client))
        await reported(client, "stand")
        asimov.kill("role-legsd", "legs")
        holding.cancel()
        await reported(client, "damp")


async def _hold(client: Client) -> None:
    while True:
        await client.call(STAND)
        await let_pass(0.1)
