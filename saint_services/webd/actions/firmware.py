"""Releases and roll-outs: otad's socket. Not here: uploading (adapters/firmware.py)."""

from typing import Any
from urllib.parse import quote

from ...lib import firmware_check
from ...lib.api import Done
from ...lib.api.firmware import (
    ControlAction,
    FirmwareReport,
    ImportRequest,
    Plan,
    Release,
    RolloutControl,
    RolloutRequest,
)
from .. import messages as m
from ..robot import Robot
from ..upkeep import now
from .caller import Caller

Data = dict[str, Any]

IMPORT_LIMIT_S = 900.0  # a large bundle on a slow stick
_WORDS = {
    ControlAction.PAUSE: "paused",
    ControlAction.RESUME: "resumed",
    ControlAction.CANCEL: "cancelled",
    ControlAction.ROLLBACK: "taken back",
}


async def status(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Releases, machines, the roll-out."""
    return (await robot.daemons.otad.get("/status", FirmwareReport)).model_dump(mode="json")


async def check(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Asks anew which machines do not run the newest release that lies on the server."""
    report = await robot.daemons.otad.get("/status", FirmwareReport)
    return firmware_check.check(report, now()).model_dump(mode="json")


async def begin(robot: Robot, caller: Caller, params: RolloutRequest) -> Data:
    """A release for the machines."""
    plan = await robot.daemons.otad.post("/rollout", params, Plan)
    robot.note("INFO", caller.source, f"Roll-out of release {plan.version} was begun")
    return plan.model_dump(mode="json")


async def trigger(robot: Robot, caller: Caller, params: m.TriggerUpdate) -> Data:
    """The newest release, for one or all."""
    nodes = [params.node_id] if params.node_id else []
    return await begin(robot, caller, RolloutRequest(nodes=nodes))


async def control(robot: Robot, caller: Caller, params: RolloutControl) -> Data:
    """Pause, resume, cancel, take back."""
    plan = await robot.daemons.otad.post("/rollout/control", params, Plan)
    robot.note("WARNING", caller.source, f"The roll-out was {_WORDS[params.action]}")
    return plan.model_dump(mode="json")


async def take(robot: Robot, caller: Caller, params: ImportRequest) -> Data:
    """A bundle that lies on the server."""
    release = await robot.daemons.otad.post("/import", params, Release, timeout_s=IMPORT_LIMIT_S)
    robot.note("INFO", caller.source, f"Release {release.version} was imported")
    return release.model_dump(mode="json")


async def remove(robot: Robot, caller: Caller, params: m.FirmwareParams) -> Data:
    """A release that nobody needs any more."""
    path = f"/releases/{quote(params.version, safe='')}"
    done = await robot.daemons.otad.delete(path, Done)
    robot.note("INFO", caller.source, f"Release {params.version} was removed")
    return done.model_dump(mode="json")
