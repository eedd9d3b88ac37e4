"""A node inside the test's loop: local bus, a server that only serves configurations, and role
processes that are played by the test over real unix sockets.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from saint_services.adoptiond.order_sender import OrderSender
from saint_services.lib.api.node import RoleAssignment, RoleReport
from saint_services.lib.api.orders import (
    AdoptOrder,
    OrderKind,
    ResetOrder,
    UpdateOrder,
    config_parts,
)
from saint_services.lib.bus.local import LocalBus, LocalDomain
from saint_services.lib.crypto import signing
from saint_services.lib.daemon import bind, running
from saint_services.lib.errors import SaintError
from saint_services.lib.generated import saint_msgs as msgs
from saint_services.lib.generated import topics
from saint_services.lib.guard import wire
from saint_services.lib.ipc import Api, ApiServer, Call, Client
from saint_services.lib.machine.service_manager import Directories
from saint_services.noded.config import Config
from saint_services.noded.daemon import run

REPOSITORY = Path(__file__).parents[3]
SERVER = signing.PrivateKey(b"s" * 32)
READY = RoleReport(ready=True, safe=True, estop=False)


class FakeRole:
    """A role process: accepts assignments, reports what the test sets."""

    def __init__(self, runtime: Path, name: str, happened: list[str]) -> None:
        self.first = READY
        self.is_frozen = False  # it reports nothing and ends nothing
        self.assignments: list[RoleAssignment] = []
        self._runtime = runtime
        self._name = name
        self._happened = happened
        self._server: ApiServer | None = None
        self._dies = asyncio.Event()
        self._reports: asyncio.Queue[RoleReport] = asyncio.Queue()

    async def start(self) -> None:
        """Serve, as the service manager would start it."""
        self._dies.clear()
        api = Api()
        api.stream("POST", "/assignment", self._assigned, body=RoleAssignment)
        self._server = await api.serve([bind(self._runtime, self._name)])

    async def die(self) -> None:
        """End the connection without a report; the socket stays, as with socket activation."""
        self._dies.set()

    def say(self, report: RoleReport) -> None:
        self._reports.put_nowait(report)

    async def close(self) -> None:
        if self._server:
            await self._server.close()

    async def _assigned(self, call: Call[RoleAssignment]) -> AsyncIterator[RoleReport]:
        self._dies.clear()
        self.assignments.append(call.body)
        self._happened.append(f"{self._name} assigned")
        try:
            yield self.first
            while self.first.ready:
                report = await self._next()
                if report is None:
                    return
                yield report
        finally:
            self._happened.append(f"{self._name} ended")

    async def _next(self) -> RoleReport | None:
        said = asyncio.ensure_future(self._reports.get())
        died = asyncio.ensure_future(self._dies.wait())
        try:
            await asyncio.wait({said, died}, timeout=1.0, return_when="FIRST_COMPLETED")
            if self.is_frozen:
                await asyncio.Event().wait()
            if died.done():
                return None
            return said.result() if said.done() else self.first
        finally:
            said.cancel()
            died.cancel()


class FakeGuard:
    """The guard of the machine: records requests and reports them as done."""

    def __init__(self, runtime: Path, happened: list[str]) -> None:
        self.stops: list[bool] = []
        self.failure = ""  # what it could not make safe
        self._runtime = runtime
        self._happened = happened
        self._server: asyncio.Server | None = None
        self._writers: list[asyncio.StreamWriter] = []

    async def start(self) -> None:
        listener = bind(self._runtime, "guardd")
        self._server = await asyncio.start_unix_server(self._serve, sock=listener)

    async def close(self) -> None:
        for writer in self._writers:
            writer.close()
        if self._server:
            self._server.close()

    def carried_out(self, target: str, why: str) -> None:
        """Report a will that the guard carried out by itself."""
        self._say({"event": "carried_out", "target": target, "why": why, "failed": ""})

    def _say(self, message: dict[str, object]) -> None:
        for writer in self._writers:
            writer.write(wire.encoded(message))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        while line := await reader.readline():
            request = json.loads(line)
            if request["do"] == "stop":
                self.stops.append(request["active"])
            elif request["do"] == "make_safe":
                self._happened.append(f"{request['target']} made safe")
                self._say({"event": "made_safe", "id": request["id"], "failed": self.failure})
        writer.close()


class Robot:
    """The surroundings of the node under test."""

    def __init__(self, root: Path) -> None:
        self.domain = LocalDomain()
        self.happened: list[str] = []  # in this order
        self.statuses: list[msgs.NodeStatus] = []
        self.announcements: list[msgs.NodeAnnouncement] = []
        self.gpio: list[msgs.NodeGPIOStatus] = []
        self.directories = Directories(
            config=root / "etc", state=root / "state", runtime=root / "run", share=REPOSITORY
        )
        self.directories.runtime.mkdir()
        self.guard = FakeGuard(self.directories.runtime, self.happened)
        names = ("head", "arms_left", "tracks")
        roles = REPOSITORY / "manifests/roles"
        self.texts = {name: (roles / f"{name}.yaml").read_text() for name in names}
        self.display_name = ""
        self.person = ""  # who adopts
        self.config_requests: list[msgs.GetRoleConfig_Request] = []
        self.watcher: LocalBus = self.domain.bus("watcher")
        self.order_sender = OrderSender(self.watcher, SERVER, "SAINT-01")
        self.watcher.subscribe(
            topics.NODE_STATUS.at(node_id="pi_1"), lambda s: self.statuses.append(s.message)
        )
        self.watcher.subscribe(
            topics.NODES_UNADOPTED, lambda s: self.announcements.append(s.message)
        )
        self.watcher.subscribe(
            topics.NODE_GPIO.at(node_id="pi_1"), lambda s: self.gpio.append(s.message)
        )
        self.roles: list[FakeRole] = []

    async def role(self, name: str) -> FakeRole:
        role = FakeRole(self.directories.runtime, name, self.happened)
        self.roles.append(role)
        await role.start()
        return role

    def serve_configs(self) -> None:
        """Serve configurations as adoptiond does."""
        self.watcher.serve(topics.NODES_CONFIG, self._signed_config)

    def _config(self, request: msgs.GetRoleConfig_Request) -> msgs.GetRoleConfig_Response:
        text = self.texts.get(f"{request.role}_{request.instance}".strip("_"))
        if text is None:
            return msgs.GetRoleConfig_Response(success=False, message="no such role here")
        checksum = hashlib.sha256(text.encode()).hexdigest()
        is_changed = checksum != request.known_checksum
        return msgs.GetRoleConfig_Response(
            success=True,
            changed=is_changed,
            checksum=checksum,
            config_yaml=text if is_changed else "",
            display_name=self.display_name,
            server="SAINT-01",
            server_address="192.168.10.1",
        )

    async def _signed_config(
        self, request: msgs.GetRoleConfig_Request
    ) -> msgs.GetRoleConfig_Response:
        self.config_requests.append(request)
        answer = self._config(request)
        answer.server_key = SERVER.public
        answer.signature = SERVER.sign(*config_parts(request, answer))
        return answer

    def announce_server(self) -> None:
        """Publish the status of a server that has just started."""
        self.domain.bus("adoptiond").publisher(topics.SYSTEM_STATUS).publish(msgs.SystemStatus())

    async def adopt(self, role: str, instance: str = "") -> msgs.AdoptNode_Response:
        """Adopt as adoptiond does: exchange keys, then sign the order."""
        try:
            if not (await self.order_sender.owner("pi_1")).server_key:
                await self.order_sender.bind("pi_1", "")
            order = AdoptOrder(
                role=role,
                instance=instance,
                config_yaml=self.texts.get(f"{role}_{instance}".strip("_"), ""),
                server_address="192.168.10.1",
                display_name=self.display_name,
                person=self.person,
            )
            said = await self.order_sender.order("pi_1", "", OrderKind.ADOPT, order, 8.0)
        except SaintError as err:
            return msgs.AdoptNode_Response(success=False, message=err.message)
        return msgs.AdoptNode_Response(True, said.message, said.topic_prefix)

    async def reset(self, factory: bool = False) -> msgs.ResetNode_Response:
        if not (await self.order_sender.owner("pi_1")).server_key:
            request = msgs.ResetNode_Request(node_id="pi_1", factory_reset=factory)
            return await self.watcher.call(topics.NODE_RESET.at(node_id="pi_1"), request, 5.0)
        try:
            order = ResetOrder(factory_reset=factory)
            said = await self.order_sender.order("pi_1", "", OrderKind.RESET, order, 5.0)
        except SaintError as err:
            return msgs.ResetNode_Response(success=False, message=err.message)
        return msgs.ResetNode_Response(said.success, said.message)

    async def update(self, request: msgs.UpdateNode_Request) -> msgs.UpdateNode_Response:
        """Order an update, signed for a node that belongs to the server."""
        if not (await self.order_sender.owner("pi_1")).server_key:
            return await self.watcher.call(topics.NODE_UPDATE.at(node_id="pi_1"), request, 5.0)
        fields = {name: getattr(request, name) for name in UpdateOrder.model_fields}
        try:
            order = UpdateOrder.model_validate(fields)
            said = await self.order_sender.order("pi_1", "", OrderKind.UPDATE, order, 5.0)
        except SaintError as err:
            return msgs.UpdateNode_Response(success=False, message=err.message)
        return msgs.UpdateNode_Response(said.success, said.message)

    @asynccontextmanager
    async def node(self, config: Config | None = None) -> AsyncIterator[Client]:
        """Run the node; yields its control plane."""
        bus = self.domain.bus("noded")
        config = config or Config(config_timeout_s=0.1, role_ready_timeout_s=0.5)
        try:
            async with (
                running("noded", config, run, self.directories, bus=bus),
                Client(self.directories.runtime / "noded.sock") as client,
            ):
                yield client
        finally:
            await bus.close()  # a bus that is passed in belongs to the test
