"""What a watch of adoptiond reports at once, and what waits for the hold time: another heartbeat
is no news to a reader.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from saint_services.adoptiond import views
from saint_services.adoptiond.membership import UnknownDevices
from saint_services.adoptiond.registry import Node, Registry
from saint_services.adoptiond.state import SavedNode
from saint_services.lib.api.adoption import (
    LIST_NODES,
    LIST_ROLES,
    SCAN,
    SET_NODE_NAME,
    WATCH_NODES,
    NameNode,
    NodeState,
    RobotNodes,
)
from saint_services.lib.api.endpoint import Nothing, WatchRequest
from saint_services.lib.ipc import Client
from tests.unit.adoptiond.adoption_rig import Robot
from tests.waiting import every, until

NOW_S = 1000.0
NODE = Node("pi_1", SavedNode(display_name="Head"), NodeState.ACTIVE, seen_s=999.5, cpu_usage=4.0)


def registry(*nodes: Node) -> Registry:
    return Registry({each.node_id: each for each in nodes})


READINGS = {
    "seen_s": 1000.0, "cpu_temp": 50.0, "cpu_usage": 80.0, "memory_usage": 9.0, "uptime_s": 5,
}  # fmt: skip
NEWS = {
    "state": NodeState.UPDATING, "role_restarts": 1, "outputs_safe": False, "reason": "too hot",
    "kept": SavedNode(display_name="Other"), "seen_s": 996.9,
}  # fmt: skip


@pytest.mark.parametrize("name", READINGS)
def test_reading_is_no_news(name: str) -> None:
    after = replace(NODE, **{name: READINGS[name]})
    assert not views.is_other(registry(NODE), registry(after), NOW_S)


@pytest.mark.parametrize("name", NEWS)
def test_everything_else_of_a_node_is_news(name: str) -> None:
    after = replace(NODE, **{name: NEWS[name]})
    assert views.is_other(registry(NODE), registry(after), NOW_S)


def test_node_that_comes_goes_or_is_back_is_news() -> None:
    assert views.is_other(registry(), registry(NODE), NOW_S)
    assert views.is_other(registry(NODE), registry(), NOW_S)
    silent = replace(NODE, seen_s=990.0)
    assert views.is_other(registry(silent), registry(NODE), NOW_S)
    assert views.is_other(registry(replace(NODE, seen_s=None)), registry(silent), NOW_S)


def test_second_announcement_of_an_unknown_device_is_no_news() -> None:
    devices = UnknownDevices()
    assert devices.add("pi-9", "its id", 1.0)
    assert not devices.add("pi-9", "its id", 2.0)
    assert devices.add("pi-9", "another reason", 3.0)


@contextlib.asynccontextmanager
async def watched(client: Client, hold_s: float) -> AsyncIterator[list[RobotNodes]]:
    """Collect the reports."""
    found: list[RobotNodes] = []

    async def collect() -> None:
        async for report in client.follow(WATCH_NODES, WatchRequest(hold_s=hold_s), silence_s=60):
            found.append(report)

    work = asyncio.create_task(collect())
    await until(lambda: found)
    try:
        yield found
    finally:
        work.cancel()


async def test_watch_reports_what_the_lists_have(robot: Robot) -> None:
    node = robot.node("pi_1")
    async with robot.registry() as client, watched(client, 30.0) as reports:
        node.live()
        await until(lambda: len(reports) == 2)
        nodes = await client.request(LIST_NODES, Nothing())
        roles = await client.request(LIST_ROLES, Nothing())
        assert [each.node_id for each in reports[1].nodes] == ["pi_1"]
        assert reports[1].nodes[0].model_dump(exclude={"seen_age_s"}) == nodes.nodes[0].model_dump(
            exclude={"seen_age_s"}
        )
        assert reports[1].roles == roles


async def test_heartbeats_cause_no_report_and_a_name_does(robot: Robot) -> None:
    node = robot.node("pi_1")
    async with robot.registry() as client:
        node.live()
        async with watched(client, 30.0) as reports:
            await until(lambda: reports[-1].nodes)
            known = len(reports)
            async for _ in every(0.05, times=20):
                node.live()
            assert len(reports) == known
            await client.request(SET_NODE_NAME, NameNode(node_id="pi_1", display_name="Head"))
            await until(lambda: reports[-1].nodes[0].display_name == "Head")
            assert len(reports) == known + 1


async def test_node_that_falls_silent_is_reported(robot: Robot) -> None:
    node = robot.node("pi_1")
    async with robot.registry() as client:
        node.live()
        async with watched(client, 30.0) as reports:
            await until(lambda: reports[-1].nodes[0].state is NodeState.OFFLINE, 8.0)


async def test_scan_names_the_nodes_that_report_those_that_are_new_and_the_silent(
    robot: Robot,
) -> None:
    quiet, known = robot.node("pi_1"), robot.node("pi_2")
    async with robot.registry() as client:
        quiet.live()
        known.live()
        await until_listed(client, 2)
        scan = asyncio.create_task(client.request(SCAN, Nothing()))
        fresh, rounds = robot.node("pi_3"), 0
        async for _ in every(0.2, until=scan.done):
            known.live()
            rounds += 1
            if rounds > 5:  # the scan has begun
                fresh.live()
        report = scan.result()
    assert [node.node_id for node in report.nodes] == ["pi_2", "pi_3"]
    assert (report.new, report.silent, report.listened_s) == (["pi_3"], ["pi_1"], 3.0)


async def until_listed(client: Client, count: int) -> None:
    """Wait until the registry has so many nodes."""
    async for _ in every(0.05):
        if len((await client.request(LIST_NODES, Nothing())).nodes) == count:
            return
