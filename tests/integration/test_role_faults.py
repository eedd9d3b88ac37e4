"""What breaks on a node, and what becomes of the robot: through real processes, with simulated
devices broken under them.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from saint_services.lib.api import routing
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.node import NodeReport
from saint_services.lib.api.routing import EStopInfo
from saint_services.lib.bus import Bus, Sample, Topic
from saint_services.lib.bus.open import open_bus
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import ArmCommand, HeadExpression
from saint_services.lib.generated.sensor_msgs import Image
from saint_services.lib.generated.std_msgs import Bool
from tests.integration.clearing import clear_estop
from tests.integration.robot import Robot
from tests.integration.senders import stick, transmitter
from tests.integration.tracks import Tracks
from tests.waiting import block_until, every, let_pass, stand_still, stays, until
from tools.sim import breaking

LIMIT_S = 20.0


@pytest.fixture
async def bus(robot: Robot, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bus]:
    """A program on the robot's bus."""
    for name, value in robot.environment.items():
        monkeypatch.setenv(name, value)
    opened = await open_bus("program", backend="dds", domain_id=robot.domain)
    yield opened
    await opened.close()


@pytest.fixture(autouse=True)
def whole_again(robot: Robot) -> Iterator[None]:
    """Every test begins with a robot that is whole and released."""
    yield
    for machine in ("arm_left", "head", "tracks"):
        breaking.clear(robot.hw(machine))
    asyncio.run(released(robot))


async def broken(robot: Robot, machine: str, device: str, fault: str) -> None:
    """In a thread: tests with a loop must not block."""
    await asyncio.to_thread(breaking.break_device, robot.hw(machine), device, fault)


async def repaired(robot: Robot, machine: str) -> None:
    """Everything of a machine."""
    await asyncio.to_thread(breaking.clear, robot.hw(machine))


async def say_until(
    bus: Bus, topic: Topic[Any], message: Any, is_over: Callable[[], Any], robot: Robot
) -> None:
    """A program commands, ten times a second, until something has happened."""
    publisher = bus.publisher(topic)

    async def is_over_now() -> bool:
        publisher.publish(message)
        return bool(await is_over())

    await until(is_over_now, LIMIT_S, robot.diagnosis, pause_s=0.1)


async def reported(robot: Robot, machine: str, text: str) -> None:
    """Until a node's reason holds the text; no text: until it is well."""
    said = ""

    async def is_reported() -> bool:
        nonlocal said
        said = await reason(robot, machine)
        return text in said if text else not said

    await until(is_reported, LIMIT_S, lambda: f"{machine} said {said!r}\n{robot.diagnosis()}")


async def released(robot: Robot) -> None:
    async with robot.client("routerd") as client:
        await clear_estop(client)


async def estop(robot: Robot) -> EStopInfo:
    async with robot.client("routerd") as client:
        return (await client.request(routing.GET_STATUS, Nothing())).estop


async def reason(robot: Robot, machine: str) -> str:
    async with robot.client("noded", machine) as client:
        return (await client.get("/status", NodeReport)).reason


async def test_arm_whose_chip_is_gone_stops_the_robot_and_says_why(robot: Robot, bus: Bus) -> None:
    await broken(robot, "arm_left", "servos", "unplug")
    cmd = topics.ARM_CMD.at(instance="left")

    async def is_stopped() -> bool:
        return (await estop(robot)).active

    await say_until(bus, cmd, ArmCommand((30.0, 20.0)), is_stopped, robot)
    latch = await estop(robot)
    assert latch.source == "arms.left"
    assert "writing to servos failed" in latch.reason


async def test_face_whose_chip_is_gone_does_not_stop_the_robot(robot: Robot, bus: Bus) -> None:
    await broken(robot, "head", "face", "unplug")

    async def is_reported() -> bool:
        return "face" in await reason(robot, "head")

    await say_until(
        bus, topics.HEAD_EXPRESSION_CMD, HeadExpression(0.5, 9.0, 9.0), is_reported, robot
    )
    assert not (await estop(robot)).active
    await repaired(robot, "head")
    await reported(robot, "head", "")  # it comes back by itself


def test_blocked_track_stops_both_and_may_be_tried_again(robot: Robot) -> None:
    tracks, place = Tracks(robot), robot.hw("tracks")
    with transmitter(robot, [stick(forward=0.0)]):
        stand_still(0.5)  # after an e-stop an input must move before it counts
    with transmitter(robot, [stick(forward=1.0)]):
        block_until(tracks.is_driving, LIMIT_S, robot.diagnosis)
        breaking.break_device(place, "left_motor", "stall")
        block_until(lambda: tracks.duties() == (0.0, 0.0), LIMIT_S, robot.diagnosis)
        asyncio.run(reported(robot, "tracks", "left track"))
        assert not asyncio.run(estop(robot)).active
    breaking.clear(place)
    with transmitter(robot, [stick(forward=0.0)]):
        stand_still(1.5)  # the pause after a stall
    with transmitter(robot, [stick(forward=1.0)]):
        block_until(tracks.is_driving, LIMIT_S, robot.diagnosis)
    tracks.close()


async def test_missing_sensor_degrades_the_head_and_heals(robot: Robot) -> None:
    await broken(robot, "head", "imu", "unplug")
    await reported(robot, "head", "imu")
    await repaired(robot, "head")
    await reported(robot, "head", "")


async def test_camera_shows_pictures_over_the_bus(robot: Robot, bus: Bus) -> None:
    pictures: list[bytes] = []
    bus.subscribe(topics.HEAD_CAMERA, lambda sample: pictures.append(bytes(sample.message.data)))
    raw: list[tuple[int, int, str, int]] = []

    def unpacked(sample: Sample[Image]) -> None:
        m = sample.message
        raw.append((m.width, m.height, m.encoding, len(m.data)))

    bus.subscribe(topics.HEAD_CAMERA_RAW, unpacked)
    switch = bus.publisher(topics.HEAD_CAMERA_CMD)
    async for _ in every(0.2, until=lambda: len(pictures) >= 5 and raw, limit_s=LIMIT_S):
        switch.publish(Bool(True))
    assert all(picture.startswith(b"\x89PNG") for picture in pictures)
    assert set(raw) == {(640, 480, "rgb8", 640 * 480 * 3)}
    switch.publish(Bool(False))
    await let_pass(1.0)  # those that are on their way
    count = len(pictures)
    await stays(lambda: len(pictures) == count, 0.5)
