"""Participants that nobody admitted, on the robot's own bus: they stop it, they never move it."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from saint_services.lib.api import routing
from saint_services.lib.api.routing import EStopRequest
from saint_services.lib.bus import Bus
from saint_services.lib.bus.open import open_bus
from saint_services.lib.generated import topics
from saint_services.lib.generated.geometry_msgs import Twist, Vector3
from saint_services.lib.generated.saint_msgs import EStop, InputSample, RouterHeartbeat
from tests.integration.robot import ROOT, Robot
from tests.integration.senders import received, stick, transmitter
from tests.integration.tracks import Tracks
from tests.waiting import block_until, every

pytestmark = pytest.mark.changes_robot

PERIOD_S = 0.005
ATTACK_S = 3.0
FAR = 1 << 40  # above every generation and sequence that the robot uses


@pytest.fixture
async def forger(robot: Robot, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bus]:
    """A participant of our own on the robot's domain."""
    for name, value in robot.environment.items():
        monkeypatch.setenv(name, value)
    bus = await open_bus("forger", backend="dds", domain_id=robot.domain)
    yield bus
    await bus.close()


@pytest.fixture
def tracks(robot: Robot) -> Iterator[Tracks]:
    watched = Tracks(robot)
    yield watched
    watched.close()


async def most_duty(tracks: Tracks, attack: Callable[[int], None]) -> float:
    """The highest duty of either motor while the attack lasts."""
    most = 0.0
    async for number in every(PERIOD_S, for_s=ATTACK_S):
        most = max(most, *tracks.duties())
        attack(number + 1)
    return max(most, *tracks.duties())


async def test_forged_rc_samples_beside_a_neutral_transmitter_move_nothing(
    robot: Robot, tracks: Tracks, forger: Bus
) -> None:
    samples = forger.publisher(topics.INPUT_RC)
    pages = forger.publisher(topics.INPUT_WEBSOCKET)

    def attack(number: int) -> None:
        is_pushed = number > 20
        channels = {f"channel_{each}": 0.0 for each in range(1, 17)} | {"channel_2": is_pushed}
        names, held = tuple(channels), tuple(map(float, channels.values()))
        samples.publish(InputSample(source="rc", sequence=FAR + number, names=names, values=held))
        page = InputSample(source="websocket:evil", sequence=number, target="tracks")
        page.names, page.values = ("linear", "angular"), (float(is_pushed), 0.0)
        pages.publish(page)

    with transmitter(robot, [stick()]):
        await received(robot, "rc")
        assert await most_duty(tracks, attack) == 0.0


async def test_forged_heartbeat_release_and_command_move_nothing(
    robot: Robot, tracks: Tracks, forger: Bus
) -> None:
    beats = forger.publisher(topics.ROUTER_HEARTBEAT)
    latch = forger.publisher(topics.ESTOP)
    commands = forger.publisher(topics.TRACKS_CMD_VEL)
    async with robot.client("routerd") as routerd:
        request = EStopRequest(source="test", reason="before the forgery")
        assert (await routerd.request(routing.ESTOP, request)).active

    def attack(number: int) -> None:
        beats.publish(RouterHeartbeat(sequence=FAR + number, estop_generation=FAR + number))
        latch.publish(EStop(active=False, generation=FAR + number))
        commands.publish(Twist(linear=Vector3(x=1.0)))

    with _frozen(robot.pid("routerd")):
        assert await most_duty(tracks, attack) == 0.0
    block_until(lambda: robot.report().get("ready"), 30.0, robot.diagnosis)


async def test_second_router_with_fresh_state_moves_nothing(
    robot: Robot, tracks: Tracks, tmp_path: Path
) -> None:
    async with robot.client("routerd") as routerd:
        request = EStopRequest(source="test", reason="before the second router")
        assert (await routerd.request(routing.ESTOP, request)).active
    with (
        _frozen(robot.pid("routerd")),
        _second_router(robot, tmp_path),
        transmitter(robot, [stick()] * 50 + [stick(forward=1.0)] * 100),
    ):
        assert await most_duty(tracks, lambda _: None) == 0.0


@contextlib.contextmanager
def _frozen(pid: int) -> Iterator[None]:
    """The process stands still; afterwards it goes on, unless its manager has ended it."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


@contextlib.contextmanager
def _second_router(robot: Robot, folder: Path) -> Iterator[None]:
    """A routerd without any state, on the same domain."""
    for name in ("etc", "state", "run"):
        (folder / name).mkdir()
    environment = {
        **os.environ,
        **robot.environment,
        "CONFIGURATION_DIRECTORY": str(folder / "etc"),
        "STATE_DIRECTORY": str(folder / "state"),
        "RUNTIME_DIRECTORY": str(folder / "run"),
    }
    command = [sys.executable, "-m", "saint_services.routerd"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        socket = folder / "run" / "routerd.sock"
        block_until(socket.exists, 20.0, (folder / "log").read_text)
        yield
    finally:
        process.kill()
        process.wait()
