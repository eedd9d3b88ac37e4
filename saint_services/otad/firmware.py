"""Releases on the disk, machines on the bus and the roll-out, together: what is here, who is asked,
what people see. Not here: whose turn it is (rollout/logic.py), what people may order
(rollout/requests.py), listeners (api.py, daemon.py).
"""

import asyncio
import socket
from collections.abc import Mapping

from ..lib.api.adoption import NodeInfo
from ..lib.api.firmware import FirmwareReport, MachineFirmware
from ..lib.bus import Bus
from ..lib.clock import monotonic_s
from ..lib.daemon import Context
from ..lib.errors import Code, SaintError
from ..lib.generated.saint_msgs import FirmwareStatus
from ..lib.state import StateStore
from ..lib.update.updater import World
from . import views
from .adapters.alerts import Alerts
from .adapters.downloads import address_of
from .adapters.inspector import Signatures
from .adapters.nodes import Nodes
from .adapters.own_machine import OwnMachine
from .adapters.place import Place
from .bell import Bell
from .config import Config
from .releases.incoming import IMAGE
from .releases.ingest import ReleaseIngest
from .releases.repository import Repository
from .rollout import fleet, requests
from .rollout.conductor import Conductor
from .rollout.fleet import Fleet
from .rollout.logic import Limits, UpdateRequest
from .state import SavedFirmware
from .views import Stored

_LOOK_AT_DISK_EVERY_S = 60.0


class Firmware:
    """Hears machines, asks them, and tells what it knows."""

    def __init__(
        self,
        ctx: Context[Config],
        bus: Bus,
        place: Place,
        world: World,
        served: socket.socket,
    ) -> None:
        config = ctx.config
        self.changed = Bell()
        self.repository = Repository(ctx.directories.state, config.reserve_bytes)
        self.fleet = Fleet(own=place.own)
        self._ctx = ctx
        self._place = place
        self._port = int(served.getsockname()[1])
        self._installer = world.installer
        self._signatures = Signatures(world.installer)
        self._limits = Limits(config.parallel, config.machine_limit_s, config.away_after_s)
        self._nodes = Nodes(
            bus,
            ctx.directories.runtime,
            place.own if place.is_self_updating else "",
            ctx.health.counters,
        )
        self._own = self._own_machine(world) if place.is_self_updating else None
        alerts = Alerts(bus)
        self.conductor = Conductor(
            StateStore(ctx.directories.state / "otad.json", SavedFirmware, version=1),
            self._limits,
            self.machines,
            self._ask,
            alerts,
            ctx.health,
        )
        self.conductor.on_change = self.changed.ring
        self.ingest = ReleaseIngest(
            config, self.repository, self._signatures, self._needed, alerts, ctx.health
        )
        self.ingest.on_change = self.changed.ring

    async def open(self) -> None:
        """What the disk holds."""
        problems = await asyncio.to_thread(self.repository.open)
        if problems:
            self._ctx.health.raise_issue(Code.STATE_DAMAGED, "; ".join(problems), "releases")
        await self.conductor.load()

    def _own_machine(self, world: World) -> OwnMachine:
        ctx = self._ctx
        directories = (ctx.directories.state, ctx.directories.runtime)
        limits = ctx.config.update_limits
        return OwnMachine(self._place.own, directories, ctx.spawn, limits, world, self.hear)

    def start(self) -> None:
        """From now on machines are heard and asked. The installer may take its time to start:
        nobody's boot waits for that.
        """
        if self._own:
            self._ctx.spawn(self._start_own(self._own), "own machine starts")
        self._ctx.spawn(self._nodes.watch(self.hear, self._register), "nodes")
        self._ctx.spawn(self.conductor.run(self._ctx.spawn), "roll-out")
        self._ctx.spawn(self._watch_disk(), "disk")

    async def _start_own(self, own: OwnMachine) -> None:
        await own.start()
        if own.problem:
            self._ctx.health.raise_issue(Code.STATE_DAMAGED, own.problem, "update.json")

    async def close(self) -> None:
        """Give everything back."""
        await self._nodes.close()
        if self._own:
            await self._own.close()
        self._installer.close()

    def machines(self) -> Mapping[str, MachineFirmware]:
        """As they are now."""
        return fleet.machines(self.fleet, monotonic_s(), self._limits.machine_limit_s)

    def robot(self) -> requests.Robot:
        """What orders are checked against."""
        return requests.Robot(
            self.machines(),
            tuple(self.repository.stored),
            self.fleet.own,
            self._ctx.config.server_last,
        )

    def current(self) -> Stored | None:
        """What nodes that boot are offered."""
        return self.repository.stored.get(self.conductor.rollout.saved.current)

    def release(self, version: str) -> Stored:
        """The named one; the offered one where none is named. Raises not_found."""
        found = self.repository.stored.get(version) if version else self.current()
        if found is None:
            what = f"release {version[:40]!r} is not here" if version else "no release is offered"
            raise SaintError(Code.NOT_FOUND, what)
        return found

    async def url(self, version: str) -> str:
        """Where a machine finds a bundle."""
        host = await self._place.address(self._ctx.config.address)
        return address_of(version, host, self._port, IMAGE)

    def report(self) -> FirmwareReport:
        """All that people see."""
        if self._signatures.is_look_due():
            self._ctx.spawn(self._look_for_installer(), "installer")
        return views.report(
            self.conductor.rollout,
            self.repository.stored,
            self.machines().values(),
            self._signatures.missing,
        )

    async def _look_for_installer(self) -> None:
        before = self._signatures.missing
        await self._signatures.look()
        if self._signatures.missing != before:
            self.changed.ring()

    def hear(self, node_id: str, status: FirmwareStatus, now_s: float) -> bool:
        """What a machine tells of itself."""
        heard = fleet.hear(self.fleet, node_id, status, now_s)
        if heard is None:
            return False
        self.fleet = heard
        self._stir()
        return True

    def _register(self, nodes: list[NodeInfo] | None) -> set[str]:
        if nodes is not None:
            self.fleet = fleet.register(self.fleet, nodes, monotonic_s())
            self._stir()
        if self._own:
            self._own.hear_registry(None if nodes is None else fleet.live_outputs(nodes))
        return set(self.fleet.known)

    def _stir(self) -> None:
        self.conductor.wake()
        self.changed.ring()

    async def _ask(self, ask: UpdateRequest) -> str:
        """Our own machine or a node."""
        stored = None if ask.is_rollback else self.release(ask.version)
        if self._own and ask.node_id == self._place.own:
            path = self.repository.file(ask.version, IMAGE)
            checksum = stored.release.checksum_sha256 if stored else ""
            return await self._own.request(ask, checksum, str(path or ""))
        return await self._nodes.request(ask, stored, await self.url(ask.version) if stored else "")

    def _needed(self) -> set[str]:
        saved = self.conductor.rollout.saved
        planned = {saved.plan.version} if saved.plan else set()
        return {saved.current, saved.previous, *planned} - {""}

    async def _watch_disk(self) -> None:
        while True:
            free = await asyncio.to_thread(self.repository.free_bytes)
            if free:
                self._ctx.health.clear(Code.DISK_FULL)
            else:
                text = "the disk has no room for releases"
                self._ctx.health.raise_issue(Code.DISK_FULL, text)
            await asyncio.sleep(_LOOK_AT_DISK_EVERY_S)
