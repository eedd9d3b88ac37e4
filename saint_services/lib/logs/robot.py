"""The logs of a robot on real machines: this one's journal, and those of its nodes, each of which
gives its own when its server orders it (adoptiond signs that). Not here: reading a journal
(journal.py), what a node gives away (noded).
"""

from collections.abc import AsyncGenerator

from ..api.adoption import LIST_NODES, NodeInfo, NodeState
from ..api.endpoint import Nothing
from ..api.logs import QUERY_NODE, LogFilter, LogLine, LogNames, LogPage, LogQuery
from ..errors import SaintError
from ..ipc import Client
from .journal import Journal
from .polling import follow_pages

LOOK_S = 2.0  # between two questions to a node, while somebody follows its log


class RobotLogs:
    """A node is chosen by its id; without one the lines are this machine's."""

    def __init__(self, own: Journal, adoptiond: Client) -> None:
        self._own = own
        self._adoptiond = adoptiond

    async def page(self, query: LogQuery) -> LogPage:
        """One page, newest first."""
        if await self._is_own(query.node):
            return await self._own.page(query.model_copy(update={"node": ""}))
        page = await self._adoptiond.request(QUERY_NODE, query)
        # As it was asked for: a node's host name is not the name that the server has for it.
        lines = [line.model_copy(update={"node": query.node}) for line in page.lines]
        return page.model_copy(update={"lines": lines})

    async def names(self) -> LogNames:
        """Of this machine, and the nodes that can be asked now."""
        own = await self._own.names()
        try:
            known = (await self._adoptiond.request(LIST_NODES, Nothing())).nodes
        except SaintError:  # not the server, or it is not well; its own lines can be read
            return own
        asked = [node for node in known if node.is_ours and node.state is not NodeState.OFFLINE]
        nodes = [node.node_id for node in asked]
        programs = {"noded"} | {f"role-{each}d" for node in asked for each in _roles(node)}
        return LogNames(
            sources=sorted({*own.sources, *programs} if nodes else own.sources),
            nodes=[*own.nodes, *(each for each in nodes if each not in own.nodes)],
            scope=f"The journal of {own.home} since its last start; choose a machine to read"
            " what our programs wrote on another one.",
            home=own.home,
        )

    async def follow(self, wanted: LogFilter) -> AsyncGenerator[LogLine | None]:
        """Lines from now on."""
        if await self._is_own(wanted.node):
            lines = self._own.follow(wanted.model_copy(update={"node": ""}))
        else:
            lines = follow_pages(self.page, wanted, LOOK_S)
        try:
            async for line in lines:
                yield line
        finally:
            await lines.aclose()

    async def _is_own(self, node: str) -> bool:
        """Its lines carry the name that it had when they were written."""
        return not node or node == await self._own.host()


def _roles(node: NodeInfo) -> list[str]:
    return [each.role for each in node.roles] or [node.role] * bool(node.role)
