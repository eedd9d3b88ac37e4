"""Two whole robots in real processes, each with a pair of SO-101 arms: the follower of the second
one is a remote slave of the first, over a network that delays, reorders and cuts.
"""

import asyncio
import json
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from saint_services.lib.api import masters, routing
from saint_services.lib.api.endpoint import Endpoint, Nothing
from saint_services.lib.api.routing import EStopClear
from tests.integration.robot import Robot, running_robot
from tests.unit.webd.remote.net_rig import RemoteProxy
from tests.waiting import every, until

# Two whole robots at once.
pytestmark = pytest.mark.long

TARGET = "parts.follower"
JOINT = "elbow_flex"
LIMIT_S = 60.0


@pytest.fixture(scope="module")
def robots() -> Iterator[tuple[Robot, Robot]]:
    with (
        running_robot("--robot", "so101_pair") as first,
        running_robot("--robot", "so101_pair") as second,
    ):
        yield first, second


async def query(robot: Robot, row: Endpoint[Any, Any], body: Any) -> Any:
    async with robot.client("routerd") as client:
        return await client.request(row, body)


async def clear(robot: Robot) -> None:
    seen = (await query(robot, routing.GET_STATUS, Nothing())).estop.generation
    await query(robot, routing.CLEAR_ESTOP, EStopClear(source="test", generation=seen))


async def act(robot: Robot, group: str, action: str, **params: Any) -> dict[str, Any]:
    """Return the reply of an action of webd."""

    def send() -> dict[str, Any]:
        url = f"{robot.http_url}/api/v1/{group}/{action}"
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(url, json.dumps(params).encode(), headers)
        with urllib.request.urlopen(request, timeout=20) as reply:
            found: dict[str, Any] = json.loads(reply.read())
            return found

    return await asyncio.to_thread(send)


async def place(robot: Robot) -> float | None:
    """Return what the router commands the joint, in degrees."""
    status = await query(robot, routing.GET_STATUS, Nothing())
    found = [each for each in status.outputs if (each.target, each.field) == (TARGET, JOINT)]
    return found[0].value if found else None


async def drive(first: Robot, second: Robot, angle: float) -> None:
    """Move the first follower until the second one is there as well."""
    async for _ in every(0.2):
        await act(first, "parts", "set", target=TARGET, values={JOINT: angle})
        here, there = await place(first), await place(second)
        if here is not None and there is not None and abs(there - angle) < 1.0 > abs(here - angle):
            return


async def test_second_robot_follows_stops_and_returns_without_motion(
    robots: tuple[Robot, Robot],
) -> None:
    first, second = robots
    proxy = RemoteProxy(second.http_url.removeprefix("http://"))
    async with proxy.serving(), asyncio.timeout(4 * LIMIT_S):
        await _course(first, second, proxy)


async def _course(first: Robot, second: Robot, proxy: RemoteProxy) -> None:
    for robot in (first, second):
        await clear(robot)
    url = f"ws://{proxy.address}"
    await act(first, "link", "add", link="bench", kind="slave", url=url, target=TARGET)
    await until(lambda: _is_engaged(first), LIMIT_S)
    proxy.delay_s = 0.2
    await drive(first, second, 20.0)
    listed = await query(second, masters.LIST_MASTERS, Nothing())
    assert [each.kind for each in listed.masters if each.target == TARGET] == ["remote"]
    await until(lambda: _is_delayed(first), LIMIT_S)
    await act(first, "system", "estop", enable=True, reason="test")
    await until(lambda: _is_stopped(second), 5.0)
    for robot in (first, second):
        await clear(robot)
    before = await place(second)
    proxy.cut()
    await until(lambda: proxy.connections >= 2, LIMIT_S)
    for _ in range(5):
        await act(first, "parts", "set", target=TARGET, values={JOINT: -20.0})
        assert await place(second) == before


async def _is_engaged(robot: Robot) -> bool:
    links = (await act(robot, "link", "list"))["links"]
    if not links[0]["is_connected"]:
        return False
    await act(robot, "link", "engage", link="bench")
    return True


async def _is_delayed(robot: Robot) -> bool:
    """Return whether the newest acknowledgement shows the network's delay, and little more."""
    delay_ms = float((await act(robot, "link", "status"))["connected"][0]["delay_ms"])
    assert delay_ms >= 400.0
    return delay_ms < 1000.0


async def _is_stopped(robot: Robot) -> bool:
    return bool((await query(robot, routing.GET_STATUS, Nothing())).estop.active)


async def test_second_robot_of_make_run_follows_by_itself() -> None:
    with running_robot("--robot", "so101_pair", "--follower", "so101") as first:
        await until(lambda: _is_followed(first), 4 * LIMIT_S)


async def _is_followed(robot: Robot) -> bool:
    connected = (await act(robot, "link", "status"))["connected"]
    return any(
        each["target"] == TARGET and each["state"] in ("waiting", "following") for each in connected
    )
