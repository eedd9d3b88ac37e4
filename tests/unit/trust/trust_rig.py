"""A server and nodes in the test's loop: adoptiond and noded on one local bus; the test plays the
role processes.
"""

import contextlib
import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from saint_services.adoptiond import config as server_config
from saint_services.adoptiond import daemon as server_daemon
from saint_services.lib.api.adoption import ADOPT_NODE, AdoptNode, AdoptReply, NodeInfo, NodeState
from saint_services.lib.api.node import NodeReport
from saint_services.lib.bus.local import LocalBus, LocalDomain
from saint_services.lib.daemon import running
from saint_services.lib.errors import SaintError
from saint_services.lib.generated.saint_msgs import SignedOrder_Request
from saint_services.lib.ipc import Client
from saint_services.lib.machine.service_manager import Directories
from saint_services.noded import config as node_config
from saint_services.noded import daemon as node_daemon
from saint_services.noded import status as node_status
from tests.guard_rig import guarded
from tests.unit.noded.node_rig import FakeRole
from tests.waiting import until

T = TypeVar("T")
REPOSITORY = Path(__file__).parents[3]
NODE = node_config.Config(config_timeout_s=0.3, role_ready_timeout_s=1.0, refresh_interval_s=0.2)


@dataclass
class Robot:
    """What the server and its nodes share."""

    root: Path
    monkeypatch: pytest.MonkeyPatch
    domain: LocalDomain

    def __post_init__(self) -> None:
        self.monkeypatch.setattr(
            node_status, "_INTERVAL_S", 0.05
        )  # many tests wait for the next one
        self.watcher: LocalBus = self.domain.bus("watcher")
        self.happened: list[str] = []
        self.last_order: SignedOrder_Request | None = None  # sent by the test
        self.roles: list[FakeRole] = []
        self.tap: Callable[[Any], Any] = lambda request: (
            request
        )  # changes a server's requests on the way

    def directories(self, machine: str) -> Directories:
        root = self.root / machine
        (root / "run").mkdir(parents=True, exist_ok=True)
        return Directories(
            config=root / "etc", state=root / "state", runtime=root / "run", share=REPOSITORY
        )

    def newer_manifests(self) -> Path:
        """The repository's manifests, with another version of the head."""
        share = self.root / "share"
        shutil.copytree(REPOSITORY / "manifests", share / "manifests")
        path = share / "manifests/roles/head.yaml"
        text = re.sub(r"(?m)^version: .*$", 'version: "9.9.9"', path.read_text())
        path.write_text(text)
        return share

    def adopt_without_keys(self, machine: str, server: str) -> None:
        """Make the disk of a node that a release without keys wrote."""
        state = self.directories(machine).state
        state.mkdir(parents=True)
        shutil.copy(REPOSITORY / "manifests/roles/head.yaml", state / "role_config.yaml")
        (state / "role.yaml").write_text(
            "version_of_format: 1\nassigned_role: head\ninstance: ''\n"
            "assigned_at: '2026-01-20T15:00:00Z'\nassigned_by: " + server + "\n"
            "config_version: 1.0.0\nserver_address: 192.168.10.1\n"
        )

    async def role(self, machine: str, name: str) -> FakeRole:
        """Start the role process of a node, ready at once."""
        role = FakeRole(self.directories(machine).runtime, name, self.happened)
        self.roles.append(role)
        await role.start()
        return role

    @asynccontextmanager
    async def server(
        self, name: str = "server", manifests: Path | None = None, robot: str = "saint"
    ) -> AsyncIterator[Client]:
        """Run adoptiond; yields its client."""
        directories = self.directories(name)
        if manifests:
            directories = replace(directories, share=manifests)
        bus = self.domain.bus(f"adoptiond_{name}")
        call = bus.call
        self.monkeypatch.setattr(
            bus, "call", lambda service, request, limit_s: call(service, self.tap(request), limit_s)
        )
        config = server_config.Config(robot=robot)
        try:
            async with (
                running("adoptiond", config, server_daemon.run, directories, bus=bus),
                Client(directories.runtime / "adoptiond.sock") as client,
            ):
                yield client
        finally:
            await bus.close()

    @asynccontextmanager
    async def node(self, node_id: str = "pi_1") -> AsyncIterator[Client]:
        """Run noded; yields its client."""
        self.monkeypatch.setenv("SAINT_NODE_ID", node_id)
        directories = self.directories(node_id)
        bus = self.domain.bus(f"noded_{node_id}")
        try:
            async with (
                guarded(directories.runtime),
                running("noded", NODE, node_daemon.run, directories, bus=bus),
                Client(directories.runtime / "noded.sock") as client,
            ):
                yield client
        finally:
            await bus.close()


async def adopt(server: Client, node_id: str, role: str = "head", name: str = "") -> AdoptReply:
    wanted = AdoptNode(node_id=node_id, role=role, display_name=name)
    return await server.request(ADOPT_NODE, wanted)


async def info(server: Client, node_id: str) -> NodeInfo:
    return await server.get(f"/nodes/{node_id}", NodeInfo)


async def report(node: Client) -> NodeReport:
    return await node.get("/status", NodeReport)


async def seen(server: Client, node_id: str, state: NodeState = NodeState.UNADOPTED) -> NodeInfo:
    """Wait until the server knows the node in that state."""
    return await eventually(lambda: info(server, node_id), lambda found: found.state is state)


async def eventually(look: Callable[[], Awaitable[T]], is_right: Callable[[T], bool]) -> T:
    """What `look` returns, once it is right; a refusal is not yet an answer."""
    found: list[T] = []

    async def is_found() -> bool:
        with contextlib.suppress(SaintError):
            found[:] = [await look()]
            return is_right(found[0])
        return False

    await until(is_found, explain=lambda: f"still {found}")
    return found[0]
