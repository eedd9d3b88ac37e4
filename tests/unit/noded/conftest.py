"""The fixture of noded's tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.unit.noded.node_rig import Robot


@pytest.fixture
async def robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Robot]:
    monkeypatch.setenv("SAINT_NODE_ID", "pi_1")
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", f"unix:path={tmp_path / 'no-bus'}")
    monkeypatch.setenv("SAINT_HW", f"sim:{tmp_path / 'hw'}")
    robot = Robot(tmp_path)
    await robot.guard.start()
    yield robot
    await robot.guard.close()
    for role in robot.roles:
        await role.close()
