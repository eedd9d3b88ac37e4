"""A robot of fake daemons behind the real webd, and saintctl beside it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from saint_services.saintctl.app import app
from tests.web.fakes.robot import FakeRobot, fake_robot

Ask = Callable[..., Awaitable[Result]]


@pytest.fixture
async def robot(tmp_path: Path) -> AsyncIterator[FakeRobot]:
    async with fake_robot(tmp_path) as (robot, _, _):
        yield robot


@pytest.fixture
def saintctl(robot: FakeRobot) -> Ask:
    """In a thread: the command has a loop of its own."""

    async def ask(*words: str, typed: str = "") -> Result:
        line = ["--run", str(robot.runtime), *words]
        return await asyncio.to_thread(CliRunner().invoke, app, line, input=typed)

    return ask
