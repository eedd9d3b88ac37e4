"""A robot with a pair of arms and its whole webd, for the tests of remote masters and slaves."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from saint_services.lib.bus import Publisher
from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import InputSample, PartCommand
from tests.web.fakes.robot import FakeRobot

ARM = "parts.follower"
LIMIT_S = 20.0
Chat = aiohttp.ClientWebSocketResponse


@dataclass
class ArmRobot:
    """A robot and its webd."""

    robot: FakeRobot
    address: str
    http: aiohttp.ClientSession
    domain: LocalDomain
    samples: list[InputSample] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.samples = self.robot.listen_to_clients()
        self._publishers: dict[str, Publisher[PartCommand]] = {}

    def command(self, who: str = "router", **values: float) -> None:
        """Command the follower, as the router does, or another participant of the bus."""
        if who not in self._publishers:
            bus = self.robot.bus if who == "router" else self.domain.bus(who)
            topic = topics.PARTS_CMD.at(instance="follower")
            self._publishers[who] = bus.publisher(topic)
        message = PartCommand(names=tuple(values), values=tuple(values.values()))
        self._publishers[who].publish(message)

    async def act(self, group: str, action: str, **params: Any) -> Any:
        """Return the reply of an action."""
        url = f"http://{self.address}/api/v1/{group}/{action}"
        async with self.http.post(url, json=params) as response:
            assert response.status == 200, await response.text()
            return await response.json()

    async def chat(self, path: str, **options: Any) -> Chat:
        """Open a WebSocket."""
        return await self.http.ws_connect(f"http://{self.address}{path}", **options)

    def moved(self) -> list[dict[str, float]]:
        """Return what remote masters have commanded so far."""
        return [
            dict(zip(each.names, each.values, strict=True))
            for each in self.samples
            if each.source.startswith("websocket:remote:") and each.names
        ]

    def presses(self) -> list[str]:
        """Return the sources of the stops that the router was sent."""
        return [r.removeprefix("estop ") for r in self.robot.requests if r.startswith("estop ")]


async def message(chat: Chat, kind: str) -> dict[str, Any]:
    """Return the next message of a type."""
    async with asyncio.timeout(LIMIT_S):
        while True:
            found: dict[str, Any] = await chat.receive_json()
            if found["type"] == kind:
                return found


def command(value: float = 10.0, name: str = "Elbow", **more: Any) -> str:
    """Return a command."""
    return json.dumps(
        {"type": "command", **more, "data": {"joints": [{"name": name, "value": value}]}}
    )
