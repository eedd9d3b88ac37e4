"""Remote masters and slaves as a whole: the two WebSocket paths, the links, the stops, and what a
person may request of them.
"""

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

from ...lib.api.webd.links import LinkInfo, LinkSpec, RemoteInfo
from ...lib.bus.input_writer import InputWriter
from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ..actions.act import Caller
from ..robot.context import RobotContext
from ..server.handlers import RequestHandlers
from . import targets
from .conversation import BEAT_S, PeerKind, RemoteConversation, RemoteShared
from .link import Link
from .link_store import MOST_LINKS, StoredLinks, link_store
from .rooms import Rooms
from .sockets import RemoteSocket, RemoteSockets
from .stops import StopExchange


class RemoteControl(RequestHandlers):
    """All remote masters and slaves of this robot."""

    def __init__(
        self, robot: RobotContext, sockets: RemoteSockets, writer: InputWriter, state: Path
    ) -> None:
        self._robot = robot
        self.sockets = sockets
        self._store = link_store(state)
        self._work: set[asyncio.Task[None]] = set()
        self.shared = RemoteShared(robot, writer, self._spawn)
        self.stops = self.shared.stops = StopExchange(robot, self.shared.open, self._spawn)
        self.rooms = Rooms(self.shared, self.stops, sockets, sockets.gate)
        self.stops.on_stop = self.rooms.stopped
        self._links: dict[str, Link] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._http: aiohttp.ClientSession | None = None
        self._turn = asyncio.Lock()

    def routes(self) -> Sequence[web.RouteDef]:
        return [
            web.get("/ws/master/{robot_id}", self._master, allow_head=False),
            web.get("/ws/slave/{robot_id}", self._slave, allow_head=False),
            *self.rooms.routes(),
        ]

    async def open(self) -> None:
        """Open the stored links."""
        stored = await asyncio.to_thread(self._store.load)
        for spec in stored.links:
            try:
                self._start(spec)
            except SaintError as err:  # the robot was changed meanwhile
                self._robot.note("WARNING", "link", f"Link {spec.link} is not used: {err.message}")

    async def run(self) -> None:
        """Do what is due ten times a second, until cancelled."""
        while True:
            await asyncio.sleep(BEAT_S)
            now_s = monotonic_s()
            for conversation in tuple(self.shared.open.values()):
                conversation.beat(now_s)
            self.rooms.beat(now_s)

    async def close(self) -> None:
        """End all links and connections."""
        self.sockets.close()
        await _cancelled(self._running.values())
        await _cancelled(self._work)  # the links begin some of it when they end
        if self._http is not None:
            await self._http.close()

    # Sockets

    async def _master(self, request: web.Request) -> web.StreamResponse:
        return await self._serve(request, leads=True)

    async def _slave(self, request: web.Request) -> web.StreamResponse:
        return await self._serve(request, leads=False)

    async def _serve(self, request: web.Request, *, leads: bool) -> web.StreamResponse:
        identity = self.sockets.identify(request)
        robot_id = request.match_info["robot_id"]
        role = targets.find(robot_id, self._robot.roles.by_target, is_known=identity is not None)

        def begin(socket: RemoteSocket, caller: Caller) -> RemoteConversation:
            named = Caller(self._client_id(caller.client_id), caller.identity, caller.address)
            kind = PeerKind(leads=leads, is_link=False)
            made = RemoteConversation(self.shared, kind, role, named, socket, robot_id)
            self.stops.joined(made)
            return made

        return await self.sockets.serve(request, identity, begin)

    def _client_id(self, wanted: str) -> str:
        prefix, _, name = wanted.partition(":")
        return f"{prefix}:{self.shared.free_name(name)}"

    # Acts

    def links(self) -> list[LinkInfo]:
        """Describe all links."""
        return [link.info() for link in self._links.values()]

    def connected(self) -> list[RemoteInfo]:
        """Describe everyone who is connected, links too."""
        return [each.info() for each in self.shared.open.values()]

    async def add(self, spec: LinkSpec) -> LinkInfo:
        """Store and open a link; one of the same name is replaced."""
        async with self._turn:
            others = [each.spec for name, each in self._links.items() if name != spec.link]
            if len(others) >= MOST_LINKS:
                raise SaintError(
                    Code.CONFLICT, f"there are {MOST_LINKS} links", fix="Remove one of them."
                )
            targets.find(spec.target, self._robot.roles.by_target)
            stored = StoredLinks(links=(*others, spec))
            await asyncio.to_thread(self._store.save, stored)
            await self._end(spec.link)
            return self._start(spec).info()

    async def remove(self, name: str) -> None:
        """Close and forget a link. Raises not_found."""
        async with self._turn:
            self._link(name)
            rest = tuple(each.spec for key, each in self._links.items() if key != name)
            await asyncio.to_thread(self._store.save, StoredLinks(links=rest))
            await self._end(name)

    def engage(self, name: str, *, takes_over: bool) -> LinkInfo:
        """Let a link move something. Raises not_found, or refused without a connection."""
        link = self._link(name)
        if link.conversation is None:
            raise SaintError(
                Code.REFUSED, f"link {name} is not connected: {link.problem}",
                fix="Wait until it is, then engage it.",
            )  # fmt: skip
        link.conversation.engage(takes_over=takes_over)
        return link.info()

    def disengage(self, name: str) -> LinkInfo:
        """Let a link move nothing. Raises not_found."""
        link = self._link(name)
        if link.conversation is not None:
            link.conversation.disengage()
        return link.info()

    def _link(self, name: str) -> Link:
        if name not in self._links:
            raise SaintError(Code.NOT_FOUND, f"there is no link {name!r}")
        return self._links[name]

    def _start(self, spec: LinkSpec) -> Link:
        role = targets.find(spec.target, self._robot.roles.by_target)
        if self._http is None:
            self._http = aiohttp.ClientSession(trust_env=False)
        link = Link(spec, role, self.shared, self.stops, self._http)
        self._links[spec.link] = link
        self._running[spec.link] = asyncio.create_task(link.run(), name=f"link {spec.link}")
        return link

    async def _end(self, name: str) -> None:
        self._links.pop(name, None)
        task = self._running.pop(name, None)
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._work.add(task)
        task.add_done_callback(self._work.discard)


async def _cancelled(tasks: Iterable[asyncio.Task[None]]) -> None:
    """End tasks, and wait until they have ended."""
    found = tuple(tasks)
    for task in found:
        task.cancel()
    await asyncio.gather(*found, return_exceptions=True)
