"""The page "API": every action of webd can be found, read and copied."""

import pytest
from playwright.async_api import expect

from saint_services.webd.actions.table import every
from tests.web.axe import violations
from tests.web.conftest import Site

pytestmark = pytest.mark.asyncio(loop_scope="session")
GROUPS = {each.group for each in every()}


async def test_api_begins_with_first_steps_and_is_sound(site: Site) -> None:
    page = await site.open("reference")
    await page.wait_for_selector("text=First steps")
    assert await violations(page) == []
    links = await page.eval_on_selector_all(".api-nav a", "all => all.map((a) => a.pathname)")
    assert {f"/reference/{group}" for group in GROUPS} <= set(links)


async def test_api_shows_an_action_with_level_params_and_examples(site: Site) -> None:
    page = await site.open("reference/tracks")
    await page.click("[data-request=tracks_drive] summary")
    shown = page.locator("[data-request=tracks_drive]")
    await expect(shown.locator("summary .chip")).to_have_text("operator")
    assert "linear" in await shown.locator("tbody").first.inner_text()
    examples = await shown.locator("pre").all_inner_texts()
    assert examples[0].startswith("curl") and "/api/v1/tracks/drive'" in examples[0]
    assert 'robot.request("tracks", "drive"' in examples[1]
    assert await violations(page) == []


async def test_api_search_finds_in_all_groups(site: Site) -> None:
    page = await site.open("reference")
    await page.fill("input[type=search]", "_preset")
    found = page.locator("[data-request]")
    await expect(found).to_have_count(5)
    await page.fill("input[type=search]", "nothing matches this")
    await page.wait_for_selector("text=No matching requests.")
    await page.click(".api-nav a[href='/reference/rc']")
    await page.wait_for_selector("[data-request=rc_get_status]")


async def test_api_lists_the_fields_of_each_topic(site: Site) -> None:
    page = await site.open("reference/topics")
    await page.click("[data-topic=head] summary")
    assert "pan" in await page.locator("[data-topic=head] tbody").inner_text()


async def test_api_is_reached_from_the_tokens_and_is_not_in_the_menu(site: Site) -> None:
    page = await site.open("settings/users")
    await page.click("#set-users a[href='/reference']")
    await page.wait_for_selector("main h1 >> text=API")
    assert await page.locator(".pages a[href='/reference']").count() == 0


async def test_api_without_its_documents_says_so_and_tries_again(site: Site) -> None:
    page = await site.open("settings")
    await page.route("**/api/openapi.json", lambda route: route.fulfill(status=503, body="{}"))
    await page.evaluate("() => { location.hash = '#/api'; }")
    await page.wait_for_selector("main [role=alert]")
    site.faults.clear()  # the browser logs the 503
    await page.unroute("**/api/openapi.json")
    await page.click("text=Try again")
    await page.wait_for_selector("text=First steps")
