"""Wires the registry: loads manifests and state, opens the listeners, starts the periodic work."""

import asyncio
from dataclasses import replace
from functools import partial

from ..lib.clock import monotonic_s
from ..lib.daemon import Context
from ..lib.ipc import Api
from ..lib.machine import computer
from ..lib.robot.restart import restart_when_changed
from ..lib.robot.source import RobotPlaces
from . import logic
from .adapters import RegistryFile
from .api import answer_ipc, serve_ros
from .backup import backup_of
from .calibration_store import CalibrationStore
from .config import Config
from .credentials import CredentialAuthority
from .order_sender import OrderSender
from .registry_service import RegistryService
from .robots.api import answer_robot
from .robots.figure_api import answer_figure
from .robots.figures import FigureService
from .robots.service import RobotService
from .ros_view.model import load_viewed
from .ros_view.publisher import RosView
from .server_key import ServerKey

# Any address of the internal network: the route to it shows the server's own; nothing is sent.
_INTERNAL_PEER = "192.168.10.2"
_LONGEST_ADOPTION_S = 30.0  # as long as a client waits for one (lib/api/adoption.py)
_END_OF_ADOPTIONS_S = 3.0  # a daemon has 5 s to end; what takes longer is finished after the start


async def run(ctx: Context[Config]) -> None:
    """Run the daemon until stopped."""
    places = RobotPlaces.of(ctx.directories, ctx.config.robot)
    robots = RobotService(places, ctx.health)
    catalog = await robots.load()
    memory = RegistryFile(ctx.directories.state, ctx.health)
    registry = logic.restored(await memory.load(), monotonic_s())
    had_nodes = memory.is_lost or any(node.kept.node_key for node in registry.nodes.values())
    keys = ServerKey(ctx.directories.state, ctx.health)
    key = await keys.load(had_nodes=had_nodes)
    catalog = replace(catalog, server_key=key.public if key else "")
    address = ctx.config.address or await asyncio.to_thread(computer.address, _INTERNAL_PEER)
    bus = await ctx.open_bus("adoptiond")
    order_sender = OrderSender(bus, key, catalog.robot)
    calibrations = CalibrationStore(ctx.directories.state, ctx.health, catalog)
    await calibrations.load()
    service = RegistryService(ctx, bus, order_sender, calibrations, memory, registry, address)
    robots.attach(service, calibrations)
    service.robot_mark, service.robot_edition = robots.mark, robots.edition
    # The name in signed orders, the model for ROS: all that was made of the robot.
    adoptions = service.operations.adoptions
    service.on_robot = restart_when_changed(
        ctx, places, robots.mark(), partial(adoptions.settled, _LONGEST_ADOPTION_S)
    )
    api = Api()
    answer_ipc(api, service)
    answer_robot(api, robots)
    answer_figure(api, FigureService(robots))
    authority = CredentialAuthority(order_sender, ctx.directories.state, ctx.health, service)
    await authority.load()
    authority.add_to(api)
    backup_of(service, robots).add_to(api)
    keys.answer(api, service)
    await ctx.serve_ipc(api)
    serve_ros(bus, service, api.on_entry)
    view = RosView(
        bus, load_viewed(robots.robot), partial(service.diagnostics, ctx.directories.state)
    )
    service.ros_view = view
    ctx.spawn(view.work(), "ros view")
    ctx.spawn(service.tick(), "tick")
    ctx.spawn(service.read_heartbeats(), "heartbeats")
    ctx.spawn(memory.keep(service.saved), "memory")
    ctx.ready(f"{catalog.robot}: {len(registry.nodes)} known nodes")
    await ctx.stopping.wait()
    await adoptions.close(_END_OF_ADOPTIONS_S)
    await memory.save(service.saved)
