"""The logs of a robot on real machines: this machine's journal, a node's through adoptiond."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from saint_services.lib.api.adoption import LIST_NODES, NodeInfo, NodeList, NodeRoleInfo, NodeState
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.logs import QUERY_NODE, LogFilter, LogLine, LogNames, LogPage, LogQuery
from saint_services.lib.daemon import bind
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.ipc import Api, Call, Client
from saint_services.lib.logs import robot
from saint_services.lib.logs.journal import Journal
from saint_services.lib.logs.robot import RobotLogs


class OwnJournal(Journal):
    """The journal of a server named "saint"."""

    def __init__(self) -> None:
        super().__init__()
        self.named = "saint"
        self.queries: list[LogFilter] = []

    async def host(self) -> str:
        return self.named

    async def page(self, query: LogQuery) -> LogPage:
        self.queries.append(query)
        return LogPage(lines=[line("here", 1)])

    async def names(self) -> LogNames:
        return LogNames(sources=["rcd"], nodes=[self.named], scope="", home=self.named)

    async def follow(self, wanted: LogFilter) -> AsyncGenerator[LogLine | None]:
        self.queries.append(wanted)
        yield line("here", 2)


def line(text: str, number: int) -> LogLine:
    return LogLine(
        time=number, level="INFO", source="noded", node="h", text=text, cursor=f"{number}"
    )


class Adoptiond:
    """One node of ours, one of another server, one offline."""

    def __init__(self) -> None:
        self.queries: list[LogQuery] = []
        self.written = [line("old", 1)]
        self.ill_times = 0

    def api(self) -> Api:
        api = Api()
        api.bind(LIST_NODES, self._nodes)
        api.bind(QUERY_NODE, self._log)
        return api

    async def _nodes(self, _: Call[Nothing]) -> NodeList:
        def node(node_id: str, state: NodeState, is_ours: bool) -> NodeInfo:
            roles = [NodeRoleInfo(role="head")]
            return NodeInfo(
                node_id=node_id, display_name="", state=state, is_ours=is_ours, roles=roles
            )

        return NodeList(
            nodes=[
                node("pi_1", NodeState.ACTIVE, True),
                node("pi_2", NodeState.ACTIVE, False),
                node("pi_3", NodeState.OFFLINE, True),
            ]
        )

    async def _log(self, call: Call[LogQuery]) -> LogPage:
        assert call.body.node == "pi_1"
        self.queries.append(call.body)
        if self.ill_times:
            self.ill_times -= 1
            raise SaintError(Code.BUS_TIMEOUT, "pi_1 does not answer")
        return LogPage(lines=self.written[::-1])


@pytest.fixture
def adoptiond() -> Adoptiond:
    return Adoptiond()


@pytest.fixture
def own() -> OwnJournal:
    return OwnJournal()


@pytest_asyncio.fixture
async def logs(adoptiond: Adoptiond, own: OwnJournal, tmp_path: Path) -> AsyncIterator[RobotLogs]:
    server = await adoptiond.api().serve([bind(tmp_path, "adoptiond")])
    async with Client(tmp_path / "adoptiond.sock") as client:
        yield RobotLogs(own, client)
    await server.close()


async def test_lines_without_a_machine_are_those_of_this_one(logs: RobotLogs) -> None:
    for node in ("", "saint"):
        assert [each.text for each in (await logs.page(LogQuery(node=node))).lines] == ["here"]


async def test_lines_from_before_another_name_are_still_its_own(
    logs: RobotLogs, own: OwnJournal
) -> None:
    own.named = "robi"
    await logs.page(LogQuery(node="robi", search="x"))
    async for each in logs.follow(LogFilter(node="robi")):
        assert each is not None and each.text == "here"
    assert own.queries == [LogQuery(search="x"), LogFilter()]  # independent of the name in a line


async def test_lines_of_a_node_have_the_requested_name(
    logs: RobotLogs, adoptiond: Adoptiond
) -> None:
    page = await logs.page(LogQuery(node="pi_1", level="ERROR"))
    assert [(each.text, each.node) for each in page.lines] == [("old", "pi_1")]
    assert adoptiond.queries == [LogQuery(node="pi_1", level="ERROR")]


async def test_names_are_of_nodes_that_are_online(logs: RobotLogs) -> None:
    names = await logs.names()
    assert (names.nodes, names.home) == (["saint", "pi_1"], "saint")
    assert names.sources == ["noded", "rcd", "role-headd"]


async def test_names_without_adoptiond_are_those_of_this_machine(tmp_path: Path) -> None:
    async with Client(tmp_path / "nobody.sock") as client:
        assert (await RobotLogs(OwnJournal(), client).names()).nodes == ["saint"]


async def test_follow_of_a_node_gives_new_lines_once_in_their_order_over_a_silence(
    logs: RobotLogs, adoptiond: Adoptiond, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(robot, "LOOK_S", 0.0)
    following = logs.follow(LogFilter(node="pi_1"))
    assert await anext(following) is None
    adoptiond.ill_times = 2
    adoptiond.written += [line("one", 2), line("two", 3)]
    found: list[str] = []
    async with asyncio.timeout(5):
        while len(found) < 2:
            each = await anext(following)
            found += [each.text] if each else []
    assert found == ["one", "two"] and adoptiond.ill_times == 0
    await following.aclose()
