"""The page Arms on an arm of bus servos: locked by others, driven by its sliders, recorded, played,
calibrated. In real processes: tests/integration/test_web_arms.py.
"""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import expect

from saint_services.webd.config import AuthSettings, Config
from tests.waiting import until
from tests.web.axe import violations
from tests.web.conftest import Site, site_of
from tests.web.fakes.arms import LEADER, TARGET

pytestmark = [
    pytest.mark.web,
    pytest.mark.timeout(180),
    pytest.mark.asyncio(loop_scope="session"),
]

PHONE = {"width": 390, "height": 844}
JOINTS = ["shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper"]


@pytest_asyncio.fixture(loop_scope="session")
async def arm(browser: Any, tmp_path: Path) -> AsyncIterator[Site]:
    """Yield the pages of a robot with an SO-101 and its leader."""
    config = Config(robot="so101_pair", auth=AuthSettings(required=False))
    async for each in site_of(browser, tmp_path, config=config):
        yield each


async def look(page: Any, name: str) -> None:
    """Save a picture into the folder SAINT_PICTURES."""
    if folder := os.environ.get("SAINT_PICTURES"):
        await page.screenshot(path=f"{folder}/{name}.png", full_page=True)


async def hold(page: Any, joint: str, share: float) -> None:
    """Press a slider at a share of its width, and keep it pressed."""
    slider = page.locator(f"[data-joint={joint}] input")
    await expect(slider).to_be_enabled()
    await slider.scroll_into_view_if_needed()
    box = await slider.bounding_box()
    await page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
    await page.mouse.down()


async def test_arm_is_driven_while_its_slider_is_held(arm: Site) -> None:
    page = await arm.open("arms", viewport={"width": 1280, "height": 900})
    await expect(page.locator(".pages a[href='/arms']")).to_be_visible()
    await expect(page.locator("[data-joint]")).to_have_count(6)
    await expect(page.locator("[data-joint=gripper]")).to_contain_text("31 °C")
    assert await violations(page) == []
    await hold(page, "shoulder_pan", 0.8)
    places = arm.robot.arm.places

    async def has_moved() -> bool:
        return places["shoulder_pan"] > 5.0

    await until(has_moved, 30.0)
    assert arm.robot.router.holders()[TARGET].startswith("websocket:")
    await look(page, "arms-desk")
    await page.mouse.up()

    async def is_released() -> bool:
        return arm.robot.router.holders() == {}

    await until(is_released, 10.0)
    assert places["shoulder_lift"] == 0.0


async def test_second_page_shows_who_has_the_arm_and_how_to_get_it(arm: Site) -> None:
    page = await arm.open("arms")
    other = await arm.open("arms", viewport=PHONE, color_scheme="dark")
    await page.click("[data-take]")
    await expect(page.locator("[data-holder]")).to_contain_text("This page")
    await expect(other.locator("[data-locked]")).to_contain_text("has this arm. To move it")
    await expect(other.locator("[data-joint=elbow_flex] input")).to_be_disabled()
    await look(other, "arms-phone-dark")
    await other.click("[data-take]")
    await expect(other.locator("[data-holder]")).to_contain_text("This page")
    await expect(page.locator("[data-locked]")).to_be_visible()
    await other.click("[data-free]")
    await expect(page.locator("[data-locked]")).to_have_count(0)


async def test_movement_is_recorded_played_and_deleted(arm: Site) -> None:
    page = await arm.open("arms/sequences")
    await page.fill("[data-name]", "nod")
    await page.click("[data-record]")
    await expect(page.locator("[data-recording]")).to_contain_text("waits for the first motion")
    await page.click(".tabs a[href='/arms']")
    await hold(page, "wrist_flex", 0.6)
    places = arm.robot.arm.places

    async def has_moved() -> bool:
        return places["wrist_flex"] > 3.0

    await until(has_moved, 30.0)
    await page.mouse.up()
    await page.click(".tabs a[href='/arms/sequences']")
    await page.click("[data-finish]")
    row = page.locator("[data-sequence=nod]")
    await expect(row).to_contain_text("recorded from websocket:")
    await row.locator("[data-play]").click()
    await expect(row.locator("[data-state]")).to_contain_text("played to the end")
    await look(page, "arms-sequences")
    assert await violations(page) == []
    await row.locator("[data-delete]").click()
    await page.click("[data-confirm]")
    await expect(row).to_have_count(0)


async def test_arm_is_calibrated_by_hand(arm: Site) -> None:
    page = await arm.open(f"arms/calibrate/{TARGET}")
    await page.click("[data-prepare]")
    await expect(page.locator("[data-done]")).to_contain_text("offsets are 0")
    await expect(page.locator("[data-home]")).to_be_disabled()  # the role has not started again
    await expect(page.locator("[data-calibrate]")).to_contain_text("wait a moment")
    arm.robot.arm.start_role()  # its positions never paused
    await page.click("[data-home]")
    await expect(page.locator("[data-save]")).to_be_disabled()
    fields = arm.robot.router.real.robot.fields[TARGET]
    for share in (0.05, 0.5, 0.95, 0.5):  # no step of half a turn: that is the seam
        turned = {
            n: fields[n].limits[0] + share * (fields[n].limits[1] - fields[n].limits[0])
            for n in JOINTS
        }
        arm.robot.arm.turn(turned)
        await page.wait_for_timeout(700)
    await look(page, "arms-calibrate")
    assert await violations(page) == []
    await page.click("[data-save]")
    await expect(page.locator("[data-done]")).to_contain_text("calibration is saved")
    role = arm.robot.parts.service.robot.roles[TARGET]
    pan = role.gpio_mapping["shoulder_pan"]
    assert pan.homing_offset is not None and pan.ticks[0] < 2047 < pan.ticks[1]
    assert role.gpio_mapping["wrist_roll"].ticks == (0, 4095)
    assert role.fields["gripper"].limits == (0.0, 1.0)


async def test_leader_is_calibrated_by_hand(arm: Site) -> None:
    page = await arm.open(f"arms/calibrate/{LEADER}", viewport=PHONE)
    await expect(page.locator("[data-calibrate]")).to_contain_text("A leader has no torque")
    await page.click("[data-prepare]")
    await expect(page.locator("[data-done]")).to_contain_text("offsets are 0")
    arm.robot.arm.start_role(LEADER)
    await page.click("[data-home]")
    for share in (-0.9, 0.0, 0.9, 0.0):
        angles = dict.fromkeys(JOINTS, 60.0 * share) | {"gripper": 0.5 + share / 2}
        arm.robot.arm.leader.update(angles)
        await page.wait_for_timeout(700)
    await look(page, "arms-calibrate-leader-phone")
    assert await violations(page) == []
    await page.click("[data-save]")
    await expect(page.locator("[data-done]")).to_contain_text("calibration is saved")
    pins = arm.robot.parts.service.robot.roles[LEADER].gpio_mapping
    low, high = pins["elbow_flex"].ticks
    assert high - low == pytest.approx(108 * 4095 / 360, abs=3)
    assert pins["elbow_flex"].homing_offset is not None
    assert pins["wrist_roll"].ticks == (0, 4095)


async def test_older_release_of_a_node_is_named_instead_of_waited_for(arm: Site) -> None:
    arm.robot.arm.start_role(version="1.0.0")
    page = await arm.open(f"arms/calibrate/{TARGET}", color_scheme="dark")
    await expect(page.locator("[data-outdated]")).to_contain_text("Update the node on Firmware")
    await expect(page.locator("[data-home], [data-prepare]")).to_have_count(0)
    await look(page, "arms-calibrate-outdated-dark")
