"""The page "Logs": filters, pages, live lines, downloads, activity and audit."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import expect

from saint_services.lib.api.logs import LogFilter, LogLine, LogNames, LogPage, LogQuery
from saint_services.webd.upkeep import wiring as upkeep
from tests.web.axe import violations
from tests.web.conftest import Site, site_of
from tests.web.fakes.logs import write

pytestmark = pytest.mark.asyncio(loop_scope="session")
LINE = ".log-line"


async def kept(started: Any) -> bytes:
    """Return the text of the downloaded file."""
    path = Path(await (await started.value).path())
    return await asyncio.to_thread(path.read_bytes)


async def test_logs_show_newest_first_and_filters_narrow_them(site: Site) -> None:
    page = await site.open("logs")
    await page.wait_for_selector(LINE)
    assert await page.locator(LINE).count() == 11  # all but the debug line
    await page.select_option("select[name=level]", "WARNING")
    await expect(page.locator(LINE)).to_have_count(3)
    await page.fill("input[name=search]", "SERVO")
    await expect(page.locator(LINE)).to_have_count(1)
    assert "servo controller does not answer" in await page.text_content(LINE)
    assert await violations(page) == []


async def test_logs_show_new_lines_live(site: Site, tmp_path: Path) -> None:
    page = await site.open("logs")
    await page.wait_for_selector(LINE)
    async with page.expect_response(lambda answer: "follow=1" in answer.url):
        await page.select_option("select[name=source]", "rcd")
    await expect(page.locator(LINE)).to_have_count(2)
    write(tmp_path / "log", "server-rcd", "error: receiver burns")
    await page.wait_for_selector("text=receiver burns")
    assert "receiver burns" in await page.text_content(f"{LINE} >> nth=0")


async def test_logs_older_lines_come_by_the_button(site: Site, tmp_path: Path) -> None:
    write(tmp_path / "log", "server-otad", *(f"info: line {n}" for n in range(150)))
    page = await site.open("logs")
    await page.wait_for_selector(LINE)
    assert await page.locator(LINE).count() == 100
    await page.click("[data-older]")
    await expect(page.locator(LINE)).to_have_count(161)
    assert await page.locator("[data-older]").count() == 0


async def test_logs_nothing_found_says_so_and_leads_back(site: Site) -> None:
    page = await site.open("logs")
    await page.fill("input[name=search]", "no such words")
    await page.click("text=Reset filters")
    await page.wait_for_selector(LINE)


async def test_logs_download_is_what_the_filters_show(site: Site) -> None:
    page = await site.open("logs")
    await page.select_option("select[name=level]", "ERROR")
    await expect(page.locator(LINE)).to_have_count(1)
    async with page.expect_download() as started:
        await page.click("[data-download]")
    assert [line.count("ERROR") for line in (await kept(started)).decode().splitlines()] == [1]


async def test_activity_is_a_list_of_its_own(site: Site) -> None:
    page = await site.open("logs/activity")
    await page.wait_for_selector(f"{LINE}, .empty")
    await page.click("nav[aria-label=Logs] >> text=Programs")
    await page.wait_for_selector(LINE)


class Machines:
    """Provide logs of real machines: the server's and its nodes'."""

    async def page(self, query: LogQuery) -> LogPage:
        name = query.node or "saint-server"
        line = LogLine(
            time=1.0, level="INFO", source="noded", node=name, text=f"of {name}", cursor="1"
        )
        return LogPage(lines=[line])

    async def names(self) -> LogNames:
        home = "saint-server"
        return LogNames(sources=["noded"], nodes=[home, "pi_1"], scope="Choose one.", home=home)

    async def follow(self, _: LogFilter) -> AsyncGenerator[LogLine | None]:
        yield None


@pytest_asyncio.fixture(loop_scope="session")
async def machines(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Site]:
    monkeypatch.setattr(upkeep, "robot_source", lambda *_: Machines())
    async for each in site_of(browser, tmp_path):
        yield each


async def test_logs_of_real_machines_begin_with_the_server_and_lead_to_each_node(
    machines: Site,
) -> None:
    page = await machines.open("logs")
    await page.wait_for_selector("text=of saint-server")
    choices = page.locator("select[name=node] option")
    await expect(choices).to_have_text(["saint-server (this server)", "pi_1"])
    await page.select_option("select[name=node]", "pi_1")
    await page.wait_for_selector("text=of pi_1")
