"""The actions of the RC receiver that the specification names otherwise than rcd's rows do."""

from ...lib.api import rc
from ...lib.api.endpoint import Nothing
from ..robot.context import Robot
from . import rc_params as p
from .action import Data
from .caller import Caller


async def get_channel_config(robot: Robot, _: Caller, params: p.Channels) -> Data:
    """Ranges and names: of one channel, or of all."""
    if params.channel is None:
        every = await robot.daemons.rcd.request(rc.LIST_CHANNELS, Nothing())
        return every.model_dump(mode="json")
    one = rc.ChannelRef(channel=params.channel)
    return (await robot.daemons.rcd.request(rc.GET_CHANNEL, one)).model_dump(mode="json")


async def get_protocol(robot: Robot, _: Caller, __: Nothing) -> Data:
    """Which protocol it listens for."""
    return {"protocol": (await robot.daemons.rcd.request(rc.GET_STATUS, Nothing())).protocol}
