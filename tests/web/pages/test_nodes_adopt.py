"""Adopting one node after the other, on a phone."""

from typing import Any

import pytest
from playwright.async_api import expect

from saint_services.lib.api.adoption import NodeState
from tests.web.axe import violations
from tests.web.conftest import Site

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 700}}


async def test_progress_comes_into_view_and_leads_to_the_next_node(site: Site) -> None:
    for name in ("sim_console", "sim_tracks"):
        del site.robot.nodes[name]
    spare = site.robot.nodes["sim_spare"]
    site.robot.nodes["sim_more"] = spare.model_copy(update={"node_id": "sim_more"})
    page = await site.open("nodes/sim_spare/adopt", **PHONE)
    await page.check("input[value='console/']")
    await page.click("[data-confirm]")
    heading = page.locator("#adoption-title")
    await expect(heading).to_be_focused()
    await expect(heading).to_be_in_viewport()
    await page.wait_for_selector("[data-phase=done]")
    assert await violations(page) == []
    site.robot.nodes["sim_spare"] = spare  # news from before it was adopted
    await page.wait_for_selector("main h1 .chip.new")
    await expect(page.locator("p", has=page.locator("[data-next]"))).to_contain_text("1 node waits")
    await page.click("[data-next]")
    await expect(page.locator("main h1")).to_contain_text("Adopt a new node")
    await expect(page.locator(".page-head code")).to_have_text("sim_more")


async def test_robot_without_a_free_role_says_what_can_be_done(site: Site) -> None:
    console = site.robot.nodes["sim_console"]
    site.robot.nodes["sim_console"] = console.model_copy(update={"state": NodeState.ACTIVE})
    page = await site.open("nodes/sim_spare/adopt")
    await page.locator(
        "[data-all-taken]", has_text="All roles of this robot are assigned"
    ).wait_for()
    assert await violations(page) == []
    await page.click("[data-all-taken] [data-do=ignore]")
    await page.locator("[data-all-taken]", has_text="Stop ignoring").wait_for()


async def test_role_is_moved_to_a_spare_node(site: Site) -> None:
    page = await site.open("nodes/sim_spare/adopt")
    await page.click("[data-move=head]")
    await expect(page.locator(".dialog")).to_contain_text("sim_head")
    assert site.robot.requests == []
    await page.click(".dialog [data-confirm]")
    await page.wait_for_selector("[data-phase=done]")
    assert site.robot.requests == ["reset sim_head factory=False", "adopt sim_spare head"]
    await page.click("[data-done]")
    await expect(page.locator("main h1")).to_contain_text("Head")


async def test_chip_select_of_spi_that_cannot_answer_is_no_fault(site: Site) -> None:
    page = await site.open("nodes/sim_spare/adopt")
    devices = page.locator(".devices li")
    await devices.get_by_text("chip select").wait_for()
    assert await devices.locator(".chip.bad").count() == 0
