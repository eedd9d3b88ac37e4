"""Wires otad: opens its sockets, starts its background work."""

import asyncio
import socket
from collections.abc import Callable

from ..lib.access.audit import AuditRecord
from ..lib.daemon import Context, bind, bind_tcp
from ..lib.ipc import Api
from ..lib.update.updater import UpdateEnvironment
from . import views
from .adapters.downloads import Downloads
from .adapters.http_server import Bounds, LazyHttpServer
from .adapters.local_machine import LocalMachine
from .adapters.roles import load_roles
from .adapters.uploads import Uploads
from .api import answer_ipc, serve_ros
from .config import Config
from .firmware import FirmwareService
from .views import RoleFile

_UPLOADS_AT_ONCE = 8  # connections; one bundle is stored at a time


async def run(ctx: Context[Config], world: UpdateEnvironment | None = None) -> None:
    """Run the daemon until stopped."""
    roles = await asyncio.to_thread(load_roles, ctx.directories.share / "manifests")
    place = await asyncio.to_thread(LocalMachine.from_environment)
    listen = ctx.config.listen
    served = ctx.sockets.get("firmware") or [bind_tcp(listen.address, listen.port)]
    bus = await ctx.open_bus("otad")
    firmware = FirmwareService(
        ctx, bus, place, world or UpdateEnvironment.of_this_machine(), served[0]
    )
    await firmware.open()
    api = Api()
    servers = _servers(ctx, firmware, roles, served, lambda entry: api.on_entry(entry))
    answer_ipc(api, firmware)
    firmware.add_entry = lambda entry: api.on_entry(entry)
    try:
        for server in servers:
            server.open()
        await ctx.serve_ipc(api)
        ctx.spawn(serve_ros(bus, firmware), "ROS services")
        firmware.start()
        ctx.ready(f"{len(firmware.repository.stored)} releases")
        await ctx.stopping.wait()
    finally:
        for server in servers:
            await server.close()
        await firmware.close()


def _servers(
    ctx: Context[Config],
    firmware: FirmwareService,
    roles: list[RoleFile],
    served: list[socket.socket],
    add_entry: Callable[[AuditRecord], None],
) -> list[LazyHttpServer]:
    """Where bundles go out, and where they come in."""
    config, counters = ctx.config, ctx.health.counters
    out = Downloads(
        firmware.repository,
        roles,
        lambda: firmware.conductor.rollout.saved.current,
        lambda: views.manifest(firmware.current(), roles),
        counters,
    )
    into = Uploads(
        firmware.ingest,
        config.stalled_after_s,
        add_entry,
        lambda: firmware.policy.in_force.usb_stick,
    )
    files = ctx.sockets.get("files") or [bind(ctx.directories.runtime, "otad-files")]
    most_out = Bounds(config.max_downloads, config.stalled_after_s)
    most_in = Bounds(_UPLOADS_AT_ONCE, config.stalled_after_s)
    return [
        LazyHttpServer(served, out.routes, most_out, ctx.spawn, counters),
        LazyHttpServer(files, into.routes, most_in, ctx.spawn, counters),
    ]
