"""Clients that talk to a webd with fake daemons around it."""

import itertools
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from saint_services.lib.bus.local import LocalDomain
from tests.web.fakes.robot import FakeRobot


@dataclass
class Rig:
    """A robot and one HTTP session to its webd."""

    robot: FakeRobot
    address: str
    domain: LocalDomain
    http: aiohttp.ClientSession
    chats: list["Chat"] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://{self.address}"

    async def chat(self, path: str = "/api/ws", **options: Any) -> "Chat":
        """A new WebSocket."""
        socket = await self.http.ws_connect(self.url + path, max_msg_size=0, **options)
        self.chats.append(Chat(socket))
        return self.chats[-1]

    async def close(self) -> None:
        """End all WebSockets."""
        for chat in self.chats:
            await chat.socket.close()

    async def counters(self) -> str:
        """/metrics"""
        async with self.http.get(self.url + "/metrics") as response:
            return await response.text()


class Chat:
    """One WebSocket of a client."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self._ids = itertools.count(1)

    async def request(self, message: dict[str, Any]) -> dict[str, Any]:
        """The response to a message; states before it are left out."""
        message_id = next(self._ids)
        await self.socket.send_json({"id": message_id, **message})
        reply = await self.reply()
        assert reply["id"] == message_id
        return reply

    async def do(self, kind: str, action: str, **params: Any) -> Any:
        """The data of an action that succeeds."""
        reply = await self.request({"type": kind, "action": action, "params": params})
        assert reply["status"] == "ok", reply
        return reply["data"]

    async def fail(self, kind: str, action: str, **params: Any) -> dict[str, Any]:
        """The error of an action that is refused."""
        reply = await self.request({"type": kind, "action": action, "params": params})
        assert reply["status"] == "error", reply
        return reply["error"]

    async def reply(self) -> dict[str, Any]:
        """The next response."""
        while True:
            message = await self.socket.receive_json(timeout=5)
            if message["type"] == "response":
                return message

    async def send_text(self, text: str) -> dict[str, Any]:
        """The response to a text as it is."""
        await self.socket.send_str(text)
        return await self.reply()

    async def subscribe(self, *topics: str, rate_hz: float = 0) -> None:
        """From now on state() finds them."""
        await self.request({"type": "subscribe", "topics": list(topics), "rate_hz": rate_hz})

    async def state(self, topic: str) -> dict[str, Any]:
        """The next state of a topic."""
        while True:
            message = await self.socket.receive_json(timeout=5)
            if message["type"] == "state" and message["node"] == topic:
                return message
