"""Audit entries of nodes: one entry of adoptiond, by every way of a request."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from saint_services.adoptiond.config import Config
from saint_services.adoptiond.daemon import run
from saint_services.lib.daemon import running
from saint_services.lib.machine.service_manager import Directories
from saint_services.saintctl.app import app
from tests.unit.adoptiond.adoption_rig import FakeNode
from tests.unit.webd.web_rig import Chat, Rig
from tests.web.fakes.robot import ROOT

Entry = dict[str, Any]
NAME = {"node_id": "pi_1", "display_name": "Upstairs"}


@dataclass
class Desk:
    """A client of webd, before a real adoptiond that knows one node."""

    rig: Rig
    chat: Chat
    node: FakeNode

    async def entries(self) -> list[Entry]:
        """Those of the audit log, the oldest first."""
        found: list[Entry] = (await self.chat.do("system", "get_audit_log"))["entries"]
        return found[::-1]

    async def activity(self) -> list[str]:
        found = await self.chat.do("management", "get_activity_log", limit=500)
        return [each["text"] for each in found["entries"]]

    async def saintctl(self, *words: str, code: int = 0) -> None:
        result = await asyncio.to_thread(CliRunner().invoke, app, words)
        assert result.exit_code == code, result.output + result.stderr

    async def local(self, *words: str, code: int = 0) -> None:
        await self.saintctl("--run", str(self.rig.robot.runtime), *words, code=code)


@pytest.fixture
async def desk(rig: Rig, tmp_path: Path) -> AsyncIterator[Desk]:
    await rig.robot.stop("adoptiond")
    places = Directories(tmp_path / "etc", tmp_path / "adoption", rig.robot.runtime, ROOT)
    bus, node = rig.domain.bus("adoptiond"), FakeNode(rig.domain, "pi_1")
    try:
        async with running("adoptiond", Config(), run, places, bus=bus):
            chat = await rig.chat()
            await chat.request({"type": "auth", "client_id": "desk"})
            node.live()
            async with asyncio.timeout(5.0):
                while not (await chat.do("management", "list_unadopted"))["nodes"]:
                    node.live()
            yield Desk(rig, chat, node)
    finally:
        await node.bus.close()
        await bus.close()


async def by_message(desk: Desk) -> None:
    await desk.chat.do("management", "set_node_name", **NAME)


async def by_http(desk: Desk) -> None:
    path = f"{desk.rig.url}/api/v1/management/set_node_name"
    async with desk.rig.http.post(path, json=NAME) as answer:
        assert answer.status == 200


async def by_saintctl(desk: Desk) -> None:
    await desk.local("node", "rename", "pi_1", "Upstairs")


async def by_saintctl_elsewhere(desk: Desk) -> None:
    await desk.saintctl("--server", desk.rig.url, "node", "rename", "pi_1", "Upstairs")


@pytest.mark.parametrize("way", [by_message, by_http, by_saintctl, by_saintctl_elsewhere])
async def test_name_of_a_node_is_logged_once_and_alike_by_every_way(desk: Desk, way: Any) -> None:
    before = await desk.entries()
    await way(desk)
    (entry,) = (await desk.entries())[len(before) :]
    assert (entry["what"], entry["refused"]) == ("management set_node_name", "")
    assert entry["detail"] == "node_id: pi_1, display_name: Upstairs"
    assert entry["who"] and entry["level"] == "admin"
    assert (await desk.activity()).count("pi_1 is now called Upstairs") == 1


async def test_adoption_that_is_refused_is_logged_with_its_reason(desk: Desk) -> None:
    desk.node.refusal = "0x40 does not answer"
    await desk.chat.fail("management", "adopt_node", node_id="pi_1", role="head")
    entry = (await desk.entries())[-1]
    assert (entry["who"], entry["what"]) == ("anyone", "management adopt_node")
    assert entry["source"] == "websocket:desk"
    assert entry["detail"] == "node_id: pi_1, role: head, add: false"
    assert entry["refused"] == "Adoption of pi_1 as head failed: 0x40 does not answer"
    assert not any("adopted" in text for text in await desk.activity())


async def test_reset_by_a_terminal_of_the_robot_is_logged(desk: Desk) -> None:
    await desk.local("node", "adopt", "pi_1", "head")
    await desk.local("node", "reset", "pi_1")
    await desk.local("node", "reset", "pi_2", code=4)
    adopted, reset, refused = await desk.entries()
    assert [each["what"] for each in (adopted, reset)] == [
        "management adopt_node", "management reset_node",
    ]  # fmt: skip
    assert (reset["source"], reset["level"], reset["refused"]) == ("saintctl", "admin", "")
    assert "pi_2" in refused["refused"]
    activity = await desk.activity()
    assert "pi_1 was adopted as head" in activity and "pi_1 was reset" in activity


async def test_restart_of_a_node_is_logged_by_webd_alone(desk: Desk) -> None:
    desk.node.outputs_safe = True
    await desk.chat.do("management", "adopt_node", node_id="pi_1", role="head")
    await desk.chat.do("system", "reboot", node="pi_1")
    assert [each["what"] for each in await desk.entries()] == [
        "management adopt_node", "system reboot",
    ]  # fmt: skip


async def test_nodes_of_a_factory_reset_are_logged_with_their_user(desk: Desk) -> None:
    name = (await desk.chat.do("settings", "get"))["name"]
    await desk.chat.do("maintenance", "factory_reset", confirm=name, nodes=True)
    node, robot = await desk.entries()
    assert (node["what"], robot["what"]) == ("management reset_node", "maintenance factory_reset")
    assert (node["who"], node["source"]) == (robot["who"], "websocket:desk")
