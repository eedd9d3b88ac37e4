"""The router's actions that name their caller as the holder of a target."""

from ...lib.api import routing
from ..robot.context import Robot
from . import router_params as p
from .action import Data
from .caller import Caller


async def take_control(robot: Robot, caller: Caller, params: p.TakeControl) -> Data:
    """The target for this client alone."""
    wish = routing.TakeControl(holder=caller.source, **dict(params))
    return _held(await robot.daemons.routerd.request(routing.TAKE_CONTROL, wish, caller.person))


async def release_control(robot: Robot, caller: Caller, params: p.ReleaseControl) -> Data:
    """The target for everybody again."""
    wish = routing.ReleaseControl(holder=caller.source, **dict(params))
    return _held(await robot.daemons.routerd.request(routing.RELEASE_CONTROL, wish, caller.person))


def _held(reply: routing.RouterStatus) -> Data:
    return {"control": [each.model_dump(mode="json") for each in reply.control]}
