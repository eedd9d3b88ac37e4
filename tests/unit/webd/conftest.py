"""A webd with fake daemons around it."""

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from tests.unit.webd.web_rig import Rig
from tests.web.fakes.robot import fake_robot


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    """Without a token."""
    async with fake_robot(tmp_path) as (robot, address, domain), aiohttp.ClientSession() as http:
        rig = Rig(robot, address, domain, http)
        yield rig
        await rig.close()


@pytest.fixture
async def locked(tmp_path: Path) -> AsyncIterator[Rig]:
    """With a token, as by default."""
    made = fake_robot(tmp_path, auth=True)
    async with made as (robot, address, domain), aiohttp.ClientSession() as http:
        rig = Rig(robot, address, domain, http)
        yield rig
        await rig.close()
