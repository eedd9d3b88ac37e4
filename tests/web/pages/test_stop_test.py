"""The page "Stop test", on routerd's own drill."""

from typing import Any

import pytest
from playwright.async_api import expect

from tests.web.axe import violations
from tests.web.conftest import Site

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]


async def opened(site: Site, **options: Any) -> Any:
    page = await site.open("stop-test", **options)
    await page.click("[data-begin]")
    await page.wait_for_selector("[data-drill]")
    return page


def way(page: Any, name: str) -> Any:
    return page.locator(f"[data-way={name}]")


async def clear(page: Any) -> None:
    await page.click("[data-open-clear]")
    await page.click("[data-clear]")
    await expect(page.locator("[data-open-clear]")).to_have_count(0)


async def test_press_on_the_page_is_measured_and_the_report_kept(site: Site) -> None:
    page = await opened(site)
    await way(page, "page").locator("[data-wait]").click()
    await expect(way(page, "page")).to_contain_text("Press now")
    await page.click("[data-estop=ready]")
    await expect(way(page, "page")).to_have_attribute("data-state", "passed")
    await expect(way(page, "page").locator("[data-target=tracks]")).to_contain_text("8 ms")
    assert await way(page, "rc").locator("[data-wait]").is_disabled()
    assert await violations(page) == []
    await clear(page)
    await way(page, "rc").locator("[data-skip]").select_option("Not available today")
    await expect(way(page, "rc")).to_contain_text("Skipped: Not available today")
    await way(page, "kill").locator("[data-kill]").click()
    await page.click("[data-confirm]")
    await expect(way(page, "kill").locator("[data-target=tracks]")).to_contain_text("31 ms")
    await page.click("[data-finish]")
    report = page.locator("[data-report='0']")
    await expect(report).to_contain_text("Incomplete")
    await expect(report).to_contain_text("Passed: Head 8 ms")
    await page.reload()
    await expect(report).to_contain_text("Not available today")


async def test_silent_role_fails_the_step_in_red(site: Site) -> None:
    site.robot.silent = {"tracks"}
    page = await opened(site)
    await way(page, "rc").locator("[data-wait]").click()
    await expect(way(page, "rc")).to_contain_text("Press now")
    site.robot.set_estop(True, "rc", "")
    await expect(way(page, "rc")).to_contain_text("not confirmed within 2 s: tracks")
    await expect(way(page, "rc").locator("[data-target=tracks]")).to_contain_text("no reply")
    await page.click("[data-finish]")
    await expect(page.locator("[data-report='0']")).to_contain_text("Failed")


async def test_press_of_another_way_does_not_count(site: Site) -> None:
    page = await opened(site)
    await way(page, "console").locator("[data-wait]").click()
    await expect(way(page, "console")).to_contain_text("Press now")
    site.robot.set_estop(True, "rc", "")
    await expect(page.locator("[data-estop=latched]")).to_contain_text("STOPPED")
    await clear(page)
    await expect(way(page, "console")).to_have_attribute("data-state", "waiting")


async def test_settings_lead_there(site: Site) -> None:
    page = await site.open("settings/maintenance")
    await page.get_by_role("link", name="Test the stop").click()
    await expect(page.locator("h1")).to_have_text("Stop test")
