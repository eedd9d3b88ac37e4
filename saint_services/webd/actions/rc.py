"""The RC receiver: rcd's socket."""

from typing import Any

from ...lib.api.rc import (
    CalibrateChannel,
    CalibrationInfo,
    CalibrationStep,
    DetectReport,
    DetectRequest,
    FailsafeInfo,
    ProtocolInfo,
    RcChannelConfig,
    RcChannelList,
    RcStatus,
    ResetRequest,
    SetChannel,
    SetEnabled,
    SetFailsafe,
    SetProtocol,
)
from .. import messages as m
from ..robot import Robot
from . import rc_params as p
from .caller import Caller

Data = dict[str, Any]

DETECT_LIMIT_S = 60.0  # five settings of up to 5 s, and the port's own time


async def get_status(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Receivers and channels."""
    return (await robot.daemons.rcd.get("/status", RcStatus)).model_dump(mode="json")


async def set_enabled(robot: Robot, caller: Caller, params: m.Enabled) -> Data:
    """On or off."""
    body = SetEnabled(enabled=params.enabled)
    reply = await robot.daemons.rcd.post("/enabled", body, RcStatus)
    word = "on" if params.enabled else "off"
    robot.note("WARNING", caller.source, f"RC receiver was switched {word}")
    return reply.model_dump(mode="json")


async def get_channel_config(robot: Robot, _: Caller, params: p.Channels) -> Data:
    """Ranges and names: of one channel, or of all."""
    if params.channel is None:
        return (await robot.daemons.rcd.get("/channels", RcChannelList)).model_dump(mode="json")
    path = f"/channels/{params.channel}"
    return (await robot.daemons.rcd.get(path, RcChannelConfig)).model_dump(mode="json")


async def set_channel_config(robot: Robot, caller: Caller, params: p.ChannelConfig) -> Data:
    """Range and name of one channel, in force with its next frame."""
    body = SetChannel.model_validate(params.model_dump(exclude={"channel"}))
    path = f"/channels/{params.channel}"
    reply = await robot.daemons.rcd.patch(path, body, RcChannelConfig)
    robot.note("INFO", caller.source, f"RC channel {params.channel} was set up")
    return reply.model_dump(mode="json")


async def calibrate_channel(robot: Robot, caller: Caller, params: p.ChannelPosition) -> Data:
    """Where the stick is now becomes the end or the middle."""
    body = CalibrateChannel(position=params.position)
    path = f"/channels/{params.channel}/calibrate"
    reply = await robot.daemons.rcd.post(path, body, RcChannelConfig)
    text = f"RC channel {params.channel}: its {params.position} is where the stick was"
    robot.note("INFO", caller.source, text)
    return reply.model_dump(mode="json")


async def get_failsafe(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """When the signal is lost, and what happens then."""
    return (await robot.daemons.rcd.get("/failsafe", FailsafeInfo)).model_dump(mode="json")


async def set_failsafe(robot: Robot, caller: Caller, params: SetFailsafe) -> Data:
    """What a lost signal means."""
    reply = await robot.daemons.rcd.post("/failsafe", params, FailsafeInfo)
    robot.note("WARNING", caller.source, f"RC failsafe is now: {reply.action}")
    return reply.model_dump(mode="json")


async def reset(robot: Robot, caller: Caller, params: ResetRequest) -> Data:
    """What was set by hand is forgotten, or these parts of it."""
    reply = await robot.daemons.rcd.post("/reset", params, RcStatus)
    robot.note("WARNING", caller.source, f"RC receiver was reset: {', '.join(params.parts)}")
    return reply.model_dump(mode="json")


async def get_protocol(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Which protocol it listens for."""
    return {"protocol": (await robot.daemons.rcd.get("/status", RcStatus)).protocol}


async def set_protocol(robot: Robot, caller: Caller, params: SetProtocol) -> Data:
    """Listen for another one."""
    reply = await robot.daemons.rcd.post("/protocol", params, ProtocolInfo)
    robot.note("WARNING", caller.source, f"RC protocol is now {reply.protocol}")
    return reply.model_dump(mode="json")


async def get_calibration(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Where the guided calibration is."""
    return (await robot.daemons.rcd.get("/calibration", CalibrationInfo)).model_dump(mode="json")


async def calibration(robot: Robot, caller: Caller, params: CalibrationStep) -> Data:
    """One step of the guided calibration; while it runs, the sticks move nothing."""
    reply = await robot.daemons.rcd.post("/calibration", params, CalibrationInfo)
    if params.step in ("start", "save", "cancel"):
        robot.note("WARNING", caller.source, f"RC calibration: {params.step}")
    return reply.model_dump(mode="json")


async def detect_protocol(robot: Robot, caller: Caller, params: DetectRequest) -> Data:
    """Listen for every protocol in turn."""
    robot.note("WARNING", caller.source, "RC protocol detection was begun")
    reply = await robot.daemons.rcd.post("/detect", params, DetectReport, timeout_s=DETECT_LIMIT_S)
    return reply.model_dump(mode="json")
