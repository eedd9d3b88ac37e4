"""A robot of fake daemons behind the real webd, and saintctl on its machine."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from saint_services.saintctl.app import app
from tests.unit.saintctl.fake_daemons import FakeDaemons, fake_daemons
from tests.web.fakes.robot import FakeRobot, fake_robot

RunSaintctl = Callable[..., Awaitable[Result]]


@pytest.fixture
async def robot(tmp_path: Path) -> AsyncIterator[FakeRobot]:
    async with fake_robot(tmp_path) as (robot, _, _):
        yield robot


@pytest.fixture
def saintctl(robot: FakeRobot) -> RunSaintctl:
    """Run a command in a thread, since it runs its own event loop."""

    async def run(*words: str, typed: str = "") -> Result:
        line = ["--run", str(robot.runtime), *words]
        return await asyncio.to_thread(CliRunner().invoke, app, line, input=typed)

    return run


@pytest.fixture
async def daemons(tmp_path: Path) -> AsyncIterator[FakeDaemons]:
    async with fake_daemons(tmp_path) as found:
        yield found
