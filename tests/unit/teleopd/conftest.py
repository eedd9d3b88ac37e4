"""A running teleopd for these tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.unit.teleopd.rig import RemoteRobot, remote_robot


@pytest.fixture
async def robot(tmp_path: Path) -> AsyncIterator[RemoteRobot]:
    async with remote_robot(tmp_path) as running:
        yield running
