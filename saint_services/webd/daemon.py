"""Connects webd: the bus and the other daemons on one side, the web server on the other."""

import asyncio
import contextlib
import gc
import math
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..lib import log
from ..lib.bus.input_writer import InputWriter
from ..lib.clock import monotonic_s
from ..lib.daemon import Context, bind, bind_tcp
from ..lib.errors import SaintError
from ..lib.generated.topics import INPUT_WEBSOCKET
from ..lib.robot.restart import restart_when_changed
from ..lib.robot.source import RobotPlaces
from .accounts.gate import Gate
from .accounts.login import Login
from .accounts.vault import users_section
from .api.commands import Commands
from .api.daemon_requests import DaemonRequests
from .audit.activity import MOST_ENTRIES, SHOWN, ActivityLog
from .audit.audit_socket import AuditSocket, listening
from .config import Config
from .metrics.scrape import Metrics
from .pages.assets import Assets
from .pages.camera import CameraStream
from .pages.figure_upload import FigureUpload
from .pages.files import ApiDocuments, ModelFiles
from .programs.programs import Programs
from .programs.upload import ProgramArchives
from .remote.control import RemoteControl
from .remote.sockets import RemoteSockets
from .robot.context import RobotContext
from .robot.daemon_clients import DaemonClients
from .robot.roles import load_roles_in_force, with_hardware_of
from .server.boundary import Boundary
from .server.connections import WebConnections
from .server.handlers import RequestHandlers
from .server.site import Site
from .tls.authority import CertificateAuthority
from .tls.encryption import Encryption
from .topics import legs, views
from .topics.feeds import Feeds
from .topics.hub import Hub, Snapshot
from .topics.newest import Newest
from .upkeep.address_watch import AddressWatch
from .upkeep.backup_files import BackupFiles
from .upkeep.diagnostics import Diagnostics
from .upkeep.firmware_upload import FirmwareUpload
from .upkeep.log_files import LogFiles
from .upkeep.own_settings import SavedSettings
from .upkeep.wiring import open_upkeep
from .websocket.session import Sessions

CLIENTS_PERIOD_S = 0.2

_log = log.get("webd")


async def run(ctx: Context[Config]) -> None:
    """Run the daemon until stopped."""
    config, clients = ctx.config, ConnectedClients()
    assets = await asyncio.to_thread(_assets, ctx.directories.share / "web")
    counters = ctx.health.counters
    boundary = Boundary(counters)
    robot, writer = await _robot(ctx, clients, boundary)
    gate = Gate(config, robot.vault, robot.audit, robot.upkeep.own)
    sessions = clients.sessions = Sessions(robot, gate, boundary, config.max_clients)
    sockets = RemoteSockets(robot, gate, boundary)
    robot.vault.on_change = _both(sessions.recheck, sockets.recheck)
    connections, feeds = _connections(robot, config), Feeds(robot)
    remote = RemoteControl(robot, sockets, writer, ctx.directories.state)
    robot.links, feeds.on_estop = remote, remote.stops.latched
    handlers = [*_handlers(ctx, gate, robot, clients), remote]
    site = Site(config, gate, sessions, assets, handlers, boundary, connections)
    feeds.on_robot = restart_when_changed(
        ctx, RobotPlaces.of(ctx.directories, config.robot), robot.roles.mark
    )
    feeds.on_edition = _reading_again(ctx, robot)
    try:
        feeds.open()
        secure = ctx.sockets.pop("https", [])
        await site.open(_listening(ctx), secure)
        robot.encryption.encrypt = site.encrypt
        await robot.encryption.start()
        await remote.open()
        ctx.spawn(remote.run(), "remote masters and slaves")
        ctx.spawn(connections.watch(), "connections")
        ctx.spawn(sessions.watch_stalls(), "stalls")
        _spawn_work(ctx, robot, feeds)
        if gate.is_open:
            _log.warning("anyone who reaches this address is admin: no sign-in is required")
        # The present objects stay; collecting them again and again would delay commands by the
        # time that a full collection takes (12 ms on a desk, several times that on a Pi).
        gc.freeze()
        ctx.ready("open, without sign-in" if gate.is_open else "open")
        await ctx.stopping.wait()
    finally:
        sockets.close()
        await site.close()
        robot.entries.close()
        await robot.audit.flush()
        await robot.daemons.close()


