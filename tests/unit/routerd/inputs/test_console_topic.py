"""The console's buttons on their topic, with a running router."""

from pathlib import Path

import pytest

from saint_services.lib.api import routing
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.routing import (
    EStopRequest,
)
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import (
    ConsoleOverride,
)
from saint_services.lib.machine.service_manager import Directories
from tests.unit.routerd.daemon_rig import alive, places, vouching
from tests.waiting import turns, until

pytestmark = pytest.mark.timed


@pytest.fixture
def directories(tmp_path: Path) -> Directories:
    return places(tmp_path)


async def test_consoles_home_moves_the_joints_again_and_refusals_are_published(
    directories: Directories,
) -> None:
    async with alive(directories) as robot, vouching(directories, robot):
        robot.record(topics.HEAD_CMD, topics.CONSOLE_ALERTS)
        console = robot.bus.publisher(topics.CONSOLE_OVERRIDE)
        console.publish(ConsoleOverride(target="head", action="home"))
        await turns()
        assert robot.all_of(topics.HEAD_CMD)[-1].pan == 0.0
        console.publish(ConsoleOverride(target="wings", action="home"))
        await turns()
        (alert,) = robot.all_of(topics.CONSOLE_ALERTS)
        assert (alert.severity, alert.code) == ("warning", "refused") and "wings" in alert.text


async def test_consoles_stop_raises_it_and_its_other_words_do_not(
    directories: Directories,
) -> None:
    async with alive(directories) as robot:
        console = robot.bus.publisher(topics.CONSOLE_OVERRIDE)
        for action in ("home", "release", ""):
            console.publish(ConsoleOverride(target="head", action=action))
        await turns()
        assert not (await robot.client.request(routing.GET_STATUS, Nothing())).estop.active
        console.publish(ConsoleOverride(target="head", action="stop"))
        await turns()
        latch = (await robot.client.request(routing.GET_STATUS, Nothing())).estop
        assert (latch.source, latch.reason) == ("console", "manual override of head")


async def test_console_clears_only_the_stop_that_its_display_showed(
    directories: Directories,
) -> None:
    async with alive(directories) as robot, vouching(directories, robot):
        robot.record(topics.CONSOLE_ALERTS)
        console = robot.bus.publisher(topics.CONSOLE_OVERRIDE)
        stop = EStopRequest(source="web", reason="child in front")
        seen = (await robot.client.request(routing.ESTOP, stop)).generation
        await robot.client.request(routing.ESTOP, stop)
        for generation in (0, seen):
            console.publish(ConsoleOverride(action="clear", generation=generation))
            await turns()
            assert "child in front" in robot.all_of(topics.CONSOLE_ALERTS).pop().text
        assert (await robot.latch()).active
        console.publish(ConsoleOverride(action="clear", generation=seen + 1))
        await until(robot.is_released)
