"""A ROS 2 program beside the wagon, over real DDS: /cmd_vel moves it once a person has armed it,
and odometry, attitude, battery and diagnostics are those that programs expect.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from math import isnan
from typing import Any

import pytest

from saint_services.lib.api import wagon
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.bus import Bus, Topic
from saint_services.lib.bus.open import open_bus
from saint_services.lib.generated import topics
from saint_services.lib.generated.geometry_msgs import Twist, Vector3
from saint_services.lib.wagon.meanings import WagonState
from tests.integration.robot import Robot, running_robot
from tests.integration.test_wagon import LiveBoard
from tests.waiting import every, until

LIMIT_S = 30.0


@pytest.fixture
def robot() -> Iterator[Robot]:
    with running_robot("--robot", "saul_tee", "--no-machines") as running:
        yield running


@pytest.fixture
def live(robot: Robot) -> Iterator[LiveBoard]:
    found = LiveBoard(robot.hw("wagon"))
    yield found
    found.close()


@pytest.fixture
async def program(robot: Robot) -> AsyncIterator[Bus]:
    bus = await open_bus("navigation", backend="dds", domain_id=robot.domain)
    yield bus
    await bus.close()


async def first(bus: Bus, topic: Topic[Any], is_it: Any = lambda message: True) -> Any:
    found: list[Any] = []
    reading = bus.subscribe(
        topic, lambda sample: found.append(sample.message) if is_it(sample.message) else None
    )
    await until(lambda: found, LIMIT_S)
    reading.close()
    return found[0]


async def test_program_drives_the_wagon_and_reads_it(
    robot: Robot, live: LiveBoard, program: Bus
) -> None:
    client, board = robot.client("routerd"), live.board
    velocity = program.publisher(topics.CMD_VEL)

    async def drive(seconds: float, linear: float, angular: float = 0.0) -> None:
        async for _ in every(0.05, times=round(seconds / 0.05)):
            velocity.publish(Twist(Vector3(linear, 0.0, 0.0), Vector3(0.0, 0.0, angular)))

    async with asyncio.timeout(LIMIT_S):
        while (await client.request(wagon.GET_STATUS, Nothing())).state != "disarmed":
            await until(lambda: True)
    await drive(1.0, 0.5)
    assert board.state is WagonState.DISARMED and board.speed == 0
    await drive(0.5, 0.0)
    await client.request(wagon.ARM, Nothing())
    driving = asyncio.create_task(drive(6.0, 0.5, 0.4))
    odometry = await first(
        program, topics.WAGON_ODOM, lambda each: each.twist.twist.linear.x > 0.45
    )
    assert (odometry.header.frame_id, odometry.child_frame_id) == ("odom", "base_link")
    assert board.steer > 0
    found = await first(
        program, topics.DIAGNOSTICS, lambda each: each.status[0].name[:5] == "wagon"
    )
    assert {"wagon: board", "wagon: battery", "wagon: bus"} <= {each.name for each in found.status}
    await driving
    await until(lambda: board.speed == 0, 5.0)  # a program that is silent stops
    imu = await first(program, topics.WAGON_IMU)
    assert imu.header.frame_id == "base_link"
    assert imu.linear_acceleration_covariance[0] == -1.0
    battery = await first(program, topics.BATTERY)
    assert battery.voltage == pytest.approx(38.0)
    assert isnan(battery.percentage) and battery.present
