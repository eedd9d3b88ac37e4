"""The client with the real webd: requests, states, driving with its dead-man, reconnects."""

import asyncio
import sys
import threading
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from saint_services.client import BlockingRobot, Robot, SaintError
from saint_services.client.examples import patrol
from saint_services.lib.api import adoption
from saint_services.lib.api.states import OdometryState, SystemState, TracksState
from saint_services.lib.errors import Code
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import InputSample
from tests.waiting import until
from tests.web.fakes.robot import FakeRobot, fake_robot
from tests.web.relay import Relay


@dataclass
class World:
    """A robot behind a network that can be cut; its samples, with the time of the newest."""

    robot: FakeRobot
    relay: Relay
    samples: list[InputSample] = field(default_factory=list)
    received_s: float = 0.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.relay.port}"

    def receive(self, sample: InputSample) -> None:
        self.samples.append(sample)
        self.received_s = time.monotonic()


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with fake_robot(tmp_path) as (robot, address, domain):
        relay = Relay(int(address.rpartition(":")[2]))
        await relay.open()
        world = World(robot, relay)
        domain.bus("ear").subscribe(topics.INPUT_WEBSOCKET, lambda s: world.receive(s.message))
        yield world
        await relay.close()


async def test_call_returns_the_reply_of_its_row_and_request_raises_the_refusal(world: World):
    async with Robot(world.url, name="mission") as robot:
        found = await robot.call(adoption.GET_NODE_INFO, node_id="sim_head")
        assert found.display_name == "Head"
        with pytest.raises(SaintError, match="nobody") as caught:
            await robot.request("management", "get_node_info", {"node_id": "nobody"})
        assert caught.value.code is Code.NOT_FOUND
        assert {node.node_id for node in (await robot.nodes()).nodes} == set(world.robot.nodes)


async def test_wrong_parameter_is_refused_before_it_is_sent(world: World):
    async with Robot(world.url) as robot:
        with pytest.raises(SaintError, match="pan must be a number, not 'fast'") as caught:
            await robot.head.move(pan="fast")
        assert caught.value.code is Code.REQUEST_INVALID


async def test_states_come_as_their_models(world: World):
    playing = asyncio.create_task(world.robot.play())
    async with Robot(world.url) as robot, asyncio.timeout(10):
        async for tracks in robot.watch(TracksState, rate_hz=0):
            if tracks.odom is not None and tracks.motors_enabled:
                break
        with pytest.raises(TypeError, match="OdometryState is no state of a topic"):
            await anext(robot.watch(OdometryState))
    playing.cancel()


async def test_drive_repeats_times_out_without_the_program_and_ends_with_zero(world: World):
    async with Robot(world.url, name="mission") as robot:
        async with robot.tracks.drive() as drive:
            await drive.set(linear=0.3)
            await until(lambda: len(world.samples) >= 4)
            assert {s.source for s in world.samples} == {"websocket:mission"}
            assert {round(s.values[0], 3) for s in world.samples} == {0.3}
            await until(lambda: time.monotonic() - world.received_s > 0.3)
            assert len(world.samples) <= 12, "half a second of 20 Hz, and no more"
        await until(lambda: tuple(world.samples[-1].values) == (0.0, 0.0))


async def test_base_is_driven_by_the_name_of_its_target(world: World):
    async with Robot(world.url) as robot:
        async with robot.base.drive() as drive:
            await drive.set(angular=0.3)
            await until(lambda: world.samples)
            assert {each.target for each in world.samples} == {"tracks"}
        await robot.base.stop()
        await until(lambda: tuple(world.samples[-1].values) == (0.0, 0.0))


async def test_drive_refuses_an_unknown_field(world: World):
    async with Robot(world.url) as robot, robot.tracks.drive() as drive:
        with pytest.raises(TypeError, match="no sideways, only linear, angular"):
            await drive.set(sideways=1.0)


