"""Dashboard and the page "Robot" on the real robot in its simulation."""

from tests.integration.browser import page_of
from tests.integration.robot import Robot


async def test_dashboard_and_model_show_the_whole_robot(robot: Robot) -> None:
    async with page_of(robot, "dashboard") as page:
        await page.locator("[data-trend=cpu_usage] canvas").wait_for()
        await page.wait_for_selector("[data-node] .chip.good")
        await page.evaluate("location.hash = '#/robot'")
        await page.wait_for_selector("[data-scene=shown], [data-scene=failed]")
        await page.click("[data-part='head.pan']")
        panel = page.locator("[data-why='head.pan']")
        await panel.locator(".why-values dd", has_text="°").first.wait_for()
        await panel.get_by_text("−180.0° to 180.0°").wait_for()
        await page.locator("[data-part='arms.left.joint_0'] .number", has_text="°").first.wait_for()
