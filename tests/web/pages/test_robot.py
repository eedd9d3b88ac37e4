"""The page "Robot": the 3D model, measured and commanded, and the reasons."""

from typing import Any

import pytest
from playwright.async_api import expect

from tests.web.axe import violations
from tests.web.conftest import Site

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]

# What the page keeps of the scene; a picture of it would depend on the machine that draws.
SCENE = "(await import('/pages/robot/view.js')).scene"


async def angle(page: Any, which: str, joint: str) -> float:
    """Return the angle of a joint of the robot or its ghost."""
    found: float = await page.evaluate(
        f"(async () => {SCENE}.stage.{which}.robot.joints['{joint}'].angle)()"
    )
    return found


async def test_model_stands_as_measured_and_its_ghost_as_commanded(site: Site) -> None:
    page = await site.open("robot")
    await page.wait_for_selector("[data-scene=shown]", timeout=45_000)
    await page.wait_for_selector("[data-part='head.pan'] .number:has-text('°')")
    # The fake robot's head is at 60 degrees times the face, and commanded to 63.
    seen = set()
    for _ in range(10):
        seen.add(round(await angle(page, "model", "head_pan"), 2))
        await page.wait_for_timeout(100)
    assert len(seen) > 3
    assert await angle(page, "model", "arms_left_joint_1") == pytest.approx(0.349, abs=0.01)
    assert await angle(page, "model", "head_eye_right_pan") == pytest.approx(
        await angle(page, "model", "head_eye_pan"), abs=0.2
    )
    drawn = await page.evaluate(f"(async () => {SCENE}.stage.renderer.info.render.triangles)()")
    assert drawn > 200


async def test_part_of_the_list_and_part_of_the_picture_show_the_reason(site: Site) -> None:
    page = await site.open("robot")
    await page.focus("[data-part='head.tilt']")
    await page.keyboard.press("Enter")
    panel = page.locator("[data-why='head.tilt']")
    await panel.get_by_text("LiveLink FaceCapture").wait_for()
    text = await panel.inner_text()
    assert "facecap_to_head" in text and "12 ms" in text
    assert "exceeds the limits" in text
    assert "−90.0° to 90.0°" in text
    await page.click("[data-part='tracks.left_motor']")
    motor = page.locator("[data-why='tracks.left_motor']")
    await motor.get_by_text("lower priority").wait_for()
    await page.wait_for_selector("[data-scene=shown]", timeout=45_000)
    await page.click("canvas", position={"x": 20, "y": 20})  # beside the robot
    await motor.wait_for(state="detached")
    box = await page.locator("canvas").bounding_box()
    await page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.28)
    await page.wait_for_selector("[data-why^=head]")


async def test_stop_colours_the_robot_and_axe_finds_nothing(site: Site) -> None:
    page = await site.open("robot")
    await page.wait_for_selector("[data-scene=shown]", timeout=45_000)
    red = f"(async () => {SCENE}.stage.model.all[0].material.color.r)()"
    before = await page.evaluate(red)
    site.robot.set_estop(True, "rc", "switch")
    await page.wait_for_selector("[data-scene].is-stopped")
    await page.click("[data-part='head.pan']")
    await page.wait_for_selector("[data-why='head.pan'] .chip.bad")
    assert await page.evaluate(red) > before + 0.1
    assert await violations(page) == []


async def test_browser_without_webgl_still_says_everything_in_words(site: Site) -> None:
    page = await site.open("about:blank")
    await page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    await page.goto(site.url + "robot")
    await page.wait_for_selector("[data-scene=failed]", timeout=30_000)
    assert "WebGL" in await page.locator(".stage-note").inner_text()
    await page.click("[data-part='head.pan']")
    await page.wait_for_selector("[data-why='head.pan']")
    site.faults.clear()  # the library logs to the console too


async def test_part_without_data_is_not_struck_through(site: Site) -> None:
    site.robot.is_tracks_live = False
    page = await site.open("robot")
    part = page.locator("li:has([data-part='tracks.left_motor'])")
    await part.locator(".number", has_text="–").first.wait_for()
    await page.wait_for_selector("[data-part='head.pan'] .number:has-text('°')")
    assert await part.get_attribute("data-stale") is None


async def test_hand_is_moved_to_a_place_or_the_refusal_is_shown(site: Site) -> None:
    page = await site.open("#/robot")
    await page.fill("[data-axis=x]", "0.5")
    await page.select_option(".hand-form select", "right")
    await expect(page.locator("[data-axis=y]")).to_have_value("-0.3")  # drawn with the next frame
    await page.click(".hand-form button")
    # The fake robot's roles publish no joints.
    text = "arms.right does not report where its joints are"
    await page.wait_for_selector(f".hand-form .refusal:has-text('{text}')")
    assert await violations(page) == []
