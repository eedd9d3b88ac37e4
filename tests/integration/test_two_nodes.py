"""SAINT on two computers (manifests/robots/saint_two.yaml), in real processes: head, both arms and
the console are one node. Each role is commanded, guarded and stopped by itself; the e-stop stops
all.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager

import pytest

from saint_services.client.robot import Robot as Client
from saint_services.lib.api.node import NodeReport, RoleStatus
from tests.integration.robot import Robot, running_robot
from tests.waiting import block_until, let_pass
from tools.sim.observe import read_pca9685, read_pins

UPPER = "upper"
LEFT_CHIP, RIGHT_CHIP, PAN = 0x42, 0x43, 12  # manifests/roles
SAFE_S = 0.250
LOOK_S = 0.400  # what moves is seen to move: 18 degrees a second are 40 us
LOOKS = 6
MOVES_US = 15.0
STANDS_US = 0.0
LIMIT_S = 20.0


@pytest.fixture(scope="module")
def two() -> Iterator[Robot]:
    with running_robot("--robot", "saint_two") as robot:
        yield robot


def pulses(robot: Robot) -> dict[str, float]:
    """Of the head's pan, and of the last joint of each arm, which turns in its place, in us."""
    hw = robot.hw(UPPER)
    return {
        "arms left": read_pca9685(hw, 1, LEFT_CHIP)[5].value,
        "arms right": read_pca9685(hw, 1, RIGHT_CHIP)[5].value,
        "head": read_pins(hw)[PAN].value,
    }


async def moved(robot: Robot) -> dict[str, float]:
    """How far each pulse goes while a test looks: a motion to and fro may end where it began."""
    seen = [await asyncio.to_thread(pulses, robot)]
    for _ in range(LOOKS):
        await let_pass(LOOK_S / LOOKS)
        seen.append(await asyncio.to_thread(pulses, robot))
    return {
        role: max(each[role] for each in seen) - min(each[role] for each in seen)
        for role in seen[0]
    }


async def positions_until_it_is_back(robot: Robot, role: str) -> set[float]:
    """The pulses of a role from now until its process is there again, which takes half a second on
    an idle computer: then it goes on with what is requested.
    """
    found: set[float] = set()
    before: float | None = None  # only what was read before it was still away counts
    while not (await roles(robot))[role].role_alive:
        if before is not None:
            found.add(before)
        before = (await asyncio.to_thread(pulses, robot))[role]
    return found


async def roles(robot: Robot) -> dict[str, RoleStatus]:
    async with robot.client("noded", UPPER) as node:
        reported = (await node.get("/status", NodeReport)).roles
    return {f"{role.role} {role.instance}".strip(): role for role in reported}


async def eventually(look: Callable[[], bool], robot: Robot) -> None:
    await asyncio.to_thread(block_until, look, LIMIT_S, robot.diagnosis)


async def cleared(client: Client) -> None:
    """Clear the e-stop as it stands now."""
    latch = await client.estop_state()
    assert latch is not None
    await client.clear_estop(latch.generation)


@asynccontextmanager
async def all_moving(robot: Robot) -> AsyncIterator[Client]:
    """Both arms and the head on a way of some seconds, from one end to the other."""
    async with Client(robot.http_url) as client:
        await cleared(client)
        start = await asyncio.to_thread(pulses, robot)
        way = -1.0 if start["arms left"] > 1500.0 else 1.0
        await client.left_arm.move([*[None] * 5, 160.0 * way], speed=0.075)
        await client.right_arm.move([*[None] * 5, 160.0 * way], speed=0.075)
        await client.head.move(pan=170.0 * way, speed=0.05)
        await eventually(
            lambda: all(abs(pulses(robot)[role] - start[role]) > MOVES_US for role in start), robot
        )
        yield client


async def test_one_node_holds_four_roles_each_in_a_process_of_its_own(two: Robot) -> None:
    held = await roles(two)
    assert list(held) == ["head", "arms left", "arms right", "console"]
    assert all(role.role_alive for role in held.values())
    processes = {name for machine, name in two.pids() if machine == UPPER}
    arms = {"role-armsd", "role-armsd@2"}
    assert processes == {"noded", "guardd", "role-headd", "role-consoled"} | arms


async def test_command_reaches_the_role_that_it_is_for(two: Robot) -> None:
    async with Client(two.http_url) as client:
        await client.right_arm.move([*[None] * 5, 40.0])
        await eventually(lambda: abs(pulses(two)["arms right"] - 1735.0) < 5.0, two)
        before = await asyncio.to_thread(pulses, two)
        await client.left_arm.move([*[None] * 5, -40.0])
        await eventually(lambda: abs(pulses(two)["arms left"] - 1265.0) < 5.0, two)
    assert abs((await asyncio.to_thread(pulses, two))["arms right"] - before["arms right"]) < 5.0


async def test_killed_arm_stops_and_the_other_roles_of_the_node_go_on(two: Robot) -> None:
    before = await roles(two)
    async with all_moving(two):
        await asyncio.to_thread(two.kill, "role-armsd@2", UPPER)
        await let_pass(SAFE_S)  # by then it must stand
        stood = await positions_until_it_is_back(two, "arms right")
        found = await moved(two)
        for _ in range(LOOKS):  # an arm waits until it knows again where the other one is
            if min(found["arms left"], found["head"]) > MOVES_US:
                break
            found = await moved(two)
        after = await roles(two)
    assert len(stood) <= 1, stood
    assert min(found["arms left"], found["head"]) > MOVES_US, found
    restarts = {name: after[name].role_restarts - before[name].role_restarts for name in after}
    assert restarts == {"head": 0, "arms left": 0, "arms right": 1, "console": 0}

    def is_whole() -> bool:
        return all(role.role_alive for role in asyncio.run(roles(two)).values())

    await eventually(is_whole, two)


async def test_estop_stops_every_role_of_the_node(two: Robot) -> None:
    async with all_moving(two) as client:
        await client.estop("a person")
        await let_pass(SAFE_S)  # by then it must stand
        assert set((await moved(two)).values()) == {STANDS_US}
        await cleared(client)
