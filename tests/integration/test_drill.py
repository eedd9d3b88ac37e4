"""The stop drill on a whole simulated robot: page, RC switch, console button, ROS, killed role; and
what a press answers when a role's process is frozen.
"""

import asyncio
import contextlib
import getpass
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from saint_services.lib.api import drill as rows
from saint_services.lib.api import routing
from saint_services.lib.api.drill import (
    DrillInfo,
    DrillKill,
    DrillReport,
    DrillStep,
    DrillWait,
)
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.routing import EStopClear, EStopRequest
from saint_services.lib.errors import SaintError
from saint_services.lib.ipc import Client
from tests.integration.estop_course import course
from tests.integration.robot import Robot
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


def _step(info: DrillInfo, way: str) -> DrillStep:
    assert info.running
    return next(each for each in info.running.steps if each.way == way)


async def _clear(routerd: Client) -> None:
    generation = (await routerd.request(routing.GET_STATUS, Nothing())).estop.generation
    await routerd.request(routing.CLEAR_ESTOP, EStopClear(source="test", generation=generation))


async def _measured(routerd: Client, way: str) -> DrillStep:
    async def measured() -> DrillStep | None:
        found = _step(await routerd.request(rows.STATUS, Nothing()), way)
        return found if found.state != "waiting" else None

    return await until(measured)


def _saintctl(robot: Robot, *words: str) -> None:
    command = [sys.executable, "-m", "saint_services.saintctl", "--run", str(robot.run()), *words]
    subprocess.run(command, check=True, timeout=30, capture_output=True)


async def _pressed(routerd: Client, body: EStopRequest) -> set[str]:
    info = await routerd.request(routing.ESTOP, body)
    return {each.state for each in info.outcomes}


async def _proven(routerd: Client) -> None:
    """After its start the server needs some seconds until every role is proven to be its own."""
    body = EStopRequest(source="test", reason="is everyone there")

    async def is_everyone_there() -> bool:
        return await _pressed(routerd, body) == {"stopped"}

    async def is_clear() -> bool:
        """A role reports the stop's own topic as a press, which may come later than the answer."""
        with contextlib.suppress(SaintError):
            await _clear(routerd)
        return not (await routerd.request(routing.GET_STATUS, Nothing())).estop.active

    await until(is_everyone_there, pause_s=0.1)
    await until(is_clear)


async def _drilled(robot: Robot) -> DrillReport:
    """While a transmitter drives the robot."""
    async with robot.client("routerd") as routerd, course(robot) as (track, ways):
        await _proven(routerd)

        async def console() -> float:
            await asyncio.to_thread(_saintctl, robot, "sim", "press", "console", "button_b")
            return 0.0

        await routerd.request(rows.BEGIN, Nothing())
        presses = {"page": ways["web"], "rc": ways["RC switch"], "ros": ways["ROS topic"]}
        for way, press in (presses | {"console": console}).items():
            await track.drive()
            await routerd.request(rows.WAIT, DrillWait.model_validate({"way": way}))
            await press()
            found = await _measured(routerd, way)
            assert {each.state for each in found.targets} == {"stopped"}, found
            assert track.duties() == (0.0, 0.0)
        await track.drive()
        killed = _step(await routerd.request(rows.KILL, DrillKill(target="tracks")), "kill")
        assert [each.state for each in killed.targets] == ["guard"], killed
        assert track.duties() == (0.0, 0.0)
        report = (await routerd.request(rows.FINISH, Nothing())).reports[0]
        await track.park()
        return report


def test_drill_measures_every_way_and_stores_it(robot: Robot) -> None:
    report = asyncio.run(_drilled(robot))
    assert report.is_passed, report
    kept = json.loads(Path(robot.state("server", "routerd") / "drills.json").read_text())
    assert kept["reports"][0]["by"] == getpass.getuser()


def test_press_names_the_role_whose_process_is_frozen(robot: Robot) -> None:
    asyncio.run(_frozen(robot))


async def _frozen(robot: Robot) -> None:
    async with robot.client("routerd") as routerd:
        await _proven(routerd)  # also: the role is back after what was done to it before
        pid = robot.pid("role-tracksd", "tracks")
        os.kill(pid, signal.SIGSTOP)
        try:
            body = EStopRequest(source="test", reason="frozen")
            info = await routerd.request(routing.ESTOP, body)
        finally:
            os.kill(pid, signal.SIGCONT)
        states = {each.target: each.state for each in info.outcomes}
        assert not info.confirmed and states["tracks"] == "silent", states
        assert states["head"] == "stopped"
        await _clear(routerd)