def _both(first: Callable[[], None], second: Callable[[], None]) -> Callable[[], None]:
    def call() -> None:
        first()
        second()

    return call


def _connections(robot: RobotContext, config: Config) -> WebConnections:
    return WebConnections(robot.newest.counters, config.max_clients, robot.stalls)


def _reading_again(ctx: Context[Config], robot: RobotContext) -> Callable[[str], None]:
    """Return what is called with the edition of the robot in force: pins and chips that have
    changed are read again, as nothing else here depends on them."""
    places = RobotPlaces.of(ctx.directories, ctx.config.robot)
    seen = {"", robot.roles.edition}

    async def read() -> None:
        with contextlib.suppress(SaintError):  # the robot that was read stays in force
            newer = await asyncio.to_thread(load_roles_in_force, places)
            robot.roles = with_hardware_of(robot.roles, newer)
            robot.hub.changed("nodes")

    def on_edition(edition: str) -> None:
        if edition not in seen:
            seen.clear()
            seen.update(("", edition))
            ctx.spawn(read(), "another edition of the robot")

    return on_edition


async def _robot(
    ctx: Context[Config], clients: "ConnectedClients", boundary: Boundary
) -> tuple[RobotContext, InputWriter]:
    """Open everything that the actions work on, with the stored state."""
    directories, config = ctx.directories, ctx.config
    places = RobotPlaces.of(directories, config.robot)
    roles = await asyncio.to_thread(load_roles_in_force, places)
    newest, activity = Newest(counters=ctx.health.counters), ActivityLog()
    topics = _topics(newest, activity, clients).items()
    snapshots = {name: boundary.or_none("a state", snapshot) for name, snapshot in topics}
    hub = Hub(snapshots, newest.counters)
    daemons, bus = DaemonClients.at(directories.runtime), await ctx.open_bus()
    writer = InputWriter("webd", directories.runtime, bus, ctx.health)
    samples = writer.publisher(INPUT_WEBSOCKET)
    ctx.spawn(writer.stay_registered(), "registration")
    robot = RobotContext.on(bus, samples, roles, daemons, newest, hub, activity, directories.state)
    stored = await robot.audit.read(lambda entry: bool(entry.text), 0, MOST_ENTRIES)
    activity.restore(reversed(stored))
    passed = ctx.sockets.pop("audit", None)
    bound = passed[0] if passed else await asyncio.to_thread(listening, directories.runtime)
    robot.entries = AuditSocket(bound, ctx.health.counters, robot.record)
    robot.entries.open()
    robot.vault.health = ctx.health
    await robot.vault.open()
    robot.clients = clients
    robot.programs = Programs(robot.vault, directories.state)
    await asyncio.to_thread(robot.programs.store.tidy)

    def use(saved: SavedSettings) -> None:
        robot.rename(saved.name or roles.name)
        robot.vault.on_change()  # a session may be invalid now

    robot.upkeep = await open_upkeep(
        daemons, directories, roles.name, use, [users_section(robot.vault)]
    )
    authority = CertificateAuthority(directories.state, roles.name, config.names)
    robot.encryption = Encryption(authority)
    return robot, writer


