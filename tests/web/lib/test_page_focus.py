"""Titles, focus on arrival, scroll position after "back", unknown addresses."""

import re

import pytest
from playwright.async_api import expect

from tests.web.axe import violations
from tests.web.conftest import Site

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]


async def test_opening_a_page_sets_title_and_focus(site: Site) -> None:
    page = await site.open("nodes")
    await expect(page).to_have_title(re.compile("^Nodes · "))
    await page.focus("[data-node=sim_head] a")
    await page.keyboard.press("Enter")
    await expect(page).to_have_title(re.compile("^Head · "))
    await expect(page.locator("main h1")).to_be_focused()
    await page.keyboard.press("Tab")
    assert await page.evaluate("document.querySelector('main').contains(document.activeElement)")


async def test_tab_of_a_page_keeps_the_focus(site: Site) -> None:
    page = await site.open("inputs")
    tab = page.get_by_role("link", name="LiveLink", exact=True)
    await tab.click()
    await expect(page).to_have_url(re.compile("inputs/livelink"))
    await expect(tab).to_be_focused()


async def test_back_restores_the_scroll_position(site: Site) -> None:
    page = await site.open("dashboard", viewport={"width": 390, "height": 600})
    await page.wait_for_selector("[data-node=sim_head]")
    await page.evaluate("scrollTo(0, 500)")
    await page.wait_for_function("() => scrollY === 500")
    await page.evaluate("location.hash = '#/logs'")
    await page.wait_for_selector(".page.is-logs main h1")
    await page.wait_for_function("() => scrollY === 0")
    await page.go_back()
    await page.wait_for_selector(".page.is-dashboard main h1")
    await page.wait_for_function("() => scrollY === 500")


async def test_unknown_address_is_reported(site: Site) -> None:
    page = await site.open("#/nodse/sim_head")
    await expect(page.locator("main h1")).to_have_text("Page not found")
    assert "/nodse/sim_head" in await page.locator("[data-not-found]").inner_text()
    assert await violations(page) == []
    await page.click("[data-not-found] a")
    await expect(page).to_have_title(re.compile("^Dashboard · "))
