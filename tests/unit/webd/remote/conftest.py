"""Robots with a pair of SO-101 arms, each with a real webd and fake daemons around it."""

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from saint_services.webd.config import AuthSettings, Config
from saint_services.webd.remote import master
from tests.unit.webd.remote.conversation_rig import ConversationRig
from tests.unit.webd.remote.net_rig import RemoteProxy, RemoteServer, remote_server
from tests.unit.webd.remote.remote_rig import ArmRobot
from tests.web.fakes.robot import fake_robot

_OPEN = Config(robot="so101_pair", auth=AuthSettings(required=False))
_LOCKED = Config(robot="so101_pair", auth=AuthSettings(required=True))


@pytest.fixture
async def rig(monkeypatch: pytest.MonkeyPatch) -> ConversationRig:
    """Conversations without a web server. A command waits for its lock, however busy the computer
    is.
    """
    monkeypatch.setattr(master, "PENDING_S", 60.0)
    return ConversationRig()


@pytest.fixture
async def arm(tmp_path: Path) -> AsyncIterator[ArmRobot]:
    """One robot, without a token."""
    made = fake_robot(tmp_path / "arm", config=_OPEN)
    async with made as (robot, address, domain), aiohttp.ClientSession() as http:
        yield ArmRobot(robot, address, http, domain)


@pytest.fixture
async def locked(tmp_path: Path) -> AsyncIterator[ArmRobot]:
    """One robot that needs a token, as by default."""
    made = fake_robot(tmp_path / "locked", config=_LOCKED)
    async with made as (robot, address, domain), aiohttp.ClientSession() as http:
        yield ArmRobot(robot, address, http, domain)


@pytest.fixture
async def first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RemoteServer]:
    """The remote side of one robot."""
    monkeypatch.setattr(master, "PENDING_S", 60.0)
    async with remote_server(tmp_path / "first") as made:
        yield made


@pytest.fixture
async def second(tmp_path: Path) -> AsyncIterator[RemoteServer]:
    """That of another one."""
    async with remote_server(tmp_path / "second") as made:
        yield made


@pytest.fixture
async def network(second: RemoteServer) -> AsyncIterator[RemoteProxy]:
    """The network to the second robot."""
    async with RemoteProxy(second.address).serving() as made:
        yield made
