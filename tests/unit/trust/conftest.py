"""The fixture of the trust tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from saint_services.lib.bus.local import LocalDomain
from tests.unit.trust.trust_rig import Robot


@pytest.fixture
async def robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Robot]:
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", f"unix:path={tmp_path / 'no-bus'}")
    monkeypatch.setenv("SAINT_HW", "none here")
    robot = Robot(tmp_path, monkeypatch, LocalDomain())
    yield robot
    for role in robot.roles:
        await role.close()
