"""Addresses of pages: opened by themselves, by links, by older links, and by the back button."""

import pytest

from tests.web.conftest import Site

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]


@pytest.mark.parametrize(
    ("typed", "address", "shown"),
    [
        ("", "/", ".is-dashboard main h1"),
        ("nodes", "/nodes", ".is-nodes [data-node=sim_head]"),
        ("nodes/sim_head", "/nodes/sim_head", ".is-nodes [data-pin='32']"),
        ("nodes/adopt/sim_spare", "/nodes/sim_spare/adopt", ".is-nodes input[name=name]"),
        ("routes", "/routes", ".is-routes [data-route=rc_drive]"),
        ("routes/edit/rc_drive", "/routes/rc_drive", ".is-routes #field-priority"),
        ("inputs", "/inputs", ".is-inputs main h1"),
        ("settings", "/settings", ".is-settings main h1"),
        ("logs", "/logs", ".is-logs main h1"),
        ("#/nodes/sim_head", "/nodes/sim_head", ".is-nodes [data-pin='32']"),
        ("#/settings/network", "/settings/network", ".is-settings main h1"),
        ("#/api/head", "/reference/head", ".is-reference main h1"),
    ],
)
async def test_address_opens_its_page(site: Site, typed: str, address: str, shown: str) -> None:
    page = await site.open(typed)
    await page.wait_for_selector(shown, state="attached")
    assert await page.evaluate("location.pathname + location.hash") == address


async def test_link_opens_its_page_without_loading_the_document_again(site: Site) -> None:
    page = await site.open("nodes")
    await page.evaluate("window.mark = 1")
    await page.click("[data-node=sim_head] h2 a")
    await page.wait_for_url("**/nodes/sim_head")
    await page.wait_for_selector("[data-pin='32']")
    await page.go_back()
    await page.wait_for_url("**/nodes")
    await page.wait_for_selector("[data-node=sim_tracks]")
    await page.go_forward()
    await page.wait_for_selector("[data-pin='32']")
    assert await page.evaluate("window.mark") == 1


async def test_link_to_a_file_is_left_to_the_browser(site: Site) -> None:
    page = await site.open("reference")
    await page.wait_for_selector(".is-reference main h1")
    await page.evaluate(
        "const link = document.createElement('a'); link.href = '/api/openapi.json';"
        "link.id = 'file'; link.textContent = 'file'; document.body.prepend(link)"
    )
    await page.locator("#file").dispatch_event("click")
    await page.wait_for_url("**/api/openapi.json")


async def test_link_with_a_key_held_is_left_to_the_browser(site: Site) -> None:
    page = await site.open("nodes")
    link = page.locator("[data-node=sim_head] h2 a")
    async with page.context.expect_page() as opened:
        await link.click(modifiers=["Control"])
    await (await opened.value).wait_for_url("**/nodes/sim_head")
    assert page.url.endswith("/nodes")
