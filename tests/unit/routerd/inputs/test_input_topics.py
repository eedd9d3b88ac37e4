"""Inputs and foreign commands on their topics, with a running router. What waited while its
loop stood still drives nothing; a stop among it stops.
"""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from saint_services.lib.api import routing
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.routing import EStopInfo
from saint_services.lib.generated import topics
from saint_services.lib.generated.geometry_msgs import Twist, Vector3
from saint_services.lib.generated.saint_msgs import (
    HeadCommand,
    InputSample,
)
from saint_services.lib.generated.sensor_msgs import Joy
from saint_services.lib.machine.service_manager import Directories
from saint_services.routerd.inputs import neighbours, writers
from saint_services.routerd.wiring import STALL_S
from tests.unit.routerd.daemon_rig import RunningRouter, alive, places
from tests.unit.routerd.rig import route
from tests.waiting import stand_still, turns, until

pytestmark = pytest.mark.timed

OLD = "old after a stall"


@pytest.fixture
def directories(tmp_path: Path) -> Directories:
    return places(tmp_path)


@pytest.fixture
def without_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs count from their first sample on."""
    monkeypatch.setattr(neighbours, "GRACE_S", 0.0)


@pytest.mark.usefixtures("without_grace")
async def test_foreign_twist_drives_by_the_routers_rules(directories: Directories) -> None:
    async with alive(directories) as robot:
        ours = robot.context
        foreign = robot.bus.publisher(topics.TRACKS_CMD_VEL)
        foreign.publish(Twist(linear=Vector3(x=0.05)))
        await turns()
        status = await robot.client.request(routing.GET_STATUS, Nothing())
        linear = next(each for each in status.outputs if each.field == "linear")
        assert (linear.winner, linear.source) == ("autonomous", "autonomous:ros")
        assert linear.value == pytest.approx(0.05)
        assert ours.health.is_healthy


async def linear_of(robot: RunningRouter) -> routing.FieldOutput:
    """Return the tracks' forward speed."""
    status = await robot.client.request(routing.GET_STATUS, Nothing())
    return next(each for each in status.outputs if each.field == "linear")


@pytest.mark.usefixtures("without_grace")
async def test_usual_cmd_vel_drives_as_the_robots_own(directories: Directories) -> None:
    async with alive(directories) as robot:
        robot.bus.publisher(topics.CMD_VEL).publish(Twist(linear=Vector3(x=0.05)))
        await turns()
        linear = await linear_of(robot)
        assert (linear.source, linear.value) == ("autonomous:ros", pytest.approx(0.05))


@pytest.mark.usefixtures("without_grace")
async def test_joystick_drives_what_a_route_maps_and_keeps_nothing_else_alive(
    directories: Directories,
) -> None:
    async with alive(directories) as robot:
        joystick = robot.bus.publisher(topics.JOY)
        robot.bus.publisher(topics.CMD_VEL).publish(Twist(linear=Vector3(x=0.05)))
        joystick.publish(Joy(axes=(0.0, 0.1), buttons=(0, 1)))
        await turns()
        assert (await linear_of(robot)).value == pytest.approx(0.05)

        async def is_given_up() -> bool:
            joystick.publish(Joy(axes=(0.0, 0.1), buttons=(0, 1)))
            return (await linear_of(robot)).winner == ""

        assert await until(is_given_up)
        mapping = [{"from": "axis_1", "to": "tilt", "scale": 100.0}]
        lead = route("stick", "autonomous", "head", mapping)
        await robot.client.request(routing.SET_ROUTE, routing.SetRoute(route=lead))

        async def is_tilted() -> bool:
            joystick.publish(Joy(axes=(0.0, 0.1), buttons=(0, 1)))
            status = await robot.client.request(routing.GET_STATUS, Nothing())
            return any(each.field == "tilt" and each.winner for each in status.outputs)

        assert await until(is_tilted)


@pytest.mark.usefixtures("without_grace")
async def test_joystick_with_what_is_no_number_is_refused(directories: Directories) -> None:
    async with alive(directories) as robot:
        joystick = robot.bus.publisher(topics.JOY)
        for axes in ((math.nan,), (math.inf,), (2.0,), ()):
            joystick.publish(Joy(axes=axes))
        joystick.publish(Joy(axes=(0.0,) * 300))
        await turns()
        status = await robot.client.request(routing.GET_STATUS, Nothing())
        assert status.refused == {"unusable joystick": 5}


@pytest.mark.usefixtures("without_grace")
async def test_foreign_head_command_leaves_nan_fields_alone(directories: Directories) -> None:
    async with alive(directories) as robot:
        robot.bus.publisher(topics.HEAD_CMD).publish(HeadCommand(math.nan, 12.0, math.nan))
        await turns()
        status = await robot.client.request(routing.GET_STATUS, Nothing())
        driven = [each.field for each in status.outputs if each.winner]
        assert driven == ["tilt"]


