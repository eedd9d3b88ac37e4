"""The page "Logs": filters, pages, what is written while one looks, downloads, the other lists."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect

from tests.web.axe import violations
from tests.web.conftest import Site
from tests.web.fakes_logs import write

pytestmark = [pytest.mark.timeout(60), pytest.mark.asyncio(loop_scope="session")]
LINE = ".log-line"


async def kept(started: Any) -> bytes:
    """What the browser has downloaded."""
    path = Path(await (await started.value).path())
    return await asyncio.to_thread(path.read_bytes)


async def test_logs_show_newest_first_and_filters_narrow_them(site: Site) -> None:
    page = await site.open("#/logs")
    await page.wait_for_selector(LINE)
    assert await page.locator(LINE).count() == 11  # all but the debug line
    await page.select_option("select[name=level]", "WARNING")
    await expect(page.locator(LINE)).to_have_count(3)
    await page.fill("input[name=search]", "SERVO")
    await expect(page.locator(LINE)).to_have_count(1)
    assert "servo controller does not answer" in await page.text_content(LINE)
    assert await violations(page) == []


async def test_logs_show_what_is_written_while_one_looks(site: Site, tmp_path: Path) -> None:
    page = await site.open("#/logs")
    await page.wait_for_selector(LINE)
    async with page.expect_response(lambda answer: "follow=1" in answer.url):
        await page.select_option("select[name=source]", "rcd")
    await expect(page.locator(LINE)).to_have_count(2)
    write(tmp_path / "log", "server-rcd", "error: receiver burns")
    await page.wait_for_selector("text=receiver burns")
    assert "receiver burns" in await page.text_content(f"{LINE} >> nth=0")


async def test_logs_older_lines_come_by_the_button(site: Site, tmp_path: Path) -> None:
    write(tmp_path / "log", "server-otad", *(f"info: line {n}" for n in range(150)))
    page = await site.open("#/logs")
    await page.wait_for_selector(LINE)
    assert await page.locator(LINE).count() == 100
    await page.click("[data-older]")
    await expect(page.locator(LINE)).to_have_count(161)
    assert await page.locator("[data-older]").count() == 0


async def test_logs_nothing_found_says_so_and_leads_back(site: Site) -> None:
    page = await site.open("#/logs")
    await page.fill("input[name=search]", "no such words")
    await page.click("text=Show all")
    await page.wait_for_selector(LINE)


async def test_logs_download_is_what_the_filters_show(site: Site) -> None:
    page = await site.open("#/logs")
    await page.select_option("select[name=level]", "ERROR")
    await expect(page.locator(LINE)).to_have_count(1)
    async with page.expect_download() as started:
        await page.click("[data-download]")
    assert [line.count("ERROR") for line in (await kept(started)).decode().splitlines()] == [1]


async def test_activity_is_a_list_of_its_own(site: Site) -> None:
    page = await site.open("#/logs/activity")
    await page.wait_for_selector(f"{LINE}, .empty")
    await page.click("nav[aria-label=Logs] >> text=Programs")
    await page.wait_for_selector(LINE)
