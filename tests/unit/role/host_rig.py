"""A role daemon inside the test's loop: real control socket, in-process bus, simulated pins."""

import asyncio
import contextlib
import itertools
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.api.node import RoleAssignment, RoleReport
from saint_services.lib.bus.local import LocalBus, LocalDomain
from saint_services.lib.daemon import running
from saint_services.lib.generated.saint_msgs import EStop, RouterHeartbeat
from saint_services.lib.generated.topics import ESTOP, ROUTER_CREDENTIAL, ROUTER_HEARTBEAT
from saint_services.lib.ipc import Client
from saint_services.lib.machine import service_manager
from saint_services.lib.role_config.model import RoleConfig
from tests.guard_rig import guarded
from tests.unit.role.credentials import SERVER, credential
from tests.unit.role.role_rig import ROLES, load_role
from tests.waiting import every
from tools.sim.observe import PinWatch

SHARE = ROLES.parents[1]


class House:
    """The daemon as a test sees it."""

    def __init__(self, root: Path, name: str, domain: LocalDomain, pins: PinWatch) -> None:
        self.hw = root / "hw"
        self.socket = root / "run" / f"{name}.sock"
        self.client = Client(self.socket)
        self.router: LocalBus = domain.bus("routerd")
        self.pins = pins
        self._beat = self.router.publisher(ROUTER_HEARTBEAT)
        self._latch = self.router.publisher(ESTOP)
        self._sequence = itertools.count(1)

    def assign(self, config: RoleConfig) -> AsyncGenerator[RoleReport]:
        """Return the stream that noded keeps open."""
        body = RoleAssignment(
            node_id="pi_1", config=config, server_key=SERVER.public, robot="SAINT-01"
        )
        return self.client.stream("POST", "/assignment", body, RoleReport)

    def ask_raw(self, config: RoleConfig) -> socket.socket:
        """Send the request of `assign` on a plain socket, before the daemon's loop runs."""
        assignment = RoleAssignment(
            node_id="pi_1", config=config, server_key=SERVER.public, robot="SAINT-01"
        )
        body = assignment.model_dump_json(by_alias=True)
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(5.0)
        connection.connect(str(self.socket))
        head = f"POST /assignment HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body.encode())}\r\n"
        connection.sendall(f"{head}\r\n{body}".encode())
        return connection

    def prove(self) -> None:
        """Publish the latch and the credential of the router, as it does at its start."""
        self._latch.publish(EStop())
        self.router.publisher(ROUTER_CREDENTIAL).publish(credential(self.router.origin))

    async def live(self, seconds: float, say: Callable[[], None]) -> None:
        """Send heartbeats of the router, and call `say` with each."""
        async for _ in every(0.01, times=round(seconds / 0.01)):
            self._beat.publish(RouterHeartbeat(sequence=next(self._sequence)))
            say()


@contextlib.asynccontextmanager
async def house(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    config: Any,
    run: Any,
    *,
    has_router: bool = True,
) -> AsyncIterator[House]:
    """Run the daemon while the context is open, with a proven router or none."""
    monkeypatch.setenv("SAINT_HW", f"sim:{root / 'hw'}")
    directories = service_manager.Directories(root / "etc", root / "state", root / "run", SHARE)
    domain = LocalDomain()
    pins = await asyncio.to_thread(PinWatch, root / "hw")
    found = House(root, name, domain, pins)
    if has_router:
        found.prove()
    async with (
        guarded(directories.runtime),
        running(name, config, run, directories, bus=domain.bus(name)),
    ):
        try:
            yield found
        finally:
            await found.client.close()


__all__ = ["House", "house", "load_role"]
