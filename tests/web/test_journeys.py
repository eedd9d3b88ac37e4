"""The four journeys of a new user, by what the pages offer from the dashboard on: start and move,
move a role, stop and release, first set-up of an RC receiver; on a desk and on a phone.
"""

from typing import Any

import pytest
from playwright.async_api import expect

from tests.waiting import every, until
from tests.web.conftest import Site

pytestmark = [
    pytest.mark.web,
    pytest.mark.timeout(120),
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.parametrize("size", ["desk", "phone"]),
]
SIZES: dict[str, dict[str, Any]] = {
    "desk": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
}


async def start(site: Site, size: str) -> Any:
    """Open the address of the robot."""
    page = await site.open(**SIZES[size])
    await page.wait_for_selector("[data-node=sim_spare]")
    return page


async def choose(page: Any, name: str, size: str) -> None:
    """Choose a page of the menu."""
    if size == "phone":
        await page.click(".menu-button")
    await page.click(f".pages a[href='/{name}']")
    await page.wait_for_selector(f".page.is-{name} main h1", state="attached")


async def test_robot_is_started_and_moved(site: Site, size: str) -> None:
    page = await start(site, size)
    published = site.robot.listen_to_clients()
    await choose(page, "drive", size)
    stick = page.locator("[data-stick]").first
    await stick.wait_for()
    await page.locator("[data-target=tracks], [data-stick]").first.scroll_into_view_if_needed()
    box = await stick.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x, box["y"], steps=4)
    await until(lambda: any(s.target == "tracks" and max(s.values) > 0.1 for s in published))
    await page.mouse.up()
    sent = -1
    async for _ in every(0.5, times=40):
        if len(published) == sent:
            break
        sent = len(published)
    assert len(published) == sent, "the page still drives"


async def test_role_is_moved_from_the_first_call_to_action(site: Site, size: str) -> None:
    page = await start(site, size)
    await page.click("[data-matter=new] a")
    await page.click("[data-move=head]")
    await page.click(".dialog [data-confirm]")
    await page.wait_for_selector("[data-phase=done]")
    await page.click("[data-done]")
    await expect(page.locator("main h1")).to_contain_text("Head")
    assert site.robot.nodes["sim_spare"].role == "head"
    assert site.robot.nodes["sim_head"].role == ""


async def test_robot_is_stopped_and_released(site: Site, size: str) -> None:
    page = await start(site, size)
    await page.click(".estop")
    await page.wait_for_selector("[data-estop=latched]")
    await page.locator(".banner.stopped", has_text="Pressed on this page").wait_for()
    assert site.robot.latch.active
    await page.click("[data-estop=latched]")
    await page.click("[data-clear]")
    await page.wait_for_selector("[data-estop=ready]")
    assert not site.robot.latch.active


async def test_receiver_is_set_up_for_the_first_time(site: Site, size: str) -> None:
    receiver = site.robot.receiver
    receiver.is_enabled = False
    page = await start(site, size)
    await choose(page, "inputs", size)
    await page.click("[data-enable]")
    await until(lambda: receiver.is_enabled)
    await page.click("[data-detect]")
    await page.click("[data-confirm]")
    await page.get_by_role("button", name="Use SBUS").click()
    await until(lambda: receiver.protocol == "sbus")
    await page.click("[data-channel='2'] button")
    await page.fill(".dialog input[name=name]", "gas")
    await page.click(".dialog [data-save]")
    await until(lambda: receiver.channels[2].name == "gas")
    await page.wait_for_selector(".dialog", state="detached")
    await page.check("input[name=failsafe-action][value=estop]")
    await page.click("[data-save-failsafe]")
    await until(lambda: receiver.failsafe.action == "estop")
    await choose(page, "routes", size)
    await page.wait_for_selector("[data-row=rc_drive]")
