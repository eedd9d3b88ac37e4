"""menlo-sdk, unmodified, drives the simulated walking robot through saint_services.client.menlo:
stand, balance, walk, damp; and the robot is damped when the program is killed. Needs
`make test-menlo`, which installs it for Python 3.12.
"""

import asyncio
import contextlib
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from saint_services.client.robot import Robot as Client
from saint_services.lib.api.states import LegsState
from saint_services.lib.api.webd.legs import DAMP
from tests.integration.robot import Robot, running_robot
from tests.integration.test_legs import connected

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "build/menlo/bin/python"
PORTS = ("18850", "18851", "13000")
LIMIT_S = 90.0

pytestmark = pytest.mark.timeout(300)
if not PYTHON.exists():
    pytest.skip("needs menlo-sdk: make test-menlo", allow_module_level=True)


@pytest.fixture(scope="module")
def asimov() -> Iterator[Robot]:
    with running_robot("--robot", "asimov") as robot:
        yield robot


@contextlib.asynccontextmanager
async def process(*words: str, **environment: str) -> AsyncIterator[Process]:
    made = await asyncio.create_subprocess_exec(
        *words, cwd=ROOT, env={**os.environ, **environment}, stdin=PIPE, stdout=PIPE
    )
    try:
        yield made
    finally:
        with contextlib.suppress(ProcessLookupError):
            made.kill()
        await made.wait()


@contextlib.asynccontextmanager
async def driven(robot: Robot, what: str) -> AsyncIterator[tuple[Client, Process]]:
    """A program of the SDK over the bridge."""
    ports = ("--command-port", PORTS[0], "--state-port", PORTS[1], "--version-port", PORTS[2])
    words = (sys.executable, "-m", "saint_services.client.menlo", "--from", "127.0.0.1", *ports)
    program = str(ROOT / "tests/integration/menlo_program.py")
    async with (
        connected(robot) as client,
        process(*words, SAINT_SERVER=robot.http_url) as bridge,
    ):
        await client.call(DAMP)  # the role has just started
        assert "without authentication" in (await line(bridge))
        await said(bridge, f"Waiting for commands on UDP {PORTS[0]}.")
        async with process(str(PYTHON), program, *PORTS, what) as sdk:
            yield client, sdk


async def line(program: Process) -> str:
    assert program.stdout is not None
    return (await asyncio.wait_for(program.stdout.readline(), LIMIT_S)).decode().strip()


async def said(program: Process, word: str) -> None:
    assert await line(program) == word


async def until_reported(client: Client, mode: str, vx: float = 0.0) -> None:
    """To balance is reported as move, without a velocity."""
    async with asyncio.timeout(LIMIT_S):
        async for state in client.watch(LegsState):
            if state.reported == mode and state.vx == pytest.approx(vx):
                return


async def test_sdk_has_the_robot_stand_balance_walk_and_damp(asimov: Robot) -> None:
    async with driven(asimov, "walk") as (client, sdk):
        for word in ("open", "stand", "balance", "walked", "damp"):
            await said(sdk, word)
        assert await asyncio.wait_for(sdk.wait(), LIMIT_S) == 0
        await until_reported(client, "damp")


async def test_robot_is_damped_when_the_program_is_killed(asimov: Robot) -> None:
    async with driven(asimov, "hold") as (client, sdk):
        for word in ("open", "stand", "balance", "walking"):
            await said(sdk, word)
        await until_reported(client, "move", 0.3)
        sdk.kill()
        async with asyncio.timeout(3.0):
            await until_reported(client, "damp")
