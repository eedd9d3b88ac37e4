"""How long from a press to safe pins, in real processes: web page, RC switch, terminal, ROS topic.
`python -m tools.bench.estop` measures the same.
"""

import asyncio

import pytest

from saint_services.lib.api import routing
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.routing import EStopRequest
from tests.integration.estop_course import course
from tests.integration.robot import Robot
from tests.waiting import until
from tools.bench.estop import presses, row

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

SAMPLES = 15
BUDGET_MS = 50.0
LONGEST_MS = 500.0  # however busy the computer is
ENOUGH = 10  # presses on a calm computer, before their 99th percentile is one


def test_every_press_makes_the_pins_safe_in_time(robot: Robot) -> None:
    stops_by_way = asyncio.run(presses(robot, SAMPLES))
    found = {name: row(stops) for name, stops in stops_by_way.items()}
    assert set(found) == {"web", "RC switch", "CLI", "ROS topic"}
    for name, times in found.items():
        assert times["own_max_ms"] <= LONGEST_MS, f"{name}: {times}"
        if times["calm"] >= ENOUGH:
            assert times["calm_p99_ms"] <= BUDGET_MS, f"{name}: {times}"
        else:
            assert times["p50_ms"] <= BUDGET_MS, f"{name}, on a busy computer: {times}"


def test_robot_drives_again_although_a_stop_comes_after_the_release(robot: Robot) -> None:
    asyncio.run(_drive_after_echoes(robot))


async def _drive_after_echoes(robot: Robot) -> None:
    async with course(robot) as (track, ways):
        for press in ways.values():
            await press()
            echo = asyncio.create_task(_stop_again(robot))
            await track.drive()
            await echo
            await track.drive()
            assert min(track.duties()) > 0.0
            assert (await track.press_to_safe(press)).seconds > 0.0


async def _stop_again(robot: Robot) -> None:
    """The echo of the stop before: it comes as soon as the e-stop is cleared."""
    async with robot.client("routerd") as routerd:

        async def is_released() -> bool:
            return not (await routerd.request(routing.GET_STATUS, Nothing())).estop.active

        await until(is_released, pause_s=0.001)
        await routerd.request(routing.ESTOP, EStopRequest(source="echo", reason=""))
