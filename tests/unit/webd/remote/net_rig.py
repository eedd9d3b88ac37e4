"""The remote side of webd alone, on a socket of loopback: two of them are quick to start, and a
proxy between them is a bad network.
"""

import asyncio
import contextlib
import json
import socket
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
from aiohttp import web

from saint_services.lib.api.webd.links import LinkKind, LinkSpec, RemoteInfo
from saint_services.lib.http_connections import tracked
from saint_services.webd.accounts.access import ANYONE
from saint_services.webd.remote.control import RemoteControl
from saint_services.webd.remote.sockets import RemoteSockets
from saint_services.webd.server.boundary import Boundary
from saint_services.webd.server.connections import WebConnections
from saint_services.webd.server.listening import Listening
from tests.unit.webd.remote.conversation_rig import TARGET, ConversationRig
from tests.waiting import let_pass, until


@dataclass
class RemoteServer:
    """A robot whose links and sockets are real."""

    rig: ConversationRig
    control: RemoteControl
    address: str

    async def link(self, name: str, kind: LinkKind, address: str) -> None:
        """Add a link, and wait until it is connected."""
        spec = LinkSpec(
            link=name, kind=kind, url=f"ws://{address}", target=TARGET, robot_id="follower"
        )
        await self.control.add(spec)
        await until(lambda: self.control.links()[0].is_connected)

    def engage(self, name: str) -> None:
        """Engage a link."""
        self.control.engage(name, takes_over=False)

    def peer(self) -> RemoteInfo:
        """Return the one remote side that is connected."""
        [found] = self.control.connected()
        return found

    def moved(self) -> list[float]:
        """Return what the elbow was commanded by remote masters."""
        return [values["elbow_flex"] for _, values in self.rig.sent]

    async def leads(self, other: "RemoteServer", value: float) -> None:
        """Command this robot until the other one was commanded the same."""

        def is_there() -> bool:
            self.rig.command(elbow_flex=value)
            return value in other.moved()

        await until(is_there, pause_s=0.12)


@contextlib.asynccontextmanager
async def remote_server(folder: Path) -> AsyncIterator[RemoteServer]:
    """Serve the paths of remote sides, without a sign-in."""
    rig = ConversationRig()
    robot = rig.shared.robot
    gate = SimpleNamespace(
        check_origin=lambda _: None, identify=lambda _: ANYONE, renewed=lambda who: who,
        admit=lambda *_: ANYONE,
    )  # fmt: skip
    boundary = Boundary(robot.newest.counters)
    sockets = RemoteSockets(robot, cast(Any, gate), boundary)
    control = RemoteControl(robot, sockets, rig.writer, folder)
    rig.stops = control.stops
    rig.stops.latched(rig.estop)
    app = web.Application(middlewares=[tracked, boundary.middleware()])
    app.router.add_routes(control.routes())
    runner = web.AppRunner(app, handle_signals=False, shutdown_timeout=0.2)
    await runner.setup()
    listening = socket.create_server(("127.0.0.1", 0))
    listening.setblocking(False)
    connections = WebConnections(robot.newest.counters, 64, robot.stalls)
    await Listening(runner, listening, connections).start()
    beats = asyncio.create_task(control.run())
    try:
        yield RemoteServer(rig, control, f"127.0.0.1:{listening.getsockname()[1]}")
    finally:
        beats.cancel()
        await control.close()
        await runner.cleanup()


class RemoteProxy:
    """A network between two servers: it cuts, delays and reorders messages."""

    def __init__(self, address: str) -> None:
        self._address = address
        self.address = ""
        self.delay_s = 0.0
        self.swaps = False  # each two commands
        self.connections = 0
        self._open: list[web.Request] = []

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator["RemoteProxy"]:
        """Listen on loopback."""
        app = web.Application()
        app.router.add_get("/{path:.*}", self._serve)
        runner = web.AppRunner(app, shutdown_timeout=0.2)
        await runner.setup()
        listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{listening.getsockname()[1]}"
        await web.SockSite(runner, listening).start()
        try:
            yield self
        finally:
            self.cut()
            await runner.cleanup()

    def cut(self) -> None:
        """End all connections without a word."""
        for request in tuple(self._open):
            if request.transport is not None:
                request.transport.abort()

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        near = web.WebSocketResponse()
        await near.prepare(request)
        self.connections += 1
        self._open.append(request)
        try:
            async with aiohttp.ClientSession() as http:
                far = await http.ws_connect(f"http://{self._address}{request.rel_url}")
                ways = [
                    asyncio.create_task(self._carry(near, far.send_str)),
                    asyncio.create_task(self._carry(far, near.send_str)),
                ]
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                for way in ways:
                    way.cancel()
                await far.close()
        finally:
            self._open.remove(request)
        return near

    async def _carry(self, source: Any, send: Callable[[str], Any]) -> None:
        held: deque[str] = deque()
        sending: set[asyncio.Task[None]] = set()
        async for each in source:
            text = each.data
            if self.swaps and json.loads(text)["type"] == "command":
                held.appendleft(text)
                if len(held) < 2:
                    continue
                texts = list(held)
                held.clear()
            else:
                texts = [text]
            sending.add(asyncio.create_task(self._send(send, texts)))

    async def _send(self, send: Callable[[str], Any], texts: list[str]) -> None:
        await let_pass(self.delay_s)
        with contextlib.suppress(ConnectionError):
            for text in texts:
                await send(text)
