"""Wires webd: the bus and the other daemons on one side, the web server on the other."""

import asyncio
import gc
import math
import socket
from pathlib import Path
from typing import Any

from ..lib import log
from ..lib.bus.input_writer import InputWriter
from ..lib.clock import monotonic_s
from ..lib.daemon import Context, bind, bind_tcp
from ..lib.generated.topics import INPUT_WEBSOCKET
from .accounts.gate import Gate
from .accounts.login import Login
from .accounts.vault_section import users_section
from .api.commands import Commands
from .api.daemon_requests import ControlPlane
from .api.documents import Documents
from .audit.activity import MOST_ENTRIES, SHOWN, ActivityLog
from .audit.audit_socket import AuditSocket, listening
from .config import Config
from .metrics.scrape import Metrics
from .pages.assets import Assets
from .pages.camera import CameraStream
from .pages.model_files import ModelFiles
from .robot.context import Robot
from .robot.daemon_clients import Daemons
from .robot.roles import load_roles
from .server.boundary import Boundary
from .server.connections import Connections
from .server.site import Part, Site
from .tls.authority import Tls
from .tls.encryption import Trust
from .topics import views
from .topics.feeds import Feeds
from .topics.hub import Hub, Snapshot
from .topics.newest import Newest
from .topics.trend_keeper import keep_trends
from .upkeep.backup_files import BackupFiles
from .upkeep.diagnostics import Diagnostics
from .upkeep.firmware_upload import Bundles
from .upkeep.log_files import LogFiles
from .upkeep.wiring import open_upkeep
from .websocket.session import Door

CLIENTS_PERIOD_S = 0.2

_log = log.get("webd")


async def run(ctx: Context[Config]) -> None:
    """Until asked to stop."""
    config, clients = ctx.config, Clients()
    assets = await asyncio.to_thread(_assets, ctx.directories.share / "web")
    counters = ctx.health.counters
    boundary = Boundary(counters)
    robot = await _robot(ctx, clients, boundary)
    gate = Gate(config, robot.vault, robot.audit)
    door = clients.door = Door(robot, gate, boundary, config.max_clients)
    robot.vault.on_change = door.look_again
    connections, feeds = _connections(robot, config), Feeds(robot)
    parts = _parts(ctx, gate, robot, clients)
    site = Site(config, gate, door, assets, parts, boundary, connections)
    try:
        feeds.open()
        secure = ctx.sockets.pop("https", [])
        await site.open(_listening(ctx), secure)
        robot.trust.encrypt = site.encrypt
        await robot.trust.start()
        ctx.spawn(connections.watch(), "connections")
        ctx.spawn(door.beat(), "stalls")
        _spawn_work(ctx, robot, feeds)
        if gate.is_open:
            _log.warning("anyone who reaches this address may command: auth.required is off")
        # What is there now stays; looking through it again and again would delay commands by
        # the time that a full collection takes (12 ms on a desk, several times that on a Pi).
        gc.freeze()
        ctx.ready("open, nobody is asked who he is" if gate.is_open else "open")
        await ctx.stopping.wait()
    finally:
        await site.close()
        robot.entries.close()
        await robot.audit.flush()
        await robot.daemons.close()


def _connections(robot: Robot, config: Config) -> Connections:
    return Connections(robot.newest.counters, config.max_clients, robot.stalls)


async def _robot(ctx: Context[Config], clients: "Clients", boundary: Boundary) -> Robot:
    """With everything that was saved in force."""
    directories, config = ctx.directories, ctx.config
    roles = await asyncio.to_thread(load_roles, directories.share, config.robot)
    newest, activity = Newest(counters=ctx.health.counters), ActivityLog()
    topics = _topics(newest, activity, clients).items()
    told = {name: boundary.or_none("a state", snapshot) for name, snapshot in topics}
    hub = Hub(told, newest.counters)
    daemons, bus = Daemons.at(directories.runtime), await ctx.open_bus()
    writer = InputWriter("webd", directories.runtime, bus, ctx.health)
    samples = writer.publisher(INPUT_WEBSOCKET)
    ctx.spawn(writer.stay_registered(), "registration")
    robot = Robot.on(bus, samples, roles, daemons, newest, hub, activity, directories.state)
    kept = await robot.audit.read(lambda entry: bool(entry.text), 0, MOST_ENTRIES)
    activity.restore(reversed(kept))
    passed = ctx.sockets.pop("audit", None)
    bound = passed[0] if passed else await asyncio.to_thread(listening, directories.runtime)
    robot.entries = AuditSocket(bound, ctx.health.counters, robot.heard)
    robot.entries.open()
    robot.vault.health = ctx.health
    await robot.vault.open()
    robot.clients = clients
    robot.upkeep = await open_upkeep(
        daemons, directories, roles.name, robot.rename, [users_section(robot.vault)]
    )
    robot.trust = Trust(Tls(directories.state, roles.name, config.names))
    return robot


