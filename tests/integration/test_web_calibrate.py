"""A joint of the whole robot is moved by a held button, limited where it stands, and set free."""

from typing import Any

import pytest

from saint_services.lib.api.adoption import NodeInfo
from saint_services.lib.api.calibration import CalibrationReply
from tests.integration.browser import page_of
from tests.integration.robot import Robot
from tests.waiting import until

pytestmark = pytest.mark.timeout(240)
PAN_LIMITS = (-180.0, 180.0)
READY = "Hold a button"


async def test_pan_is_moved_by_hand_limited_there_and_set_free_again(robot: Robot) -> None:
    async with robot.client("adoptiond") as adoptiond:

        async def limits() -> tuple[float, float]:
            found = await adoptiond.get("/roles/head/calibration", CalibrationReply)
            return {each.field: each.limits for each in found.fields}["pan"]

        async def version() -> str:
            return (await adoptiond.get("/nodes/sim_head", NodeInfo)).config_version

        async def taken_over(was: str, *, is_back: bool) -> None:
            async def is_taken_over() -> bool:
                return (await version() == was) == is_back

            await until(is_taken_over, 30.0)

        before = await version()
        async with page_of(robot, "nodes/sim_head/calibrate/head.pan") as page:
            await page.locator("[data-jog]", has_text=READY).wait_for()
            start = await _position(page)
            await page.hover("[data-way='1']")
            await page.mouse.down()
            await page.wait_for_function(
                "start => parseFloat(document.querySelector('[data-position]').innerText"
                ".replace('\\u2212', '-')) > start + 1",
                arg=start,
            )
            await page.mouse.up()
            await page.locator("[data-jog]", has_text=READY).wait_for()
            # Slowly: half a percent of 360 degrees a second, for as long as the page was looked at.
            assert start + 1 < await _position(page) < start + 60
            await page.click("[data-mark=high]")
            await _confirmed(page, "[data-save]")
            low, high = await limits()
            assert low == -180.0 and start < high < start + 60
            await taken_over(before, is_back=False)
            await _confirmed(page, "[data-undo]")
            assert await limits() == PAN_LIMITS
        await taken_over(before, is_back=True)


async def _position(page: Any) -> float:
    shown = "document.querySelector('[data-position]').innerText"
    await page.wait_for_function(
        f"() => /[0-9]/.test({shown})"
    )  # a dash until the role has reported
    return float((await page.inner_text("[data-position]")).replace("\u2212", "-").rstrip("°"))


async def _confirmed(page: Any, button: str) -> None:
    await page.click(button)
    await page.click("[data-confirm]")
    await page.locator("[data-message]", has_text="Saved").wait_for()
    await page.locator(".dialog").wait_for(state="detached")
