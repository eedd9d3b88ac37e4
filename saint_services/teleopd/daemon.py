"""Connects teleopd: started by its first request, ended when nobody has been connected for a while,
so that it costs no memory while nobody operates the robot.
"""

import asyncio
import contextlib
import os
from collections.abc import Callable

from ..lib.bus.input_writer import InputWriter
from ..lib.clock import monotonic_s
from ..lib.daemon import Context
from ..lib.generated.topics import INPUT_TELEOP, TRACKS_ESTOP
from ..lib.ipc import Api, Client
from ..lib.robot.source import RobotPlaces, load_robot
from ..lib.role_config.sound import Sound
from ..lib.teleop.velocity import velocity_target
from .api import SessionRequests
from .config import Config
from .delay import SpeedLimit
from .ice import IceServerList
from .operation import DriveRules, Operation
from .output import RobotOutput
from .robot_state import RobotState
from .room.bridge import RoomBridge
from .seats import Seats
from .sounds import Sounds

STATE_S = 0.02  # TeleopState_S: 50 Hz
REPORT_S = 0.05  # signs of life to the operator
EXPIRE_S = 0.5
STEER_S = 0.25  # the video's bit rate


async def run(ctx: Context[Config]) -> None:
    """Run the daemon until stopped, or until nobody has been connected for a while."""
    config, counters = ctx.config, ctx.health.counters
    places = RobotPlaces.of(ctx.directories, config.robot)
    robot = await asyncio.to_thread(load_robot, places)
    roles = robot.description.roles
    bus = await ctx.open_bus()
    writer = InputWriter("teleopd", ctx.directories.runtime, bus, ctx.health)
    ctx.spawn(writer.stay_registered(), "registration")
    routerd = Client(ctx.directories.runtime / "routerd.sock")
    samples, stop = writer.publisher(INPUT_TELEOP), bus.publisher(TRACKS_ESTOP)
    output = RobotOutput(samples, stop, routerd, ctx.spawn)
    velocity = velocity_target({target: role.fields for target, role in roles.items()})
    hardware = os.environ.get("SAINT_HW", "real")
    own = Sound(microphone=config.microphone, loudspeaker=config.loudspeaker)
    sounds = Sounds(own, roles, bus, hardware, counters)
    curve = SpeedLimit.of(robot.description.manifest.remote, roles)
    drive = DriveRules(velocity, curve)
    operation = Operation(
        Seats(config.viewers), output, RobotState(bus), drive, sounds, counters, ctx.spawn
    )
    api = Api()
    room = RoomBridge(config.livekit, ctx.directories.state, operation, ctx.health, ctx.spawn)
    operation.notice = lambda: room.problem
    ice = IceServerList(config, ctx.directories.state)
    requests = SessionRequests(config, operation, roles, bus, counters, room, ice)
    await ctx.serve_ipc(requests.add_to(api))
    operation.on_entry = api.on_entry
    state = operation.times.timed(operation.publish_state, STATE_S)
    ctx.spawn(every(STATE_S, state), "state")
    ctx.spawn(every(STEER_S, operation.steer), "steering")
    ctx.spawn(every(REPORT_S, operation.publish_reports), "reports")
    ctx.spawn(every(EXPIRE_S, operation.expire), "leases")
    ctx.ready("waiting for sessions")
    await _until_idle(ctx, operation, room)
    await room.leave("remote operation ends")
    await operation.close()
    await routerd.close()


async def _until_idle(ctx: Context[Config], operation: Operation, room: RoomBridge) -> None:
    """Wait until stopped; end by itself when there has been no session for a while, nor a room."""
    while not ctx.stopping.is_set():
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                await ctx.stopping.wait()
        idle_s = monotonic_s() - operation.is_idle_since_s
        is_used = operation.seats.sessions or room.is_wanted
        if not is_used and idle_s >= ctx.config.idle_s:
            ctx.stopping.set()


async def every(period_s: float, work: Callable[[], None]) -> None:
    """Call `work` at a steady rate; what a blocked loop has missed is left out."""
    next_s = monotonic_s()
    while True:
        work()
        next_s = max(next_s + period_s, monotonic_s())
        await asyncio.sleep(next_s - monotonic_s())
