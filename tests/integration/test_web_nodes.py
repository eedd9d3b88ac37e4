"""The nodes' page on the whole robot: the console's role goes to the spare node, and back."""

from typing import Any

import pytest

from saint_services.lib.api.adoption import ADOPT_NODE, AdoptNode, NodeInfo
from tests.integration.browser import page_of
from tests.integration.robot import Robot

pytestmark = pytest.mark.timeout(240)
ADOPT_LIMIT_S = 30.0


async def test_node_is_reset_adopted_renamed_and_reset_on_the_page(robot: Robot) -> None:
    async with robot.client("adoptiond") as adoptiond:
        async with page_of(robot, "nodes/sim_console") as page:
            await _confirm(page, "reset")
            await page.locator("[data-state]", has_text="No role").wait_for()

            await page.goto(f"{robot.http_url}/nodes/sim_spare/adopt")
            await page.wait_for_selector("[data-fit=ready]")  # the spare has a display
            await page.check("input[value='console/']")
            await page.click("[data-confirm]")
            await page.wait_for_selector("[data-phase=done]")
            code = await page.locator("[data-code]").inner_text()
            assert code in robot.log("noded", "spare")  # what a person would compare
            await page.click("[data-done]")
            await page.locator("[data-live=console]").wait_for()
            button = page.locator("[data-pin='29']", has_text="Button a")
            await button.wait_for()

            await page.click("[data-do=rename]")
            await page.fill(".dialog input[name=name]", "Desk")
            await page.click("[data-confirm]")
            await page.locator(".page-head", has_text="Desk").wait_for()
            held = await adoptiond.get("/nodes/sim_spare", NodeInfo)
            assert (held.role, held.display_name, held.code) == ("console", "Desk", code)

            await page.click("[data-do=factory]")  # its name goes too: as it was found
            await page.fill(".dialog input", "sim_spare")
            await page.click("[data-confirm]")
            await page.locator("[data-state]", has_text="No role").wait_for()

        await adoptiond.request(ADOPT_NODE, AdoptNode(node_id="sim_console", role="console"))


async def _confirm(page: Any, what: str) -> None:
    await page.click(f"[data-do={what}]")
    await page.click("[data-confirm]")
