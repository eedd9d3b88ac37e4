"""The animatronic face (manifests/robots/face.yaml) in real processes: twelve servos that no
program knows, driven by HTTP, by saintctl, by a topic; stopped; killed and back again.
"""

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from saint_services.client.robot import Robot as Client
from saint_services.lib.api.states import PartsState
from saint_services.lib.bus.open import open_bus
from saint_services.lib.errors import SaintError
from saint_services.lib.generated.saint_msgs import PartCommand, PartState
from saint_services.lib.generated.topics import PARTS_CMD, PARTS_STATE
from tests.integration.robot import Robot, running_robot
from tests.waiting import block_until, until
from tools.sim.observe import read_pca9685

FACE, TARGET = "part_face", "parts.face"
BROW_LEFT, JAW, EYE_PAN = 0, 8, 6  # channels in manifests/roles/parts_face.yaml
LIMIT_S = 30.0


@pytest.fixture(scope="module")
def face() -> Iterator[Robot]:
    with running_robot("--robot", "face") as robot:
        yield robot


def pulse(robot: Robot, channel: int) -> float:
    return read_pca9685(robot.hw(FACE), 1, 0x40)[channel].value


async def eventually(look: Callable[[], bool], robot: Robot) -> None:
    await asyncio.to_thread(block_until, look, LIMIT_S, robot.diagnosis)


async def cleared(client: Client) -> None:
    latch = await client.estop_state()
    assert latch is not None
    await client.clear_estop(latch.generation)


async def test_every_servo_follows_a_command_by_name(face: Robot) -> None:
    async with Client(face.http_url) as client:
        await cleared(client)
        await client.parts.set(TARGET, {"jaw": 1.0, "eye_pan": 35.0})
        await eventually(lambda: abs(pulse(face, JAW) - 1800.0) < 5.0, face)
        await eventually(lambda: abs(pulse(face, EYE_PAN) - 1889.0) < 5.0, face)
        async for state in client.watch(PartsState):
            if state.targets and state.targets[TARGET].outputs["jaw"].value == 1.0:
                break


async def test_saintctl_drives_a_part(face: Robot) -> None:
    command = (
        *(sys.executable, "-m", "saint_services.saintctl", "--server", face.http_url),
        *("parts", "set", TARGET, "brow_left=30", "--seconds", "1"),
    )
    done = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "saintctl route why parts.face.brow_left" in done.stdout
    highest = 0.0

    def has_been_up() -> bool:
        nonlocal highest
        highest = max(highest, pulse(face, BROW_LEFT))
        return abs(highest - 1833.0) < 5.0 or abs(pulse(face, BROW_LEFT) - 1500.0) < 5.0

    await eventually(has_been_up, face)


async def test_topic_drives_and_the_state_has_names_values_and_units(
    face: Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in face.environment.items():
        monkeypatch.setenv(name, value)
    bus = await open_bus("program", backend="dds", domain_id=face.domain)
    states: list[PartState] = []
    bus.subscribe(PARTS_STATE.at(instance="face"), lambda each: states.append(each.message))
    send = bus.publisher(PARTS_CMD.at(instance="face"))

    def is_there() -> bool:
        send.publish(PartCommand(names=("jaw", "lip_left"), values=(0.5, -20.0)))
        return bool(states) and dict(zip(states[-1].names, states[-1].values, strict=True))[
            "lip_left"
        ] == pytest.approx(-20.0)

    await until(is_there, LIMIT_S, face.diagnosis, pause_s=0.02)
    assert len(states[-1].names) == 12
    assert set(states[-1].units) == {"deg", "ratio"}
    await bus.close()


async def test_estop_holds_every_servo_and_refuses_commands(face: Robot) -> None:
    async with Client(face.http_url) as client:
        await cleared(client)
        await client.parts.set(TARGET, {"jaw": 0.0})
        await eventually(lambda: abs(pulse(face, JAW) - 1300.0) < 5.0, face)
        await client.estop("test")

        async def is_confirmed() -> bool:
            latch = await client.estop_state()
            return latch is not None and latch.active and latch.confirmed

        await until(is_confirmed, LIMIT_S, face.diagnosis)
        with pytest.raises(SaintError):
            await client.parts.set(TARGET, {"jaw": 1.0})
        assert abs(await asyncio.to_thread(pulse, face, JAW) - 1300.0) < 5.0
        await cleared(client)


async def test_killed_role_comes_back_and_the_servos_keep_their_pulses(face: Robot) -> None:
    async with Client(face.http_url) as client:
        await cleared(client)
        await client.parts.set(TARGET, {"eye_pan": -35.0})
        await eventually(lambda: abs(pulse(face, EYE_PAN) - 1111.0) < 5.0, face)
        killed = await asyncio.to_thread(face.kill, "role-partsd", FACE)
        assert await asyncio.to_thread(pulse, face, EYE_PAN) > 1000.0  # no servo falls
        await eventually(lambda: face.pid("role-partsd", FACE) not in (0, killed), face)

        async def obeys() -> bool:
            await client.parts.set(TARGET, {"jaw": 0.8})
            return abs(await asyncio.to_thread(pulse, face, JAW) - 1700.0) < 5.0

        await until(obeys, LIMIT_S, face.diagnosis, pause_s=0.2)
