"""Contenders of an output: one that timed out is listed for three seconds."""

import pytest
from playwright.async_api import expect

from saint_services.lib.generated.saint_msgs import RivalStatus
from tests.web.conftest import Site

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]


def closed_page(age_ms: int) -> RivalStatus:
    return RivalStatus("websocket_direct", "websocket:page-1", 0.2, age_ms, "timed out")


async def test_page_that_was_closed_is_a_contender_for_three_seconds(site: Site) -> None:
    site.robot.contender = closed_page(2900)
    page = await site.open("dashboard")
    row = page.locator("[data-target=tracks] [data-field=linear]")
    await expect(row.locator(".contender")).to_contain_text("Client page-1 (timed out)")
    site.robot.contender = closed_page(3100)
    await expect(row.locator(".contender")).to_have_count(0)
    await expect(row).to_contain_text("RC by rc_drive")


async def test_robot_page_omits_a_contender_that_timed_out(site: Site) -> None:
    site.robot.contender = closed_page(60_000)
    page = await site.open("robot")
    await page.click("[data-part='tracks.left_motor']")
    panel = page.locator("[data-why='tracks.left_motor']")
    await expect(panel).to_contain_text("rc_drive")
    assert "timed out" not in await panel.inner_text()
