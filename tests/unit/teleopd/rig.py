"""A running teleopd on an in-process bus, with a router that admits it, for tests."""

import asyncio
import contextlib
import io
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from saint_services.lib.access.audit import AuditRecord
from saint_services.lib.access.person import Person
from saint_services.lib.api import routing, teleop
from saint_services.lib.api.endpoint import Nothing, rows_of
from saint_services.lib.api.routing import (
    EStopInfo,
    EStopRequest,
    ReleaseControl,
    RouterStatus,
    TakeControl,
)
from saint_services.lib.bus.local import LocalBus, LocalDomain
from saint_services.lib.clock import stamp
from saint_services.lib.daemon import bind, running
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.lib.generated.sensor_msgs import CompressedImage
from saint_services.lib.generated.std_msgs import Header
from saint_services.lib.ipc import Api, Call, Client
from saint_services.lib.machine.service_manager import Directories
from saint_services.teleopd.config import Config
from saint_services.teleopd.daemon import run
from tests.router_writers import admit_writers, registered
from tests.teleop_peer import Request
from tests.waiting import every

ROOT = Path(__file__).resolve().parents[3]
OLGA = Person("olga", "operator", source="websocket:page-1")
OTTO = Person("otto", "operator", source="websocket:page-2")
VERA = Person("vera", "viewer", source="websocket:page-3")
ADAM = Person("adam", "admin", source="websocket:page-4")
_ROWS = {row.action: row for row in rows_of("teleopd")}
_STATUS = RouterStatus(
    state="idle", estop=EStopInfo(active=False), outputs=[], sources=[], samples=0, refused={}
)


@dataclass
class RemoteRobot:
    """What teleopd has sent to the router."""

    client: Client
    bus: LocalBus
    counters: Any
    domain: LocalDomain
    samples: list[InputSample] = field(default_factory=list)
    locks: list[TakeControl] = field(default_factory=list)
    released: list[ReleaseControl] = field(default_factory=list)
    stops: list[EStopRequest] = field(default_factory=list)
    entries: list[AuditRecord] = field(default_factory=list)

    def signalling(self, person: Person) -> Request:
        """Requests of this person, as webd forwards them."""

        async def send(action: str, **params: Any) -> dict[str, Any]:
            row = _ROWS[action]
            given = row.params.model_validate(params)
            reply = await self.client.request(row, given, person)
            found: dict[str, Any] = reply.model_dump(mode="json")
            return found

        return send

    async def sessions(self) -> teleop.RemoteSessionList:
        return await self.client.request(teleop.LIST_SESSIONS, Nothing())

    @contextlib.asynccontextmanager
    async def filming(self, size: tuple[int, int] = (320, 240)) -> AsyncIterator[None]:
        """The head's camera publishes 30 pictures per second meanwhile."""
        camera = self.bus.publisher(topics.HEAD_CAMERA)

        async def film() -> None:
            pictures = [jpeg(number, size) for number in range(8)]
            number = 0
            async for _ in every(1 / 30):
                number += 1
                data = pictures[number % len(pictures)]
                camera.publish(CompressedImage(Header(stamp()), "jpeg", data))

        task = asyncio.create_task(film())
        try:
            yield
        finally:
            task.cancel()
            camera.close()

    @property
    def driven(self) -> list[InputSample]:
        """Samples with values."""
        return [each for each in self.samples if each.values]


def jpeg(number: int, size: tuple[int, int]) -> bytes:
    """A picture whose bar shows its number."""
    picture = Image.new("RGB", size, (40, 60, 90))
    draw = ImageDraw.Draw(picture)
    draw.rectangle((10, 10, 10 + 20 * number, 60), fill=(230, 200, 60))
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=80)
    return buffer.getvalue()


def fake_router(robot: RemoteRobot) -> Api:
    """The requests of routerd that teleopd sends."""
    api = admit_writers(Api())

    async def take(call: Call[TakeControl]) -> RouterStatus:
        robot.locks.append(call.body)
        return _STATUS

    async def release(call: Call[ReleaseControl]) -> RouterStatus:
        robot.released.append(call.body)
        return _STATUS

    async def stop(call: Call[EStopRequest]) -> EStopInfo:
        robot.stops.append(call.body)
        return EStopInfo(active=True)

    api.bind(routing.TAKE_CONTROL, take)
    api.bind(routing.RELEASE_CONTROL, release)
    api.bind(routing.ESTOP, stop)
    return api


@contextlib.asynccontextmanager
async def remote_robot(folder: Path, **settings: Any) -> AsyncIterator[RemoteRobot]:
    """A running teleopd of the robot "saint"."""
    runtime = folder / "run"
    runtime.mkdir()
    domain = LocalDomain()
    bus = domain.bus("test")
    robot = RemoteRobot(Client(runtime / "teleopd.sock"), bus, None, domain)
    bus.subscribe(topics.INPUT_TELEOP, lambda sample: robot.samples.append(sample.message))
    router = await fake_router(robot).serve([bind(runtime, "routerd")])
    directories = Directories(folder / "etc", folder / "state" / "teleopd", runtime, ROOT)
    directories.state.mkdir(parents=True)
    config = Config(**settings)
    async with running("teleopd", config, run, directories, bus=domain.bus("teleopd")) as ctx:
        robot.counters = ctx.health.counters
        await registered(ctx.health)
        yield robot
    await router.close()