def _handlers(
    ctx: Context[Config], gate: Gate, robot: RobotContext, clients: "ConnectedClients"
) -> list[RequestHandlers]:
    """Return the handlers of all requests except pages and WebSockets."""
    directories, commands = ctx.directories, Commands(gate, robot)
    places = RobotPlaces.of(directories, ctx.config.robot)
    return [
        robot.encryption,
        Login(gate, robot),
        commands,
        DaemonRequests(gate, robot, directories.runtime),
        Metrics(gate, robot, clients.count, commands.times),
        ApiDocuments(directories.share / "manifests" / "api"),
        FirmwareUpload(gate, robot, directories.runtime / "otad-files.sock"),
        ProgramArchives(gate, robot),
        CameraStream(gate, robot.bus),
        LogFiles(gate, robot),
        BackupFiles(gate, robot),
        Diagnostics(gate, robot),
        FigureUpload(gate, robot),
        ModelFiles(gate, robot.roles.figure, places.figures),
    ]


def _spawn_work(ctx: Context[Config], robot: RobotContext, feeds: Feeds) -> None:
    """Start the tasks that run for as long as webd."""
    ctx.spawn(feeds.tick(), "tick")
    ctx.spawn(feeds.nodes_watch.run(), "watch nodes")
    ctx.spawn(feeds.keep_trends(), "trends")
    ctx.spawn(feeds.firmware_watch.run(), "watch firmware")
    ctx.spawn(robot.upkeep.backups.run(), "restores")
    ctx.spawn(robot.vault.tidy(), "tidy the vault")
    ctx.spawn(robot.audit.run(), "audit log")
    ctx.spawn(robot.encryption.keep(), "certificate")
    ctx.spawn(AddressWatch(robot, ctx.health).run(), "addresses")


def _assets(folder: Path) -> Assets:
    assets = Assets(folder)
    if missing := assets.missing():
        fix = "run make setup (npm ci in web/)"
        _log.warning("the pages' libraries are not installed", missing=missing[0], fix=fix)
    return assets


class ConnectedClients:
    """The connected clients; their sessions exist only after the topics that list them."""

    sessions: Sessions | None = None
    _data: list[dict[str, Any]] = []
    _until_s = -math.inf

    def data(self, now_s: float) -> list[dict[str, Any]]:
        """Describe all clients for the topic "inputs", which is sent far more often than they
        change.
        """
        if self.sessions is not None and now_s >= self._until_s:
            self._data = [session.data() for session in self.sessions.by_name.values()]
            self._until_s = now_s + CLIENTS_PERIOD_S
        return self._data

    def end(self, client_id: str, reason: str) -> bool:
        """Close the connection of a client; return whether there is such a client."""
        session = self.sessions.by_name.get(client_id) if self.sessions else None
        if session is None:
            return False
        session.end(reason)
        return True

    def count(self) -> int:
        """Return the number of clients."""
        return len(self.sessions.by_name) if self.sessions else 0


def _topics(
    newest: Newest, activity: ActivityLog, clients: ConnectedClients
) -> dict[str, Snapshot]:
    return {
        "nodes": lambda: views.nodes(newest),
        "firmware": lambda: views.firmware(newest),
        "inputs": lambda: _inputs(newest, clients, monotonic_s()),
        "outputs": lambda: views.outputs(newest),
        "head": lambda: views.head(newest),
        "arms": lambda: views.arms(newest, monotonic_s()),
        "tracks": lambda: views.tracks(newest),
        "wagon": lambda: views.wagon(newest),
        "parts": lambda: views.parts(newest, monotonic_s()),
        "legs": lambda: legs.view(newest),
        "console": lambda: views.console(newest),
        "system": lambda: views.system(newest, monotonic_s()) | {"clients": clients.count()},
        "log": lambda: {"entries": activity.newest(SHOWN)},
    }


def _inputs(newest: Newest, clients: ConnectedClients, now_s: float) -> dict[str, Any]:
    return views.inputs(newest, clients.data(now_s), now_s)


def _listening(ctx: Context[Config]) -> list[socket.socket]:
    """Return the sockets passed in, else bind the control socket, pages, the WebSocket port."""
    passed = [each for several in ctx.sockets.values() for each in several]
    if passed:
        return passed
    listen = ctx.config.listen
    return [
        bind(ctx.directories.runtime, ctx.name),
        bind_tcp(listen.address, listen.http_port),
        bind_tcp(listen.address, listen.saint_port),
    ]
