"""otad inside the test's loop; nodes, installer and registry are played by the test."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import aiohttp

from saint_services.lib.api.adoption import NodeInfo, NodeList, NodeState
from saint_services.lib.api.orders import SIGN_OFFER, SignedOffer, SignOffer, offer_parts
from saint_services.lib.bus.local import LocalBus, LocalDomain
from saint_services.lib.crypto.signing import PrivateKey
from saint_services.lib.daemon import Context, bind, bind_tcp, running
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated import saint_msgs as msgs
from saint_services.lib.generated import topics
from saint_services.lib.ipc import Api, ApiServer, Call, Client
from saint_services.lib.machine.service_manager import Directories
from saint_services.lib.update.boot import Boot
from saint_services.lib.update.checks import Services
from saint_services.lib.update.dbus import SystemBus
from saint_services.lib.update.installer import BundleInfo, Progress, Slot, Slots
from saint_services.lib.update.rauc_errors import explained
from saint_services.lib.update.updater import UpdateEnvironment
from saint_services.otad.config import Config
from saint_services.otad.daemon import run
from saint_services.otad.releases import bundle
from tools.fake_rauc.bundle_writer import Keys, Release, write_bundle

REPOSITORY = Path(__file__).parents[3]
SERVER = PrivateKey(b"s" * 32)
OTHER_KEY = b"signed with another key"


class FakeInstaller:
    """Accepts every signature, except of bundles that name another key."""

    def __init__(self) -> None:
        self.is_there = True
        self.is_busy = False

    async def inspect(self, source: str) -> BundleInfo:
        self._check()
        if self.is_busy:  # it writes this server's own slot
            raise explained("already processing a different method")
        path = Path(source)
        manifest = await asyncio.to_thread(_manifest, path)
        if OTHER_KEY in await asyncio.to_thread(path.read_bytes):
            message = "the signature is none of this robot's maker"
            raise SaintError(Code.RELEASE_INVALID, message)
        return BundleInfo(manifest.version, manifest.compatible)

    async def slots(self) -> Slots:
        self._check()
        return Slots(Slot("rootfs.0", "A", is_booted=True, version="1.0.0"))

    async def install(self, source: str, on_progress: Progress) -> None:
        raise NotImplementedError

    async def follow(self, on_progress: Progress) -> bool:
        return False

    async def mark(self, mark: object, slot: str) -> None:
        self._check()

    def close(self) -> None:
        pass

    def _check(self) -> None:
        if not self.is_there:
            raise SaintError(Code.DAEMON_UNREACHABLE, "RAUC does not answer")


def _manifest(path: Path) -> bundle.Manifest:
    with path.open("rb") as file:
        return bundle.read_parts(file).manifest


class FakeNode:
    """A node as otad sees it: `plays` says how its next update ends."""

    def __init__(self, domain: LocalDomain, node_id: str, version: str = "1.0.0") -> None:
        self.status = msgs.FirmwareStatus(node_id=node_id, state="idle", version=version)
        self.requests: list[msgs.UpdateNode_Request] = []
        self.refusal = ""
        self.bus: LocalBus = domain.bus(node_id)
        self._publisher = self.bus.publisher(topics.NODE_FIRMWARE.at(node_id=node_id))
        self.bus.serve(topics.NODE_UPDATE.at(node_id=node_id), self._update)
        self.report()

    def report(self, **changes: object) -> None:
        for name, value in changes.items():
            setattr(self.status, name, value)
        self._publisher.publish(self.status)

    async def _update(self, request: msgs.UpdateNode_Request) -> msgs.UpdateNode_Response:
        self.requests.append(request)
        if self.refusal:
            return msgs.UpdateNode_Response(success=False, message=self.refusal)
        attempt = self.status.attempt + 1
        self.report(
            state="installing", target_version=request.version, attempt=attempt, verdict="",
            reason="",
        )  # fmt: skip
        return msgs.UpdateNode_Response(success=True, message="installs")

    def becomes_healthy(self) -> None:
        spare = self.status.version
        self.report(
            state="idle", version=self.status.target_version, spare_version=spare,
            verdict="healthy",
        )  # fmt: skip

    def falls_back(self, reason: str) -> None:
        self.report(state="idle", verdict="rolled_back", reason=reason, log_excerpt="it died\n")


@dataclass
class Robot:
    """What surrounds otad."""

    root: Path
    keys: Keys
    domain: LocalDomain = field(default_factory=LocalDomain)
    installer: FakeInstaller = field(default_factory=FakeInstaller)
    nodes: dict[str, FakeNode] = field(default_factory=dict)
    away: set[str] = field(default_factory=set)
    live: set[str] = field(default_factory=set)  # nodes whose outputs are
    hardware: dict[str, str] = field(default_factory=dict)  # revisions that nodes report
    registry_waits_for: asyncio.Event | None = None

    @property
    def directories(self) -> Directories:
        root = self.root
        return Directories(
            config=root / "etc", state=root / "state", runtime=root / "run", share=REPOSITORY
        )

    def node(self, node_id: str, version: str = "1.0.0") -> FakeNode:
        self.nodes[node_id] = FakeNode(self.domain, node_id, version)
        return self.nodes[node_id]

    def bundle(self, version: str, **changes: object) -> Path:
        """A signed bundle on the disk."""
        release = Release(version=version, changelog=f"what is new in {version}", **changes)  # type: ignore[arg-type]
        return write_bundle(self.root / f"{version}.raucb", release, self.keys)

    @asynccontextmanager
    async def registry(self) -> AsyncIterator[ApiServer]:
        """adoptiond, as far as otad queries it."""
        api = Api()

        async def answer(_: object) -> NodeList:
            if self.registry_waits_for:
                await self.registry_waits_for.wait()
            return NodeList(nodes=[self._info(node_id) for node_id in self.nodes])

        async def sign(call: Call[SignOffer]) -> SignedOffer:
            if call.body.server_key != SERVER.public:
                raise SaintError(Code.NOT_FOUND, "another server's")
            return SignedOffer(signature=SERVER.sign(*offer_parts(call.body)))

        api.get("/nodes", answer)
        api.bind(SIGN_OFFER, sign)
        server = await api.serve([bind(self.directories.runtime, "adoptiond")])
        try:
            yield server
        finally:
            await server.close()

    def _info(self, node_id: str) -> NodeInfo:
        state = NodeState.OFFLINE if node_id in self.away else NodeState.ACTIVE
        return NodeInfo(
            node_id=node_id, display_name="", state=state, firmware_version="1.0.0",
            outputs_safe=node_id not in self.live, hardware_rev=self.hardware.get(node_id, ""),
        )  # fmt: skip

    def _world(self) -> UpdateEnvironment:
        services = Services(SystemBus("unix:path=/none"))
        return UpdateEnvironment(
            self.installer, services, Boot(self.root / "deadman", self.root / "reboot")
        )

    @asynccontextmanager
    async def otad(
        self,
        config: Config | None = None,
        *,
        has_registry: bool = False,
        world: UpdateEnvironment | None = None,
    ) -> AsyncIterator["Ota"]:
        """otad, running. `has_registry`: the test plays adoptiond itself."""
        served = bind_tcp("127.0.0.1", 0)
        bus = self.domain.bus("otad")

        async def life(ctx: Context[Config]) -> None:
            await run(ctx, world or self._world())

        try:
            async with (
                nullcontext() if has_registry else self.registry(),
                running(
                    "otad", config or Config(reserve_bytes=0), life, self.directories,
                    {"firmware": [served]}, bus=bus,
                ) as ctx,
                Client(self.directories.runtime / "otad.sock") as client,
            ):  # fmt: skip
                yield Ota(self, client, ctx, int(served.getsockname()[1]))
        finally:
            await bus.close()  # a bus that is passed in belongs to the test


@dataclass
class Ota:
    """otad while it runs."""

    robot: Robot
    client: Client
    context: Context[Config]
    port: int

    @property
    def counters(self) -> dict[str, int]:
        return self.context.health.counters

    @property
    def files_socket(self) -> Path:
        return self.robot.directories.runtime / "otad-files.sock"

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}/firmware/{path}"

    async def upload(self, data: bytes, **headers: str) -> tuple[int, dict[str, object]]:
        """Status and answer."""
        connector = aiohttp.UnixConnector(str(self.files_socket))
        async with (
            aiohttp.ClientSession(connector=connector) as session,
            session.post("http://otad/releases", data=data, headers=headers) as answer,
        ):
            return answer.status, await answer.json()

    async def release(self, version: str, **changes: object) -> None:
        """Upload a good one."""
        path = await asyncio.to_thread(partial(self.robot.bundle, version, **changes))
        status, answer = await self.upload(await asyncio.to_thread(path.read_bytes))
        assert status == 200, answer
