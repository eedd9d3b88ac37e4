"""Connects the releases on the disk, the machines on the bus and the roll-out. Not here: the rules
of a roll-out (rollout/logic.py), what users may request (rollout/requests.py), listeners (api.py,
daemon.py).
"""

import asyncio
import contextlib
import socket
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from ..lib import log
from ..lib.access.audit import AuditRecord
from ..lib.api.adoption import NodeInfo
from ..lib.api.firmware import FirmwareReport, MachineFirmware, RolloutRequest
from ..lib.api.update_policy import RolloutPolicy
from ..lib.bus import Bus
from ..lib.clock import monotonic_s, wall_s
from ..lib.daemon import Context
from ..lib.errors import Code, SaintError
from ..lib.generated.saint_msgs import (
    FirmwareCheck_Request,
    FirmwareCheck_Response,
    FirmwareStatus,
)
from ..lib.ipc import ChangeSignal
from ..lib.machine import computer
from ..lib.state import StateStore
from ..lib.update.dbus import SystemBus
from ..lib.update.updater import UpdateEnvironment
from . import views
from .adapters import clock
from .adapters.alerts import Alerts
from .adapters.downloads import address_of
from .adapters.fetch_socket import FetchSocket
from .adapters.inspector import SignatureInspector
from .adapters.local_machine import LocalMachine
from .adapters.nodes import NodeFirmwareClient
from .adapters.server_update import ServerUpdate
from .config import Config
from .policy import PolicyStore
from .releases import hardware, shipped
from .releases.incoming import IMAGE
from .releases.ingest import ReleaseIngest
from .releases.repository import Repository
from .rollout import fleet, offers, requests
from .rollout.conductor import Conductor
from .rollout.fleet import Fleet
from .rollout.logic import RolloutLimits, UpdateRequest
from .rollout.offers import RobotRest
from .sources.address_import import AddressImport, ImportEnvironment
from .sources.fetch_order import SOCKET
from .sources.partial import PartialDownload
from .state import MIGRATIONS, VERSION, SavedFirmware
from .views import StoredRelease

_DISK_INTERVAL_S = 60.0
_AUTOMATIC_INTERVAL_S = 60.0
_CLOCK_INTERVAL_S = 60.0
_log = log.get("otad")