async def test_lost_connection_raises_while_driving_and_is_restored(world: World):
    async with Robot(world.url) as robot:
        states = robot.watch(SystemState)
        await anext(states)
        async with robot.tracks.drive() as drive:
            await drive.set(linear=0.2)
            world.relay.cut()
            await until(lambda: not robot.is_connected)
            with pytest.raises(SaintError) as caught:
                await drive.set(linear=0.2)
            assert caught.value.code is Code.DAEMON_UNREACHABLE
        world.relay.restore()
        await robot.wait_connected()
        before = len(world.samples)
        async with asyncio.timeout(10):
            await anext(states)
            await anext(states)
        assert len(world.samples) == before, "nothing is sent late"
        await states.aclose()


async def test_estop_is_raised_and_cleared(world: World):
    async with Robot(world.url) as robot:
        assert (await robot.estop("test")).active
        assert world.robot.estop.reason == "test"
        latch = await robot.estop_state()
        assert latch is not None and [each.reason for each in latch.presses] == ["test"]
        world.robot.set_estop(True, "rc", "switch")
        with pytest.raises(SaintError, match="rc: switch"):
            await robot.clear_estop(latch.generation)
        assert not (await robot.clear_estop(latch.generation + 1)).active


async def test_wrong_token_and_missing_robot_raise_at_once(tmp_path: Path):
    async with fake_robot(tmp_path, auth=True) as (_, address, _domain):
        with pytest.raises(SaintError) as caught:
            async with Robot(address, token="wrong"):
                pass
        assert caught.value.code is Code.UNAUTHORIZED
    with pytest.raises(SaintError) as caught:
        async with Robot("127.0.0.1:9"):
            pass
    assert caught.value.code is Code.DAEMON_UNREACHABLE
    with pytest.raises(SaintError, match="not the address of a robot"):
        Robot("ftp://robot")


async def test_program_without_asyncio_drives_and_watches(world: World):
    def program() -> float:
        with BlockingRobot(world.url, name="script") as robot:
            with robot.drive() as drive:
                drive.hold(0.1, angular=0.5)
            assert robot.estop("done").active
            states = robot.watch(SystemState)
            clients = next(states).clients or 0
            states.close()  # type: ignore[attr-defined]
            return clients

    assert await asyncio.to_thread(program) >= 1
    assert {s.source for s in world.samples} == {"websocket:script"}
    assert tuple(world.samples[-1].values) == (0.0, 0.0)


async def test_example_controller_drives_and_rests(world: World, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(patrol, "LEG_S", 0.2)
    async with asyncio.timeout(20):
        assert await patrol.main(world.url, legs=2) == 0
    speeds = [s.values[0] for s in world.samples if s.target == "tracks"]
    assert {round(speed, 3) for speed in speeds} == {0.2, -0.2, 0.0}
    assert speeds[-1] == 0.0


async def test_blocking_robot_that_does_not_connect_leaves_no_thread():
    def program() -> None:
        with BlockingRobot("127.0.0.1:9", name="no robot"):
            pass

    with pytest.raises(SaintError):
        await asyncio.to_thread(program)
    assert "no robot" not in {thread.name for thread in threading.enumerate()}


# As a program that fails between opening the robot and its end, in a library that undoes nothing.
_LEFT_OPEN = """
import contextlib, sys
from saint_services.client import BlockingRobot
from saint_services.lib.api.states import SystemState

left = contextlib.ExitStack()
robot = left.enter_context(BlockingRobot(sys.argv[1], name="script"))
left.enter_context(robot.drive()).set(angular=0.5)
next(robot.watch(SystemState))
raise ValueError("what the program failed of")
"""


async def test_program_that_fails_with_an_open_robot_ends(world: World):
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _LEFT_OPEN, world.url, stderr=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(20):
            _, said = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    assert said.decode().splitlines()[-1] == "ValueError: what the program failed of"
    assert process.returncode == 1


async def test_closed_blocking_robot_says_so(world: World):
    def program() -> None:
        with BlockingRobot(world.url, name="script") as robot:
            pass
        with pytest.raises(SaintError, match="is closed"):
            robot.estop("too late")

    await asyncio.to_thread(program)


async def test_robot_that_is_cancelled_during_sign_in_leaves_no_task():
    async def never_answers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(never_answers, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1), Robot(f"127.0.0.1:{port}"):
            pass
    assert "saint client" not in {task.get_name() for task in asyncio.all_tasks()}
    server.close()
