"""The first steps: shown on a robot where no node has a role, until they are done."""

from typing import Any

import pytest
from playwright.async_api import expect

from tests.web.axe import violations
from tests.web.conftest import Site

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]


async def dashboard_of_a_new_robot(site: Site) -> Any:
    """Simulate a new robot: no node has a role and no input is connected."""
    site.robot.nodes = {"sim_spare": site.robot.nodes["sim_spare"]}
    site.robot.is_tracks_live = site.robot.is_rc_live = site.robot.is_face_live = False
    page = await site.open("nodes")
    await page.wait_for_selector("[data-node=sim_spare]")
    await expect(page.locator("[data-node=sim_head]")).to_have_count(0)
    await page.goto(f"{site.url}dashboard")
    return page


def card(page: Any) -> Any:
    return page.get_by_role("region", name="First steps")


async def test_robot_in_use_has_no_first_steps(site: Site) -> None:
    page = await site.open("dashboard")
    await page.wait_for_selector("[data-node=sim_head]")
    await expect(card(page)).to_have_count(0)


async def test_steps_are_ticked_and_gone_when_the_first_three_are_done(site: Site) -> None:
    known = dict(site.robot.nodes)
    page = await dashboard_of_a_new_robot(site)
    steps = card(page).get_by_role("listitem")
    await expect(steps).to_have_count(6)
    await expect(steps.nth(0)).to_contain_text("to do")
    assert await violations(page) == []
    await steps.nth(2).get_by_role("link").click()
    await page.wait_for_selector("h1:has-text('Routes')")
    await page.goto(f"{site.url}dashboard")
    await expect(steps.nth(2)).to_contain_text("done")
    site.robot.nodes = known
    site.robot.is_rc_live = True
    for number in range(3):
        await expect(steps.nth(number)).to_contain_text("done")
    await expect(steps.nth(3)).to_contain_text("to do")
    await page.goto(f"{site.url}nodes")
    await page.wait_for_selector("h1:has-text('Nodes')")
    await page.goto(f"{site.url}dashboard")
    await page.wait_for_selector("[data-node=sim_head]")
    await expect(card(page)).to_have_count(0)


async def test_dismissed_steps_do_not_come_back(site: Site) -> None:
    page = await dashboard_of_a_new_robot(site)
    await card(page).get_by_role("button", name="Dismiss").click()
    await expect(card(page)).to_have_count(0)
    await page.reload()
    await page.wait_for_selector("[data-matter=new]")
    await expect(card(page)).to_have_count(0)
