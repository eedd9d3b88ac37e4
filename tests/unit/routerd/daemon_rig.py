"""A routerd on the in-process bus with a client of its socket."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from saint_services.lib.bus import Bus, Topic
from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.daemon import Context, running
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.lib.ipc import Client
from saint_services.lib.sd import Directories
from saint_services.routerd.config import Config
from saint_services.routerd.daemon import run
from tests.unit.routerd.rig import SHARE


class Robot:
    """A running routerd, what it published, and a bus to talk to it."""

    def __init__(self, domain: LocalDomain, context: Context[Config], client: Client) -> None:
        self.bus: Bus = domain.bus("others")
        self.context = context
        self.socket = context.directories.runtime / "routerd.sock"
        self.client = client
        self.heard: dict[str, list[Any]] = {}
        self.sequence = 0

    def hear(self, *wanted: Topic[Any]) -> None:
        for topic in wanted:
            heard = self.heard.setdefault(topic.name, [])
            self.bus.subscribe(topic, lambda sample, heard=heard: heard.append(sample.message))

    def all_of(self, topic: Topic[Any]) -> list[Any]:
        return self.heard[topic.name]

    def rc(self, is_lost: bool = False, **channels: float) -> None:
        self._send(topics.INPUT_RC, InputSample(source="rc", failsafe=is_lost), channels)

    def page(self, target: str, **values: float) -> None:
        """A browser."""
        sample = InputSample(source="websocket:page", target=target)
        self._send(topics.INPUT_WEBSOCKET, sample, values)

    def _send(self, topic: Topic[Any], sample: InputSample, values: dict[str, float]) -> None:
        self.sequence += 1
        sample.sequence = self.sequence
        sample.names, sample.values = tuple(values), tuple(values.values())
        self.bus.publisher(topic).publish(sample)

    async def drive(self, seconds: float, **channels: float) -> None:
        for _ in range(round(seconds * 50)):
            self.rc(**channels)
            await asyncio.sleep(0.02)


async def turns() -> None:
    """Let the in-process bus deliver and the router answer, however slow this machine is."""
    for _ in range(20):
        await asyncio.sleep(0)


def places(tmp_path: Path) -> Directories:
    """Empty folders, and the shipped manifests."""
    return Directories(tmp_path / "etc", tmp_path / "state", tmp_path / "run", SHARE)


@contextlib.asynccontextmanager
async def alive(directories: Directories, config: Config | None = None) -> AsyncIterator[Robot]:
    domain = LocalDomain()
    bus = domain.bus("routerd")
    async with (
        running("routerd", config or Config(), run, directories, bus=bus) as context,
        Client(directories.runtime / "routerd.sock") as client,
    ):
        yield Robot(domain, context, client)
