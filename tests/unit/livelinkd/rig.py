"""A livelinkd with real sockets of its own, and what it publishes."""

import contextlib
import json
import socket
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

from saint_services.lib.api import livelink
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.livelink import SubjectList
from saint_services.lib.bus import Sample
from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.daemon import running
from saint_services.lib.generated.saint_msgs import InputSample, LiveLinkFrame, LiveLinkSubject
from saint_services.lib.generated.topics import INPUT_LIVELINK, LIVELINK_FRAME, LIVELINK_SUBJECT
from saint_services.lib.ipc import Client
from saint_services.lib.machine.service_manager import Directories
from saint_services.livelinkd.config import Config
from saint_services.livelinkd.daemon import run
from tests.router_writers import registered, serving_writers
from tests.waiting import until

DATA = Path(__file__).parents[2] / "data" / "live-link-face.jsonl"
CAPTURE = [bytes.fromhex(json.loads(line)["hex"]) for line in DATA.read_text().splitlines()]
FORMATS = ("llf", "json", "vmc", "ifacialmocap", "lines")


@dataclass
class Ears:
    """A running livelinkd and what it has published."""

    client: Client
    ports: dict[str, int]
    samples: list[InputSample] = field(default_factory=list)
    times_s: list[float] = field(default_factory=list)  # when each of them came
    frames: list[LiveLinkFrame] = field(default_factory=list)
    described: list[LiveLinkSubject] = field(default_factory=list)

    def send(self, *datagrams: bytes, format: str = "llf", host: str = "127.0.0.1") -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as phone:
            phone.bind((host, 0))
            for data in datagrams:
                phone.sendto(data, ("127.0.0.1", self.ports[format]))

    async def subjects(self) -> SubjectList:
        return await self.client.request(livelink.LIST_SOURCES, Nothing())

    async def refusals(self, count: int) -> SubjectList:
        """The list, once so many datagrams were refused."""

        async def refused() -> SubjectList | None:
            found = await self.subjects()
            return found if sum(found.refused.values()) >= count else None

        return await until(refused)

    def values(self, index: int = -1) -> dict[str, float]:
        sample = self.samples[index]
        return dict(zip(sample.names, sample.values, strict=True))


def _bound(format: str) -> socket.socket:
    kind = socket.SOCK_STREAM if format == "lines" else socket.SOCK_DGRAM
    made = socket.socket(socket.AF_INET, kind)
    made.bind(("127.0.0.1", 0))
    if kind == socket.SOCK_STREAM:
        made.listen()
    return made


@contextlib.asynccontextmanager
async def listening(root: Path, **settings: object) -> AsyncIterator[Ears]:
    """livelinkd on free ports; `settings` as in livelinkd.yaml. Every sender is accepted where the
    settings do not say otherwise: most tests are about what is sent.
    """
    sockets = {format: [_bound(format)] for format in FORMATS}
    ports = {format: several[0].getsockname()[1] for format, several in sockets.items()}
    domain = LocalDomain()
    directories = Directories(root, root, root, root)
    ear = domain.bus("ear")
    bus = domain.bus("livelinkd")
    config = Config.model_validate({"accept": "all", **settings})
    async with (
        serving_writers(root),
        running("livelinkd", config, run, directories, sockets=sockets, bus=bus) as context,
        Client(root / "livelinkd.sock") as client,
    ):
        await registered(context.health)
        made = Ears(client, ports)

        def collect(sample: Sample[InputSample]) -> None:
            made.samples.append(sample.message)
            made.times_s.append(time.monotonic())

        def see(sample: Sample[LiveLinkFrame]) -> None:
            made.frames.append(sample.message)

        def learn(sample: Sample[LiveLinkSubject]) -> None:
            made.described.append(sample.message)

        ear.subscribe(INPUT_LIVELINK, collect)
        ear.subscribe(LIVELINK_FRAME, see)
        ear.subscribe(LIVELINK_SUBJECT, learn)
        yield made
    await ear.close()