def _parts(ctx: Context[Config], gate: Gate, robot: Robot, clients: "Clients") -> list[Part]:
    """What the site answers beside files and WebSockets."""
    directories, commands = ctx.directories, Commands(gate, robot)
    return [
        robot.trust,
        Login(gate, robot),
        commands,
        ControlPlane(gate, directories.runtime),
        Metrics(gate, robot, clients.count, commands.times),
        Documents(directories.share / "manifests" / "api"),
        Bundles(gate, directories.runtime / "otad-files.sock", robot.heard),
        CameraStream(gate, robot.bus),
        LogFiles(gate, robot),
        BackupFiles(gate, robot),
        Diagnostics(gate, robot),
        ModelFiles(gate, robot.roles.urdf),
    ]


def _spawn_work(ctx: Context[Config], robot: Robot, feeds: Feeds) -> None:
    """What goes on for as long as webd runs."""
    ctx.spawn(feeds.tick(), "tick")
    ctx.spawn(feeds.watch_nodes(), "watch nodes")
    ctx.spawn(keep_trends(robot.newest, robot.trends), "trends")
    ctx.spawn(feeds.watch_firmware(), "watch firmware")
    ctx.spawn(robot.upkeep.backups.work(), "restores")
    ctx.spawn(robot.vault.tidy(), "tidy the vault")
    ctx.spawn(robot.audit.run(), "audit log")
    ctx.spawn(robot.trust.keep(), "certificate")


def _assets(folder: Path) -> Assets:
    assets = Assets(folder)
    if missing := assets.missing():
        fix = "run make setup (npm ci in web/)"
        _log.warning("the pages' libraries are not installed", missing=missing[0], fix=fix)
    return assets


class Clients:
    """Who is connected; the door exists only after the topics that tell about it."""

    door: Door | None = None
    _data: list[dict[str, Any]] = []
    _until_s = -math.inf

    def data(self, now_s: float) -> list[dict[str, Any]]:
        """For the topic "inputs", which is sent far more often than this changes."""
        if self.door is not None and now_s >= self._until_s:
            self._data = [session.data() for session in self.door.sessions.values()]
            self._until_s = now_s + CLIENTS_PERIOD_S
        return self._data

    def end(self, client_id: str, reason: str) -> bool:
        """Whether there is such a client; its connection is closed."""
        session = self.door.sessions.get(client_id) if self.door else None
        if session is None:
            return False
        session.end(reason)
        return True

    def count(self) -> int:
        """For the topic "system"."""
        return len(self.door.sessions) if self.door else 0


def _topics(newest: Newest, activity: ActivityLog, clients: Clients) -> dict[str, Snapshot]:
    return {
        "nodes": lambda: views.nodes(newest),
        "firmware": lambda: views.firmware(newest),
        "inputs": lambda: _inputs(newest, clients, monotonic_s()),
        "outputs": lambda: views.outputs(newest),
        "head": lambda: views.head(newest),
        "arms": lambda: views.arms(newest, monotonic_s()),
        "tracks": lambda: views.tracks(newest),
        "console": lambda: views.console(newest),
        "system": lambda: views.system(newest, monotonic_s()) | {"clients": clients.count()},
        "log": lambda: {"entries": activity.newest(SHOWN)},
    }


def _inputs(newest: Newest, clients: Clients, now_s: float) -> dict[str, Any]:
    return views.inputs(newest, clients.data(now_s), now_s)


def _listening(ctx: Context[Config]) -> list[socket.socket]:
    """Sockets passed in, else our own: the control socket, pages, the robot's WebSocket port."""
    passed = [each for several in ctx.sockets.values() for each in several]
    if passed:
        return passed
    listen = ctx.config.listen
    return [
        bind(ctx.directories.runtime, ctx.name),
        bind_tcp(listen.address, listen.http_port),
        bind_tcp(listen.address, listen.saint_port),
    ]
