"""The stop drill on a whole simulated robot: page, RC switch, console button, ROS, killed role; and
what a press answers when a role's process is frozen.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from saint_services.lib.api.drill import (
    DrillBegin,
    DrillInfo,
    DrillKill,
    DrillStep,
    DrillWait,
)
from saint_services.lib.api.routing import EStopClear, EStopInfo, EStopRequest, RouterStatus
from saint_services.lib.ipc import Client
from tests.integration.robot import Robot

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240), pytest.mark.changes_robot]


async def _info(routerd: Client, path: str, body: object = None) -> DrillInfo:
    return await routerd.post(path, body, DrillInfo, timeout_s=20.0)  # type: ignore[arg-type]


def _step(info: DrillInfo, way: str) -> DrillStep:
    assert info.running
    return next(each for each in info.running.steps if each.way == way)


async def _clear(routerd: Client) -> None:
    generation = (await routerd.get("/status", RouterStatus)).estop.generation
    await routerd.post("/estop/clear", EStopClear(source="test", generation=generation), EStopInfo)


async def _measured(routerd: Client, way: str) -> DrillStep:
    async with asyncio.timeout(10.0):
        while (found := _step(await routerd.get("/drill", DrillInfo), way)).state == "waiting":  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    await _clear(routerd)
    return found


def _saintctl(robot: Robot, *words: str) -> None:
    command = [sys.executable, "-m", "saint_services.saintctl", "--run", str(robot.run()), *words]
    subprocess.run(command, check=True, timeout=30, capture_output=True)


async def _proven(routerd: Client) -> None:
    """After its start the server needs some seconds until every role is proven to be its own."""
    async with asyncio.timeout(20.0):
        body = EStopRequest(source="test", reason="is everyone there")
        while not (await routerd.post("/estop", body, EStopInfo)).confirmed:
            pass  # each answer takes 0.3 s
    await _clear(routerd)


async def _drilled(robot: Robot) -> DrillInfo:
    async with robot.client("routerd") as routerd:
        await _proven(routerd)
        await _info(routerd, "/drill/begin", DrillBegin(by="test"))
        await _info(routerd, "/drill/wait", DrillWait(way="page"))
        body = EStopRequest(source="websocket:page-1", reason="drill")
        info = await routerd.post("/estop", body, EStopInfo)
        assert info.confirmed, info.outcomes
        assert {each.state for each in info.outcomes} == {"stopped"}
        assert (await _measured(routerd, "page")).state == "passed"
        await _info(routerd, "/drill/wait", DrillWait(way="console"))
        await asyncio.to_thread(_saintctl, robot, "sim", "press", "console", "button_b")
        assert (await _measured(routerd, "console")).source == "console"
        killed = _step(await _info(routerd, "/drill/kill", DrillKill(target="tracks")), "kill")
        assert [each.state for each in killed.targets] == ["guard"], killed
        return await _info(routerd, "/drill/finish")


def test_drill_measures_every_way_and_stores_it(robot: Robot) -> None:
    report = asyncio.run(_drilled(robot)).reports[0]
    states = {each.way: each.state for each in report.steps}
    assert states["page"] == "passed" and states["kill"] == "passed", report
    kept = json.loads(Path(robot.state("server", "routerd") / "drills.json").read_text())
    assert kept["reports"][0]["by"] == "test"


def test_press_names_the_role_whose_process_is_frozen(robot: Robot) -> None:
    asyncio.run(_frozen(robot))


async def _frozen(robot: Robot) -> None:
    pid = robot.pid("role-tracksd", "tracks")
    async with robot.client("routerd") as routerd:
        os.kill(pid, signal.SIGSTOP)
        try:
            body = EStopRequest(source="test", reason="frozen")
            info = await routerd.post("/estop", body, EStopInfo)
        finally:
            os.kill(pid, signal.SIGCONT)
        states = {each.target: each.state for each in info.outcomes}
        assert not info.confirmed and states["tracks"] in ("silent", "guard"), states
        assert states["head"] == "stopped"
        await _clear(routerd)
