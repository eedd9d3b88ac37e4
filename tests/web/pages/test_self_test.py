"""The page "Self-test": the report as one table, what to do, the wire, the file."""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect

from saint_services.lib.selftest.result import TITLES
from tests.web.axe import violations
from tests.web.conftest import Site

SHOWN = TITLES.keys() - {"functions"}  # of Raspberry Pi OS

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]


async def opened(site: Site, **options: Any) -> Any:
    page = await site.open("self-test/sim_head", **options)
    await page.click("[data-run]")
    await page.wait_for_selector("[data-check=board]")
    return page


async def test_report_shows_each_check_once_with_what_to_do(site: Site) -> None:
    page = await opened(site)
    await expect(page.locator("[data-check]")).to_have_count(len(SHOWN))
    weak = page.locator("[data-check=supply]")
    await expect(weak).to_have_attribute("data-state", "failed")
    await expect(weak).to_contain_text("Use a supply for this board")
    assert [(each.node_id, each.jumper) for each in site.robot.self_tests.requests] == [
        ("sim_head", None)
    ]
    assert await violations(page) == []


async def test_wire_is_tested_only_after_the_person_confirms(site: Site) -> None:
    page = await opened(site)
    await page.click("[data-wire=serial]")
    await expect(page.get_by_role("dialog")).to_contain_text("GPIO14 (pin 8) and GPIO15 (pin 10)")
    assert len(site.robot.self_tests.requests) == 1
    await page.click("[data-confirm]")
    await expect(page.locator("[data-check=serial_jumper]")).to_have_attribute(
        "data-state", "passed"
    )
    wanted = site.robot.self_tests.requests[-1]
    assert (wanted.jumper, wanted.only_jumper) == ("serial", True)


async def test_report_is_saved_as_the_file_that_the_robot_wrote(site: Site) -> None:
    page = await opened(site)
    async with page.expect_download() as download:
        await page.click("[data-save]")
    saved = await download.value
    assert saved.suggested_filename == "saint-selftest.txt"
    text = Path(await saved.path()).read_text()  # noqa: ASYNC240 - a small file of this test
    assert text.startswith("SAINT.OS self-test\nmachine: Raspberry Pi 4")
    assert "sim_head" not in text


async def test_node_that_was_not_tested_says_so_and_another_can_be_chosen(site: Site) -> None:
    page = await opened(site)
    await page.locator("[data-node]").select_option("sim_tracks")
    await expect(page.locator("main")).to_contain_text("Not tested since this node started")
    await page.locator("[data-node]").select_option("sim_head")
    await expect(page.locator("[data-check=board]")).to_be_visible()


async def test_node_page_and_settings_lead_there(site: Site) -> None:
    page = await site.open("nodes/sim_head")
    await page.click("[data-do=selftest]")
    await expect(page.locator("h1")).to_have_text("Self-test")
    await page.goto(f"{site.url}settings/maintenance")
    await page.get_by_role("link", name="Test a node's hardware").click()
    await expect(page.locator("h1")).to_have_text("Self-test")


async def test_phone_shows_everything_without_scrolling_sideways(site: Site) -> None:
    page = await opened(site, viewport={"width": 375, "height": 740}, has_touch=True)
    wide = await page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 375
    box = await page.locator("[data-wire=serial]").bounding_box()
    assert box["height"] >= 44
