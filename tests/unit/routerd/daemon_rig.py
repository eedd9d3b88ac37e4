"""A routerd on the in-process bus with a client of its socket."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, get_args

from saint_services.lib.api import Done, routing
from saint_services.lib.api.credentials import (
    ROLE_PROOF,
    RoleProof,
    WriterName,
    WriterRequest,
)
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.routing import EStopClear, EStopInfo
from saint_services.lib.bus import Bus, Topic
from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.daemon import Context, bind, running
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import InputSample, RoleCredential
from saint_services.lib.ipc import Api, Call, Client
from saint_services.lib.machine.service_manager import Directories
from saint_services.routerd.config import Config
from saint_services.routerd.daemon import run
from tests.unit.routerd.rig import SHARE
from tests.waiting import every, turns, until


class RunningRouter:
    """A running routerd, the messages that it published, and buses of other participants."""

    def __init__(self, domain: LocalDomain, context: Context[Config], client: Client) -> None:
        self.bus: Bus = domain.bus("others")
        self.unknown: Bus = domain.bus("unknown")  # registers nowhere
        self.context = context
        self.socket = context.directories.runtime / "routerd.sock"
        self.client = client
        self.received: dict[str, list[Any]] = {}
        self.sequence = 0

    def record(self, *wanted: Topic[Any]) -> None:
        for topic in wanted:
            received = self.received.setdefault(topic.name, [])
            self.bus.subscribe(
                topic, lambda sample, received=received: received.append(sample.message)
            )

    def all_of(self, topic: Topic[Any]) -> list[Any]:
        return self.received[topic.name]

    def rc(self, is_lost: bool = False, **channels: float) -> None:
        self._send(topics.INPUT_RC, InputSample(source="rc", failsafe=is_lost), channels)

    def page(self, target: str, **values: float) -> None:
        """Send a sample of a browser."""
        sample = InputSample(source="websocket:page", target=target)
        self._send(topics.INPUT_WEBSOCKET, sample, values)

    def _send(self, topic: Topic[Any], sample: InputSample, values: dict[str, float]) -> None:
        self.sequence += 1
        sample.sequence = self.sequence
        sample.names, sample.values = tuple(values), tuple(values.values())
        self.bus.publisher(topic).publish(sample)

    async def latch(self) -> EStopInfo:
        """Return the e-stop as a reply has it."""
        return (await self.client.request(routing.GET_STATUS, Nothing())).estop

    async def is_released(self) -> bool:
        """Whether the e-stop is no longer active, which it is until the records are stored."""
        return not (await self.latch()).active

    async def clear(self, source: str = "web", generation: int | None = None) -> EStopInfo:
        """Clear with the generation of the newest press, or with `generation`."""
        seen = (await self.latch()).generation if generation is None else generation
        body = EStopClear(source=source, generation=seen)
        return await self.client.request(routing.CLEAR_ESTOP, body)

    async def drive(self, seconds: float, **channels: float) -> None:
        async for _ in every(0.02, times=round(seconds * 50)):
            self.rc(**channels)


def places(tmp_path: Path) -> Directories:
    """Return empty folders, and the shipped manifests."""
    return Directories(tmp_path / "etc", tmp_path / "state", tmp_path / "run", SHARE)


@contextlib.asynccontextmanager
async def alive(
    directories: Directories, config: Config | None = None
) -> AsyncIterator[RunningRouter]:
    domain = LocalDomain()
    bus = domain.bus("routerd")
    async with (
        running("routerd", config or Config(), run, directories, bus=bus) as context,
        Client(directories.runtime / "routerd.sock") as client,
    ):
        robot = RunningRouter(domain, context, client)
        async with registered(client, robot.bus.origin, *get_args(WriterName)):
            yield robot


@contextlib.asynccontextmanager
async def registered(client: Client, origin: str, *daemons: WriterName) -> AsyncIterator[None]:
    """Register this participant as the writer of these daemons."""
    async with contextlib.AsyncExitStack() as stack:
        for daemon in daemons:
            request = WriterRequest(daemon=daemon, origin=origin)
            replies = client.follow(routing.REGISTER_WRITER, request)
            await stack.enter_async_context(contextlib.aclosing(replies))
            await anext(replies)
        yield


@contextlib.asynccontextmanager
async def vouching(directories: Directories, robot: RunningRouter) -> AsyncIterator[None]:
    """Run an adoptiond that knows one console: the participant of the test."""
    requests: list[RoleProof] = []

    async def check(call: Call[RoleProof]) -> Done:
        requests.append(call.body)
        if call.body.origin != robot.bus.origin:
            raise SaintError(Code.REFUSED, "nobody signed for this")
        return Done()

    api = Api()
    api.bind(ROLE_PROOF, check)
    server = await api.serve([bind(directories.runtime, "adoptiond")])
    said = RoleCredential("pi_5", robot.bus.origin, "console", "0" * 128)
    robot.bus.publisher(topics.ROLE_CREDENTIAL).publish(said)
    false = RoleCredential("pi_5", robot.unknown.origin, "console", "0" * 128)
    robot.unknown.publisher(topics.ROLE_CREDENTIAL).publish(false)
    await until(lambda: len(requests) >= 2)
    await turns()
    try:
        yield
    finally:
        await server.close()
