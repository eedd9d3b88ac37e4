"""Reads the logs of a robot on real machines: the journal of this machine, and those of its nodes,
which adoptiond requests with a signed order. Not here: reading a journal (journal.py), a node's
reply (noded).
"""

from collections.abc import AsyncGenerator

from ..api.adoption import LIST_NODES, NodeInfo, NodeState
from ..api.endpoint import Nothing
from ..api.logs import QUERY_NODE, LogFilter, LogLine, LogNames, LogPage, LogQuery
from ..errors import SaintError
from ..ipc import Client
from .journal import Journal
from .source import follow_pages

LOOK_S = 2.0  # between two queries to a node while a client follows its log


class RobotLogs:
    """The logs of all machines. `node` selects a node by id; without it, this machine."""

    def __init__(self, own: Journal, adoptiond: Client) -> None:
        self._own = own
        self._adoptiond = adoptiond

    async def page(self, query: LogQuery) -> LogPage:
        """Return one page, newest first."""
        if await self._is_own(query.node):
            return await self._own.page(query.model_copy(update={"node": ""}))
        page = await self._adoptiond.request(QUERY_NODE, query)
        # The requested id: a node's host name differs from the name that the server uses.
        lines = [line.model_copy(update={"node": query.node}) for line in page.lines]
        return page.model_copy(update={"lines": lines})

    async def names(self) -> LogNames:
        """Return the programs of this machine, and the nodes that can be queried now."""
        own = await self._own.names()
        try:
            known = (await self._adoptiond.request(LIST_NODES, Nothing())).nodes
        except SaintError:  # not a server, or adoptiond failed; the own lines are still available
            return own
        online = [node for node in known if node.is_ours and node.state is not NodeState.OFFLINE]
        nodes = [node.node_id for node in online]
        programs = {"noded"} | {f"role-{each}d" for node in online for each in _roles(node)}
        return LogNames(
            sources=sorted({*own.sources, *programs} if nodes else own.sources),
            nodes=[*own.nodes, *(each for each in nodes if each not in own.nodes)],
            scope=f"The journal of {own.home} since its last start; choose a machine to read"
            " what our programs wrote on another one.",
            home=own.home,
        )

    async def follow(self, wanted: LogFilter) -> AsyncGenerator[LogLine | None]:
        """Yield new lines."""
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
        """Return whether this is the name of this machine; lines carry the name at the time of
        writing.
        """
        return not node or node == await self._own.host()


def _roles(node: NodeInfo) -> list[str]:
    return [each.role for each in node.roles] or [node.role] * bool(node.role)
