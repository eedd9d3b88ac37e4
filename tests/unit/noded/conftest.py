"""The fixtures of noded's tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.unit.noded.card_rig import Card, open_card
from tests.unit.noded.node_rig import Robot
from tools.fake_rauc.bundle_writer import Keys, make_keys


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


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    return make_keys(tmp_path_factory.mktemp("keys"))


@pytest.fixture
async def card(robot: Robot, keys: Keys, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Card]:
    async with open_card(robot, keys, monkeypatch) as card:
        yield card
