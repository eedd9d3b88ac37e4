"""A node exports its log to its own server, page by page, and to no other client."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from saint_services.lib.api.adoption import NodeState
from saint_services.lib.api.logs import QUERY_NODE, LogPage, LogQuery
from saint_services.lib.errors import SaintError
from saint_services.lib.ipc import Client
from saint_services.noded.server import log_pages as log_desk
from tests.unit.trust.trust_rig import Robot, adopt, seen

LINES = 300


@pytest.fixture(autouse=True)
def written(robot: Robot) -> Iterator[None]:
    """Log files of two machines, as the launcher writes them."""
    folder = robot.root / "log"
    folder.mkdir()
    rows = [f"11:00:00.{n:03d} noded info: line {n}" for n in range(LINES)]
    (folder / "pi_1-noded.log").write_text("\n".join([*rows, ""]))
    (folder / "server-rcd.log").write_text("11:00:00.000 rcd warning: not of this node\n")
    yield


async def adopted(robot: Robot, server: Client) -> None:
    await robot.role("pi_1", "role-headd")
    await seen(server, "pi_1")
    await adopt(server, "pi_1")
    await seen(server, "pi_1", NodeState.ACTIVE)


async def lines(server: Client, **query: object) -> LogPage:
    return await server.request(QUERY_NODE, LogQuery.model_validate({"node": "pi_1", **query}))


async def test_server_reads_the_lines_of_its_node_and_no_others(robot: Robot) -> None:
    async with robot.server() as server, robot.node():
        await adopted(robot, server)
        page = await lines(server, limit=2)
        assert [line.text for line in page.lines] == [f"line {LINES - 1}", f"line {LINES - 2}"]
        older = await lines(server, limit=2, before=page.older)
        assert older.lines[0].text == f"line {LINES - 3}"
        assert (await lines(server, source="rcd")).lines == []


async def test_node_without_a_server_exports_nothing(robot: Robot) -> None:
    async with robot.server() as server, robot.node():
        await seen(server, "pi_1")
        with pytest.raises(SaintError, match="does not belong to this server"):
            await lines(server)


async def test_node_of_another_server_exports_nothing(robot: Robot) -> None:
    async with robot.node():
        async with robot.server("first") as server:
            await adopted(robot, server)
        async with robot.server("second") as server:
            await seen(server, "pi_1", NodeState.ACTIVE)
            with pytest.raises(SaintError, match="does not belong to this server"):
                await lines(server)


async def test_node_refuses_too_frequent_requests(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_desk, "_PAUSE_S", 60.0)
    async with robot.server() as server, robot.node():
        await adopted(robot, server)
        for _ in range(log_desk.PAGES_AT_ONCE):
            await lines(server, limit=1)
        with pytest.raises(SaintError, match="too many requests"):
            await lines(server, limit=1)


async def test_long_page_is_cut_and_the_next_one_goes_on(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_desk, "LONGEST_LOG_BYTES", 2000)
    async with robot.server() as server, robot.node():
        await adopted(robot, server)
        page = await lines(server, limit=500)
        assert 1 < len(page.lines) < 20
        older = await lines(server, limit=500, before=page.older)
        assert older.lines[0].text == f"line {LINES - len(page.lines) - 1}"


@pytest.fixture
def hostile(robot: Robot, written: None) -> None:
    """A node that writes terminal control characters."""
    path: Path = robot.root / "log" / "pi_1-noded.log"
    path.write_text("11:00:00.000 noded info: \x1b[2Jgone\n")


@pytest.mark.usefixtures("hostile")
async def test_terminal_codes_of_a_node_do_not_reach_the_reader(robot: Robot) -> None:
    async with robot.server() as server, robot.node():
        await adopted(robot, server)
        assert (await lines(server)).lines[0].text == "[2Jgone"
