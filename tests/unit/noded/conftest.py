"""The fixture of noded's tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from saint_services.lib import hw
from saint_services.lib.roles import RoleConfig
from tests.unit.noded.node_rig import Robot


@pytest.fixture
async def robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Robot]:
    monkeypatch.setenv("SAINT_NODE_ID", "pi_1")
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", f"unix:path={tmp_path / 'no-bus'}")
    monkeypatch.setenv("SAINT_HW", f"sim:{tmp_path / 'hw'}")
    robot = Robot(tmp_path)

    def make_safe(board: hw.Board, config: RoleConfig) -> None:
        robot.happened.append(f"{config.target} made safe")

    monkeypatch.setattr(hw, "make_safe", make_safe)
    yield robot
    for role in robot.roles:
        await role.close()