async def test_leaders_and_safety_devices_use_the_topic_of_programs(
    directories: Directories,
) -> None:
    async with alive(directories) as robot:
        lead = route("lead", "leader", "arms.left", [{"from": "j0", "to": "joint_0"}])
        await robot.client.request(routing.SET_ROUTE, routing.SetRoute(route=lead))
        publisher = robot.bus.publisher(topics.INPUT_AUTONOMOUS)
        for source in ("leader:left", "safety:bumper", "rc"):
            publisher.publish(InputSample(source=source, sequence=1, names=("j0",), values=(5.0,)))
        await turns()
        status = await robot.client.request(routing.GET_STATUS, Nothing())
        driven = {f"{each.target}.{each.field}": each.source for each in status.outputs}
        assert driven["arms.left.joint_0"] == "leader:left"
        assert status.refused == {"source on the wrong topic": 1}

        async def stopped() -> EStopInfo | None:
            estop = (await robot.client.request(routing.GET_STATUS, Nothing())).estop
            return estop if estop.active else None

        assert (await until(stopped)).source == "safety:bumper"  # it timed out


async def test_remote_operator_has_a_topic_and_names_of_its_own(directories: Directories) -> None:
    async with alive(directories) as robot:
        values = {"target": "tracks", "names": ("linear",), "values": (0.3,)}
        operator = InputSample(source="websocket:teleop-1", sequence=1, **values)
        robot.bus.publisher(topics.INPUT_WEBSOCKET).publish(operator)
        page = InputSample(source="websocket:page", sequence=1, **values)
        robot.bus.publisher(topics.INPUT_TELEOP).publish(page)
        await turns()
        status = await robot.client.request(routing.GET_STATUS, Nothing())
        assert (status.refused, status.samples) == ({"source on the wrong topic": 2}, 0)
        robot.bus.publisher(topics.INPUT_TELEOP).publish(operator)
        await turns()
        status = await robot.client.request(routing.GET_STATUS, Nothing())
        assert status.samples == 1


async def test_garbage_on_the_bus_is_counted(directories: Directories) -> None:
    async with alive(directories) as robot:
        bad = InputSample(source="websocket:1", sequence=1, names=("channel_2",), values=(1.0,))
        robot.bus.publisher(topics.INPUT_RC).publish(bad)
        robot.bus.publisher(topics.INPUT_RC).publish(replace(bad, source="rc", values=()))
        robot.bus.publisher(topics.HEAD_CMD).publish(HeadCommand(*[math.nan] * 3))
        await turns()
        status = await robot.client.request(routing.GET_STATUS, Nothing())
        assert status.refused == {
            "source on the wrong topic": 1,
            "names and values differ in number": 1,
            "empty foreign command": 1,
        }
        assert status.samples == 0


async def counted(robot: RunningRouter) -> int:

    return (await robot.client.request(routing.GET_STATUS, Nothing())).refused.get(OLD, 0)


async def test_sample_that_waited_out_a_stall_drives_nothing(directories: Directories) -> None:
    async with alive(directories) as robot:
        robot.record(topics.TRACKS_CMD_VEL)
        await robot.drive(0.2, channel_2=0.0)
        robot.rc(channel_2=1.0)
        stand_still(0.3)
        await turns()
        moved = [each for each in robot.all_of(topics.TRACKS_CMD_VEL) if each.linear.x]
        assert moved == []
        assert await counted(robot) == 1


async def test_sample_after_a_stall_drives_again(directories: Directories) -> None:
    async with alive(directories) as robot:
        robot.record(topics.TRACKS_CMD_VEL)
        await robot.drive(0.2, channel_2=0.0)
        stand_still(0.3)
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
        stand_still(0.4)
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
        stand_still(0.4)  # LiveLink may be silent for 500 ms, a program for 300
        await turns()
        assert await counted(robot) == 1


async def test_stop_that_waited_out_a_stall_stops(directories: Directories) -> None:
    async with alive(directories) as robot:
        robot.record(topics.ESTOP)
        await robot.drive(0.2, channel_2=0.0, channel_6=-1.0)
        robot.rc(channel_2=0.0, channel_6=1.0)
        stand_still(0.3)
        await turns()
        assert robot.all_of(topics.ESTOP)[-1].active


@pytest.mark.parametrize("limit_s", [STALL_S])
def test_stall_is_noticed_before_the_shortest_time_out_is_over(limit_s: float) -> None:
    assert 0.05 < limit_s < 0.12  # faster than no source, slower than the heartbeat
