"""noded as a process of its own, over the real bus, after a start of its machine: the server's
release is installed before the role gets its configuration, so before an output opens.
"""

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.integration.bus_rig import DOMAIN, WAIT_S, opened
from tests.unit.noded.card_rig import Card, open_card
from tests.unit.noded.node_rig import FakeRole, Robot
from tests.waiting import let_pass, until
from tools import sim
from tools.fake_rauc.bundle_writer import make_keys

SERVER_STARTS_S = 4.0  # later than one request's limit, which once let the role start


@pytest.fixture
async def card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Card]:
    """A node that was adopted as tracks and is switched on; 1.1 is on its server."""
    monkeypatch.setenv("SAINT_NODE_ID", "pi_1")
    monkeypatch.setenv("SAINT_HW", f"sim:{tmp_path / 'hw'}")
    keys = await asyncio.to_thread(make_keys, tmp_path / "keys")
    robot = Robot(tmp_path)
    await robot.guard.start()
    async with open_card(robot, keys, monkeypatch) as card:
        role = await card.tracks()
        async with card.adopted():
            pass
        role.assignments.clear()
        card.restart(monkeypatch)
        card.offered = "1.1"
        yield card
        await role.close()
    await robot.guard.close()


def role_of(card: Card) -> FakeRole:
    return card.robot.roles[0]


@asynccontextmanager
async def noded(card: Card, settings: str = "") -> AsyncIterator[Process]:
    """The real program."""
    places = card.robot.directories
    places.config.mkdir(exist_ok=True)
    (places.config / "noded.yaml").write_text(settings or "{}\n")
    environment = {
        **os.environ,
        **sim.environment(),
        "CONFIGURATION_DIRECTORY": str(places.config),
        "STATE_DIRECTORY": str(places.state),
        "RUNTIME_DIRECTORY": str(places.runtime),
        "ROS_DOMAIN_ID": str(DOMAIN),
        "SAINT_BUS": "dds",
        "SAINT_DDS_INTERFACE": "lo",
    }
    command = (sys.executable, "-m", "saint_services.noded")
    with (places.state / "log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *command, env=environment, stdin=DEVNULL, stdout=log, stderr=log
        )
    try:
        yield process
    finally:
        process.terminate()
        await process.wait()


def log_of(card: Card) -> str:
    return (card.robot.directories.state / "log").read_text()


async def test_release_of_a_server_that_starts_late_is_installed_before_the_role_begins(
    card: Card,
) -> None:
    async with opened("otad") as [bus], noded(card):
        await let_pass(SERVER_STARTS_S)  # the server's own start
        assert not role_of(card).assignments
        card.serve_releases(bus)
        await until(card.request.exists, WAIT_S, lambda: log_of(card))
        assert card.checks[0].current_version == "1.0"
        assert not role_of(card).assignments
        assert "update to 1.1" in card.request.read_text()


async def test_role_begins_without_a_server_and_at_once_after_a_restart_of_noded(
    card: Card,
) -> None:
    async with noded(card, "offer_wait_s: 1.5\n"):
        await until(lambda: role_of(card).assignments, WAIT_S, lambda: log_of(card))
    assert "the server offers no release yet" in log_of(card)
    async with noded(card):
        await until(lambda: len(role_of(card).assignments) == 2, WAIT_S, lambda: log_of(card))
    assert "the server offers no release yet" not in log_of(card)
