"""The page of the base beside a wagon whose boards run their own firmware: armed by a person,
driven from the page, tilted, without its first receiver, without its host, stopped.
"""

import contextlib
import re
import signal
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from playwright.async_api import expect

from tests.integration.browser import LIMIT_MS, page_of
from tests.integration.robot import Robot, running_robot
from tests.waiting import block_until, until
from tools.sim.wagon_world import WagonWorld

pytestmark = pytest.mark.timeout(300)

NEUTRAL, LOW, HIGH = 1500.0, 1000.0, 2000.0


@pytest.fixture(scope="module")
def robot() -> Iterator[Robot]:
    with running_robot("--robot", "saul_tee") as running:
        yield running


@pytest.fixture(scope="module")
def world(robot: Robot) -> Iterator[WagonWorld]:
    """The wagon's world; its pilot allows the computer to drive."""
    found = WagonWorld(robot.hw("wagon"))
    block_until(lambda: found["balance_starts"] and found["io_starts"], 30.0, robot.diagnosis)
    found.channel(6, HIGH)
    found.channel(7, HIGH)
    yield found
    found.close()


async def may_arm(page: Any, world: WagonWorld) -> None:
    """Let the pilot cycle the arm switch, which arms by itself, and disarm. Tried again: a disarm
    is repeated for a moment and may meet the switch, and a busy computer stalls a board, which is a
    fault there.
    """
    for _ in range(5):
        await page.click("[data-disarm]")
        await page.wait_for_selector(".base-grid[data-state=disarmed]")
        world.channel(5, LOW)
        await page.wait_for_selector(".base-grid[data-state=disarmed] [data-prevent=switch]")
        world.channel(5, HIGH)
        with contextlib.suppress(AssertionError):
            await expect(page.locator(".base-grid")).to_have_attribute(
                "data-state", re.compile("^(?!disarmed)"), timeout=LIMIT_MS / 6
            )
            await page.click("[data-disarm]")
            await expect(page.locator("[data-arm]")).to_be_enabled(timeout=LIMIT_MS / 6)
            return
    raise AssertionError(await page.locator(".base-arming").inner_text())


async def arm(page: Any, world: WagonWorld) -> None:
    """Hold the button until the wagon is armed."""
    await may_arm(page, world)
    await page.locator("[data-arm]").hover()
    await page.mouse.down()
    await page.wait_for_selector(".base-grid[data-state=armed]")
    await page.mouse.up()


@contextlib.asynccontextmanager
async def base_page(robot: Robot) -> AsyncIterator[Any]:
    async with page_of(robot, "base") as page:
        await page.wait_for_selector(".base-grid:not([data-state=unknown])")
        yield page


async def test_person_arms_drives_and_every_stop_is_shown(robot: Robot, world: WagonWorld) -> None:
    async with base_page(robot) as page:
        await arm(page, world)

        # drive: the page of the base is left and opened again by its menu
        await page.click(".pages a[href='/drive']")
        await page.wait_for_selector("[data-stick]:not(.is-off)")
        await page.focus("[data-keys]")
        await page.keyboard.press("4")
        await page.keyboard.down("w")
        await until(lambda: world["speed"] > 0.3, 20.0)
        await page.locator("[data-motion]", has_text="driving forward").wait_for()
        await page.keyboard.up("w")
        await until(lambda: not world.turning, 5.0)
        await page.click(".pages a[href='/base']")
        await page.wait_for_selector(".base-grid[data-state=armed]")

        # fail over: ELRS takes over without a stop
        world["crossfire_on"] = 0.0
        await expect(page.locator("[data-receiver=second]")).to_contain_text("In use")
        await expect(page.locator("[data-receiver=first]")).to_contain_text("no signal")
        assert await page.locator(".base-grid[data-state=armed]").count() == 1
        world["crossfire_on"] = 1.0
        await expect(page.locator("[data-receiver=first]")).to_contain_text("In use")

        # tilt
        world["pitch"] = 40.0
        await page.wait_for_selector(".base-grid[data-state=tilt]")
        await expect(page.locator("[data-event=lasts]").first).to_contain_text("25 degrees")
        await expect(page.locator("[data-arm]")).to_be_disabled()
        world["pitch"] = 0.0
        await expect(page.locator("[data-pitch]")).to_contain_text("0.")
        await arm(page, world)

        # stop, by the red button of every page
        await page.click(".estop")
        await page.wait_for_selector(".base-grid[data-state=estop]")
        await expect(page.locator("[data-prevent=stop]")).to_be_visible()
        assert not world.turning


async def test_lost_host_stops_the_wagon_and_is_shown(robot: Robot, world: WagonWorld) -> None:
    async with base_page(robot) as page:
        robot.kill("role-wagond", "wagon", signal.SIGSTOP)  # a killed one may be back too soon
        await page.wait_for_selector(".base-grid[data-state=unknown]")
        await expect(page.locator("[data-arm]")).to_be_disabled()
        assert not world.turning
        robot.kill("role-wagond", "wagon")
        await page.wait_for_selector(".base-grid:not([data-state=unknown])")
