"""What waited in sockets while routerd's loop stood still drives nothing; a stop among it stops."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from saint_services.lib.api import routing
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.generated import topics
from saint_services.lib.generated.geometry_msgs import Twist, Vector3
from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.lib.machine.service_manager import Directories
from saint_services.routerd.daemon import STALL_S
from saint_services.routerd.inputs import neighbours, writers
from tests.unit.routerd.daemon_rig import RunningRouter, alive, places, turns

pytestmark = pytest.mark.timed

OLD = "old after a stall"


@pytest.fixture
def directories(tmp_path: Path) -> Directories:
    return places(tmp_path)


async def counted(robot: RunningRouter) -> int:

    return (await robot.client.request(routing.GET_STATUS, Nothing())).refused.get(OLD, 0)


def stall(seconds: float) -> None:
    """The whole process stands still."""
    time.sleep(seconds)


async def test_sample_that_waited_out_a_stall_drives_nothing(directories: Directories) -> None:
    async with alive(directories) as robot:
        robot.record(topics.TRACKS_CMD_VEL)
        await robot.drive(0.2, channel_2=0.0)
        robot.rc(channel_2=1.0)
        stall(0.3)
        await turns()
        moved = [each for each in robot.all_of(topics.TRACKS_CMD_VEL) if each.linear.x]
        assert moved == []
        assert await counted(robot) == 1


async def test_sample_after_a_stall_drives_again(directories: Directories) -> None:
    async with alive(directories) as robot:
        robot.record(topics.TRACKS_CMD_VEL)
        await robot.drive(0.2, channel_2=0.0)
        stall(0.3)
        await robot.drive(0.4, channel_2=1.0)
        assert any(each.linear.x for each in robot.all_of(topics.TRACKS_CMD_VEL))


async def test_foreign_command_that_waited_out_a_stall_drives_nothing(
    directories: Directories, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "GRACE_S", 0.0)
    async with alive(directories) as robot:
        robot.record(topics.TRACKS_CMD_VEL)
        await robot.drive(0.2, channel_2=0.0)
        own = robot.bus.publisher(topics.TRACKS_CMD_VEL)
        own.publish(Twist(Vector3(x=0.4), Vector3()))
        stall(0.4)
        await turns()
        assert await counted(robot) == 1


async def test_program_under_another_name_may_not_wait_for_longer_than_a_program(
    directories: Directories, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writers, "GRACE_S", 0.0)
    sample = InputSample(source="livelink:ann", sequence=1, names=("headYaw",), values=(0.1,))
    async with alive(directories) as robot:
        robot.bus.publisher(topics.INPUT_LIVELINK).publish(sample)
        program = robot.unknown.publisher(topics.INPUT_LIVELINK)
        program.publish(sample)
        await turns()
        sources = (await robot.client.request(routing.GET_STATUS, Nothing())).sources
        assert {each.source.partition(":")[0] for each in sources} == {"livelink", "autonomous"}
        program.publish(replace(sample, sequence=2))
        stall(0.4)  # LiveLink may be silent for 500 ms, a program for 300
        await turns()
        assert await counted(robot) == 1


async def test_stop_that_waited_out_a_stall_stops(directories: Directories) -> None:
    async with alive(directories) as robot:
        robot.record(topics.ESTOP)
        await robot.drive(0.2, channel_2=0.0, channel_6=-1.0)
        robot.rc(channel_2=0.0, channel_6=1.0)
        stall(0.3)
        await turns()
        assert robot.all_of(topics.ESTOP)[-1].active


@pytest.mark.parametrize("limit_s", [STALL_S])
def test_stall_is_noticed_before_the_shortest_time_out_is_over(limit_s: float) -> None:
    assert 0.05 < limit_s < 0.12  # faster than no source, slower than the heartbeat
