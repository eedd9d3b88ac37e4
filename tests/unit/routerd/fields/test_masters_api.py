"""Requests about masters, through the socket of a running router."""

from pathlib import Path

import pytest

from saint_services.lib.api import masters
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.masters import EngageLeader, MasterInfo
from saint_services.lib.errors import SaintError
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import InputSample
from tests.unit.routerd.daemon_rig import RunningRouter, alive, places
from tests.waiting import turns

ARM = "arms.left"


async def lead(robot: RunningRouter, clutch: float = 0.0) -> None:
    publisher = robot.bus.publisher(topics.INPUT_AUTONOMOUS)
    for target, names, values in (("", ("clutch",), (clutch,)), (ARM, ("joint_0",), (5.0,))):
        robot.sequence += 1
        sample = InputSample(source="leader:hand", sequence=robot.sequence, target=target)
        sample.names, sample.values = names, values
        publisher.publish(sample)
    await turns()


async def master(robot: RunningRouter) -> MasterInfo:
    listed = await robot.client.request(masters.LIST_MASTERS, Nothing())
    return next(each for each in listed.masters if each.target == ARM)


async def test_leader_is_listed_and_gets_its_target_by_request(tmp_path: Path) -> None:
    async with alive(places(tmp_path)) as robot:
        await lead(robot)
        found = await master(robot)
        assert (found.kind, [each.name for each in found.leaders]) == ("none", ["hand"])
        engage = EngageLeader(target=ARM, leader="hand")
        await robot.client.request(masters.ENGAGE_LEADER, engage)
        await lead(robot)
        found = await master(robot)
        assert (found.kind, found.holder) == ("leader", "leader:hand")


async def test_clutch_closes_by_the_topic(tmp_path: Path) -> None:
    async with alive(places(tmp_path)) as robot:
        await lead(robot)
        await lead(robot, 1.0)
        found = await master(robot)
        assert found.holder == "leader:hand"
        assert found.leaders[0].is_closed


async def test_leader_that_does_not_lead_the_target_is_refused(tmp_path: Path) -> None:
    async with alive(places(tmp_path)) as robot:
        await lead(robot)
        with pytest.raises(SaintError, match="leader hand does not lead head now"):
            await robot.client.request(
                masters.ENGAGE_LEADER, EngageLeader(target="head", leader="hand")
            )
