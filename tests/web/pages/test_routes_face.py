"""The face wizard as the owner of a face uses it."""

from typing import Any

import pytest
from playwright.async_api import expect

from tests.waiting import stays, until
from tests.web.axe import violations
from tests.web.conftest import Site
from tests.web.views.test_login import PASSWORD, add_user, claim, sign_in
from tests.web.views.test_login import quick_passwords as quick_passwords

pytestmark = [
    pytest.mark.web,
    pytest.mark.timeout(120),
    pytest.mark.asyncio(loop_scope="session"),
]

PHONE = {"width": 390, "height": 844}
STEPS = ("rest", "open", "left", "right", "up", "down")


async def opened(site: Site, **options: Any) -> Any:
    """Open the wizard with the template of the parts that the robot of the tests has."""
    page = await site.open("routes/wizard/face", **options)
    await page.wait_for_selector("[data-face=choice]")
    await page.check("input[name=template][value=jaw_eyes]")
    return page


async def measured(page: Any, *steps: str) -> None:
    """Measure steps one after the other without waiting for their turn."""
    for step in steps:
        await page.wait_for_selector(f"[data-face={step}]")
        await page.click(f"[data-face={step}] [data-measure]")


@pytest.mark.parametrize("start", ["parts", "routes", "inputs/livelink"])
async def test_wizard_is_reached_from_parts_routes_and_livelink(site: Site, start: str) -> None:
    page = await site.open(start)
    await page.click("[data-face-wizard]")
    await page.wait_for_selector("[data-face=choice]")
    await expect(page.locator("[data-phone]")).to_contain_text("FaceCapture: 60 frames/s")
    await expect(page.locator("[data-part=jaw] select")).to_have_value("head.jaw")


async def test_measured_steps_become_routes_named_like_the_parts_and_one_undo_takes_them_back(
    site: Site,
) -> None:
    router = site.robot.router
    before = router.names()
    page = await opened(site)
    assert await violations(page) == []
    await page.click("[data-begin]")
    await page.wait_for_selector("[data-face=rest]")
    assert await violations(page) == []
    await measured(page, *STEPS)
    await page.wait_for_selector("[data-face=review]")
    await expect(page.locator("[data-result=jaw]")).to_contain_text("jawOpen 0.07 to 0.60")
    assert await violations(page) == []
    assert router.names() == before
    await page.click("[data-save]")
    await page.wait_for_selector("[data-face=saved]")
    assert set(router.names()) - set(before) == {"jaw", "eye_pan", "eye_tilt"}
    jaw = router.route("jaw")
    assert jaw is not None and jaw.mapping != "passthrough"
    assert jaw.mapping[0].points == [(0.07, 0.0), (0.6, 1.0)]
    assert jaw.mapping[0].filter == "one_euro"
    await page.click("[data-face=saved] a")
    await page.click("[data-undo]")
    await until(lambda: router.names() == before)


async def test_movement_that_is_too_small_is_refused_with_a_sentence_and_may_be_skipped(
    site: Site,
) -> None:
    site.robot.capture.lazy = {"jawOpen"}
    page = await opened(site)
    await page.click("[data-begin]")
    await measured(page, "rest", "open")
    says = page.locator("[data-says]")
    await expect(says).to_contain_text("That hardly moves jaw: jawOpen went from 0.05 to 0.10.")
    assert await violations(page) == []
    await page.click("[data-skip]")
    await measured(page, "left", "right", "up", "down")
    await page.wait_for_selector("[data-face=review]")
    await expect(page.locator("[data-face=review] h2")).to_have_text("2 routes")


async def test_steps_follow_by_themselves_until_they_are_paused(site: Site) -> None:
    page = await opened(site)
    await page.click("[data-begin]")
    await measured(page, "rest")
    await page.wait_for_selector("[data-face=open]")
    await expect(page.locator("[data-says]")).to_contain_text("Measuring in")
    await page.wait_for_selector("[data-face=left]")
    await page.click("[data-pause]")
    await expect(page.locator("[data-says]")).to_contain_text("Do it, hold it")
    count = len(site.robot.capture.measured)
    await stays(lambda: len(site.robot.capture.measured) == count, 4.0)


async def test_face_that_is_not_seen_is_refused_and_the_step_is_repeated(site: Site) -> None:
    site.robot.capture.is_seen = False
    page = await opened(site)
    await page.click("[data-begin]")
    await measured(page, "rest")
    await expect(page.locator("[data-says]")).to_contain_text("does not see your face")
    site.robot.capture.is_seen = True
    site.robot.capture.measured.clear()
    await measured(page, "rest")
    await page.wait_for_selector("[data-face=open]")


async def test_part_without_an_output_is_left_out_with_its_steps(site: Site) -> None:
    page = await opened(site)
    await page.select_option("[data-part=eye_pan] select", "")
    await page.select_option("[data-part=eye_tilt] select", "head.roll")
    await page.click("[data-begin]")
    await measured(page, "rest", "open", "up", "down")
    await page.wait_for_selector("[data-face=review]")
    await page.click("[data-save]")
    await page.wait_for_selector("[data-face=saved]")
    assert {"jaw", "roll"} <= set(site.robot.router.names())
    assert "eye_pan" not in site.robot.router.names()


async def test_robot_follows_only_while_the_button_is_held_and_alone(site: Site) -> None:
    router, samples = site.robot.router, site.robot.listen_to_clients()
    page = await opened(site)
    await page.select_option("[data-part=jaw] select", "arms.left.joint_1")  # nothing drives it
    await page.select_option("[data-part=eye_pan] select", "")
    await page.select_option("[data-part=eye_tilt] select", "")
    await page.click("[data-begin]")
    await measured(page, "rest", "open")
    await page.wait_for_selector("[data-face=review]")
    await expect(page.locator("[data-part=jaw] .number")).to_contain_text("°")
    assert samples == [] and router.holders() == {}
    await page.hover("[data-hold]")
    await page.mouse.down()
    await until(lambda: len(samples) >= 5)
    assert list(router.holders()) == ["arms.left"]
    assert {(each.target, tuple(each.names)) for each in samples} == {("arms.left", ("joint_1",))}
    await page.mouse.up()
    await until(lambda: router.holders() == {})
    count = len(samples)
    await page.hover("[data-hold]")
    await page.mouse.down()
    await until(lambda: len(samples) > count)
    site.robot.set_estop(True, "rc", "switch")
    await expect(page.locator("[data-why]")).to_contain_text("Emergency stop")
    await until(lambda: router.holders() == {})
    await page.mouse.up()


async def test_viewer_cannot_begin(locked_site: Site) -> None:
    admin = await locked_site.open()
    await claim(locked_site, admin)
    await add_user(admin, "vic", "viewer")
    page = await locked_site.open("routes/wizard/face")
    await sign_in(page, "vic", PASSWORD)
    await page.wait_for_selector("[data-face=choice]")
    await expect(page.locator("[data-viewer]")).to_be_visible()
    await expect(page.locator("[data-begin]")).to_be_disabled()


async def test_controls_are_large_enough_on_a_phone(site: Site) -> None:
    page = await opened(site, viewport=PHONE, has_touch=True)
    small = """() => [...document.querySelectorAll(
        "main :is(button, select, .segments label, .actions a)")].filter(
        (each) => each.offsetParent && each.getBoundingClientRect().height < 43.5
        ).map((each) => each.outerHTML)"""
    assert await page.evaluate(small) == []
    await page.click("[data-begin]")
    await measured(page, *STEPS)
    await page.wait_for_selector("[data-face=review]")
    assert await page.evaluate(small) == []
    assert await page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