class FirmwareService:
    """Receives the reports of machines, sends their requests, reports the state of all."""

    def __init__(
        self,
        ctx: Context[Config],
        bus: Bus,
        place: LocalMachine,
        world: UpdateEnvironment,
        served: socket.socket,
    ) -> None:
        config = ctx.config
        self.changed = ChangeSignal()
        self.policy = PolicyStore(config, ctx.directories.state)
        self.policy.on_change = self._policy_changed
        self.repository = Repository(ctx.directories.state, config.reserve_bytes)
        self.fleet = Fleet(own=place.own, own_hardware_rev=place.hardware_rev)
        self._ctx = ctx
        self._machine = place
        self._port = int(served.getsockname()[1])
        self._installer = world.installer
        self._signatures = SignatureInspector(world.installer)
        self._limits = RolloutLimits(config.parallel, config.machine_limit_s, config.away_after_s)
        self._nodes = NodeFirmwareClient(
            bus,
            ctx.directories.runtime,
            place.own if place.is_self_updating else "",
            ctx.health.counters,
        )
        self._own = self._server_update(world) if place.is_self_updating else None
        alerts = Alerts(bus)
        self.conductor = Conductor(
            StateStore(
                ctx.directories.state / "otad.json",
                SavedFirmware,
                VERSION,
                MIGRATIONS,
                begins_with_default=True,  # a roll-out may lead to the release that reads it
            ),
            self._limits,
            self.machines,
            self._request,
            alerts,
            ctx.health,
            self.roll_outs_closed,
        )
        self.conductor.on_change = self.changed.notify
        self.ingest = ReleaseIngest(
            config, self.repository, self._signatures, self._needed, alerts, ctx.health
        )
        self.ingest.on_change = self._releases_changed
        self.add_entry: Callable[[AuditRecord], None] = lambda _: None
        self.registry_answered = asyncio.Event()
        self._rest = RobotRest()
        self._is_clock_set = False  # since the start
        self.source = self._address_import()
        self._release_came = asyncio.Event()
        self._policy_came = asyncio.Event()

    async def open(self) -> None:
        """Load the releases and the roll-out from the disk."""
        problems = await asyncio.to_thread(self.repository.open)
        if problems:
            self._ctx.health.raise_issue(Code.STATE_DAMAGED, "; ".join(problems), "releases")
        if problem := await self.policy.load():
            self._ctx.health.raise_issue(problem.code, problem.message, "policy.json")
        await self.conductor.load()

    def _address_import(self) -> AddressImport:
        folders, config = self._ctx.directories, self._ctx.config
        around = ImportEnvironment(
            versions=lambda: self.repository.stored,
            running=lambda: {each.version for each in self.machines().values()},
            is_window_open=lambda: offers.is_open(self.policy.in_force.window, self._now()),
            largest_bytes=config.largest_bundle_bytes,
            add_entry=lambda entry: self.add_entry(entry),
            on_change=self.changed.notify,
        )
        return AddressImport(
            self.policy,
            FetchSocket(folders.runtime / SOCKET),
            PartialDownload(folders.state / "download", config.reserve_bytes),
            self.ingest,
            around,
        )

    def _server_update(self, world: UpdateEnvironment) -> ServerUpdate:
        ctx = self._ctx
        directories = (ctx.directories.state, ctx.directories.runtime)
        limits = ctx.config.update_limits
        return ServerUpdate(
            self._machine.own, directories, ctx.spawn, limits, world, self.report_received
        )

    def start(self) -> None:
        """Start receiving reports and carrying out the roll-out. The installer may start late: no
        machine's boot waits for it."""
        if self._own:
            self._ctx.spawn(self._start_own(self._own), "own machine starts")
        self._ctx.spawn(self._offer_own(), "own release")
        self._ctx.spawn(self._nodes.watch(self.report_received, self._register), "nodes")
        self._ctx.spawn(self.conductor.run(self._ctx.spawn), "roll-out")
        self._ctx.spawn(self._watch_disk(), "disk")
        self._ctx.spawn(self._watch_clock(), "clock")
        self._ctx.spawn(self.source.run(), "owner's address")
        self._ctx.spawn(self._roll_out_by_itself(), "automatic roll-outs")

    async def _start_own(self, own: ServerUpdate) -> None:
        await own.start()
        if own.problem:
            self._ctx.health.raise_issue(Code.STATE_DAMAGED, own.problem, "update.json")

    async def close(self) -> None:
        """Close all connections."""
        await self._nodes.close()
        if self._own:
            await self._own.close()
        self._installer.close()

    def machines(self) -> Mapping[str, MachineFirmware]:
        """Return the machines as they are now."""
        plan = self.conductor.rollout.plan
        stored = self.repository.stored.get(plan.version) if plan else None
        is_rollback = plan is not None and plan.is_rollback
        found = fleet.machines(self.fleet, monotonic_s(), self._limits.machine_limit_s)
        return {
            node_id: views.machine(each, stored, is_rollback=is_rollback)
            for node_id, each in found.items()
        }

    def robot(self) -> requests.RolloutTargets:
        """Return what requests are checked against."""
        return requests.RolloutTargets(
            self.machines(),
            {
                version: stored.release.min_hardware_rev
                for version, stored in self.repository.stored.items()
            },
            self.fleet.own,
            self._ctx.config.server_last,
        )

    def current(self) -> StoredRelease | None:
        """Return the release that booting nodes are offered."""
        return self.repository.stored.get(self.conductor.rollout.saved.current)

    def offered_to(self, node_id: str) -> StoredRelease | None:
        """Return the release that a node may get; None: there is none for it."""
        current = self.current()
        if current is None or self._is_rejected() or self.unfit(current, node_id):
            return None
        return current

    def _is_rejected(self) -> bool:
        """Whether a user left the offered release for an older one, on one machine perhaps."""
        saved = self.conductor.rollout.saved
        return bool(saved.current) and saved.current == saved.rejected

    def unfit(self, stored: StoredRelease, node_id: str) -> str:
        """Return why a node's hardware must not get a release; empty when it may."""
        release = stored.release
        revision = fleet.hardware_rev(self.fleet, node_id)
        return hardware.unfit(release.version, release.min_hardware_rev, revision)

    def release(self, version: str) -> StoredRelease:
        """Return the named release; without a version the offered one. Raises not_found."""
        found = self.repository.stored.get(version) if version else self.current()
        if found is None:
            what = f"release {version[:40]!r} is not here" if version else "no release is offered"
            raise SaintError(Code.NOT_FOUND, what)
        return found

    async def signed(
        self, request: FirmwareCheck_Request, answer: FirmwareCheck_Response
    ) -> FirmwareCheck_Response | None:
        """Return the reply to a node, signed if the node belongs to a server. None: it belongs to
        another one, or this server's key is out of reach; the node requests again."""
        if not request.server_key:
            return answer
        answer.signature = await self._nodes.offer_signature(request, answer)
        return answer if answer.signature else None

    async def url(self, version: str) -> str:
        """Return the address of a bundle for machines."""
        host = await self._machine.address(self._ctx.config.address)
        return address_of(version, host, self._port, IMAGE)

    def report(self) -> FirmwareReport:
        """Return releases, machines and roll-out for users."""
        if self._signatures.is_check_due():
            self._ctx.spawn(self._check_installer(), "installer")
        return views.report(
            self.conductor.rollout,
            self.repository.stored,
            self.machines().values(),
            self._signatures.missing,
            offers.REJECTED if self._is_rejected() else self.offers_closed(),
            self.policy.shown(),
            self.source.shown(),
            self.roll_outs_closed(),
        )

    def roll_outs_closed(self) -> str:
        """Return why an automatic roll-out begins with no machine now; empty: it may."""
        if self.policy.in_force.roll_out is not RolloutPolicy.AUTOMATIC:
            return "roll-outs are left to users: cancel this one, or pause and resume it"
        return self.offers_closed()

    def offers_closed(self) -> str:
        """Return why machines take no release by themselves now; empty: they do."""
        policy = self.policy.in_force
        decided = offers.closed(policy.offers, policy.window, self._now())
        missing = self._rest.missing(monotonic_s())
        return decided or (f"machines wait: {missing}" if missing else "")

    async def _check_installer(self) -> None:
        before = self._signatures.missing
        await self._signatures.check()
        if self._signatures.missing != before:
            self.changed.notify()

    def report_received(self, node_id: str, status: FirmwareStatus, now_s: float) -> bool:
        """Take a machine's report in. False: it is refused."""
        received = fleet.report_received(self.fleet, node_id, status, now_s)
        if received is None:
            return False
        self.fleet = received
        self._stir()
        return True

    def _register(self, nodes: list[NodeInfo] | None) -> set[str]:
        if nodes is not None:
            self.fleet = fleet.register(self.fleet, nodes, monotonic_s())
            self._stir()
            self.registry_answered.set()
        live = None if nodes is None else fleet.live_outputs(nodes)
        self._rest = self._rest.reported(live, monotonic_s())
        self.source.rest_reported(live)
        if self._own:
            self._own.registry_reported(live)
        return set(self.fleet.known)

    def _releases_changed(self) -> None:
        self._release_came.set()
        self.changed.notify()

    def _policy_changed(self) -> None:
        self.source.policy_changed()
        self._policy_came.set()
        self.changed.notify()

    async def _offer_own(self) -> None:
        """Offer the release that this server runs as soon as it is in the repository, unless
        another was offered before."""
        version = await asyncio.to_thread(computer.version)
        folder = Path(self._ctx.config.shipped)
        self._ctx.spawn(
            shipped.take(folder, self.repository.stored, self.ingest), "the card's release"
        )
        while not self.conductor.rollout.saved.current:
            self._release_came.clear()
            try:
                await self.conductor.change(
                    lambda rollout: requests.offer_own(rollout, version, self.robot())
                )
            except SaintError as err:
                self._ctx.health.raise_issue(err.code, err.message)
            await self._release_came.wait()

    async def _roll_out_by_itself(self) -> None:
        """Begin the roll-out of the newest release when the owner wants that, it is due and the
        owner's window is open."""
        while True:
            self._policy_came.clear()
            is_on = self.policy.in_force.roll_out is RolloutPolicy.AUTOMATIC
            if not self.roll_outs_closed():
                version = requests.due_by_itself(self.conductor.rollout, self.robot())
                if version:
                    await self._roll_out(RolloutRequest(version=version))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_AUTOMATIC_INTERVAL_S if is_on else None):
                    await self._policy_came.wait()

    async def _roll_out(self, wanted: RolloutRequest) -> None:
        robot = self.robot()
        try:
            await self.conductor.request(
                lambda rollout: requests.begin(rollout, wanted, robot, is_automatic=True)
            )
        except SaintError as err:
            _log.warning("no roll-out by itself", version=wanted.version, reason=err.message)
        else:
            _log.info("roll-out begins by itself", version=wanted.version)

    def _stir(self) -> None:
        self.conductor.wake()
        self.changed.notify()

    async def _request(self, request: UpdateRequest) -> str:
        """Send a request to this server itself or to a node."""
        stored = None if request.is_rollback else self.release(request.version)
        if self._own and request.node_id == self._machine.own:
            path = self.repository.file(request.version, IMAGE)
            checksum = stored.release.checksum_sha256 if stored else ""
            return await self._own.request(request, checksum, str(path or ""))
        return await self._nodes.request(
            request, stored, await self.url(request.version) if stored else ""
        )

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
            await asyncio.sleep(_DISK_INTERVAL_S)

    async def _watch_clock(self) -> None:
        """Wait until the clock is set. Nothing is queried while there is no window."""
        bus = SystemBus()
        while not self._is_clock_set:
            await asyncio.sleep(_CLOCK_INTERVAL_S)
            self._is_clock_set = bool(self.policy.in_force.window) and await clock.is_set(bus)
        bus.close()
        self._policy_changed()  # what waited for the window

    def _now(self) -> datetime | None:
        """Return the time, None while nobody has set the clock."""
        return datetime.fromtimestamp(wall_s(), UTC) if self._is_clock_set else None
