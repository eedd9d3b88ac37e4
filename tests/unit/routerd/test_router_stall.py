"""What waited in sockets while routerd's loop stood still drives nothing; a stop among it stops."""

import time
from pathlib import Path

import pytest

from saint_services.lib.api import routing
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.generated import topics
from saint_services.lib.generated.geometry_msgs import Twist, Vector3
from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.lib.sd import Directories
from saint_services.routerd import neighbours
from saint_services.routerd.daemon import STALL_S
from tests.unit.routerd.daemon_rig import Robot, alive, places, turns
from tests.unit.routerd.rig import DIRECT, STOP, Rig

pytestmark = pytest.mark.timed

OLD = "old after a stall"


@pytest.fixture
def directories(tmp_path: Path) -> Directories:
    return places(tmp_path)


async def counted(robot: Robot) -> int:

    return (await robot.client.ask(routing.GET_STATUS, Nothing())).refused.get(OLD, 0)


def stall(seconds: float) -> None:
    """The whole process stands still."""
    time.sleep(seconds)


async def test_sample_that_waited_out_a_stall_drives_nothing(directories: Directories) -> None:
    async with alive(directories) as robot:
        robot.hear(topics.TRACKS_CMD_VEL)
        await robot.drive(0.2, channel_2=0.0)
        robot.rc(channel_2=1.0)
        stall(0.3)
        await turns()
        moved = [each for each in robot.all_of(topics.TRACKS_CMD_VEL) if each.linear.x]
        assert moved == []
        assert await counted(robot) == 1


async def test_sample_after_a_stall_drives_again(directories: Directories) -> None:
    async with alive(directories) as robot:
        robot.hear(topics.TRACKS_CMD_VEL)
        await robot.drive(0.2, channel_2=0.0)
        stall(0.3)
        await robot.drive(0.4, channel_2=1.0)
        assert any(each.linear.x for each in robot.all_of(topics.TRACKS_CMD_VEL))


async def test_foreign_command_that_waited_out_a_stall_drives_nothing(
    directories: Directories, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "GRACE_S", 0.0)
    async with alive(directories) as robot:
        robot.hear(topics.TRACKS_CMD_VEL)
        await robot.drive(0.2, channel_2=0.0)
        own = robot.bus.publisher(topics.TRACKS_CMD_VEL)
        own.publish(Twist(Vector3(x=0.4), Vector3()))
        stall(0.4)
        await turns()
        assert await counted(robot) == 1


async def test_stop_that_waited_out_a_stall_stops(directories: Directories) -> None:
    async with alive(directories) as robot:
        robot.hear(topics.ESTOP)
        await robot.drive(0.2, channel_2=0.0, channel_6=-1.0)
        robot.rc(channel_2=0.0, channel_6=1.0)
        stall(0.3)
        await turns()
        assert robot.all_of(topics.ESTOP)[-1].active


@pytest.mark.parametrize("limit_s", [STALL_S])
def test_stall_is_noticed_before_the_shortest_time_out_is_over(limit_s: float) -> None:
    assert 0.05 < limit_s < 0.12  # faster than no source, slower than the heartbeat


def sample(name: str, *, failsafe: bool = False, **values: float) -> InputSample:
    names = tuple(values)
    return InputSample(
        source=name, sequence=1, failsafe=failsafe, names=names, values=tuple(values.values())
    )


@pytest.mark.parametrize(
    ("name", "waited_s", "is_old"),
    [("rc", 0.119, False), ("rc", 0.121, True), ("websocket:a", 0.299, False),
     ("websocket:a", 0.301, True), ("livelink:a", 0.499, False), ("livelink:a", 0.501, True)],
)  # fmt: skip
def test_sample_is_too_old_beyond_the_time_out_of_its_source(
    name: str, waited_s: float, is_old: bool
) -> None:
    rig = Rig(DIRECT, STOP)
    rig.send(name, stick=0.0)
    assert rig.router.is_too_old(name, waited_s) is is_old
    assert rig.router.is_too_old("websocket:unknown", waited_s)


@pytest.mark.parametrize(
    ("message", "stops"),
    [
        (sample("rc", switch=1.0), True),
        (sample("rc", switch=0.0), False),
        (sample("rc", failsafe=True, estop=1.0), True),
        (sample("rc", failsafe=True), False),
        (sample("safety:mat", failsafe=True), True),
        (sample("nonsense", switch=1.0), False),
    ],
)
def test_old_sample_may_stop_and_nothing_else(message: InputSample, stops: bool) -> None:
    rig = Rig(DIRECT, STOP)
    rig.router.refuse_old(message, rig.now)
    assert rig.router.latch.active is stops
    assert rig.router.refused[OLD] == 1
    assert not rig.router.dirty


def test_old_sample_leaves_the_sequence_to_the_next() -> None:
    rig = Rig(DIRECT, STOP)
    rig.router.refuse_old(sample("rc", switch=0.0), rig.now)
    assert rig.send("rc", sequence=1, switch=0.0)
