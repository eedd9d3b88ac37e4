"""The settings page's programs: none, added, started, stopped, removed."""

from pathlib import Path

import pytest

from tests.web.axe import violations
from tests.web.conftest import Site
from tests.web.fakes import programs

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_program_is_added_started_stopped_and_removed(site: Site, tmp_path: Path) -> None:
    page = await site.open("settings/programs")
    text = "name: patrol\ndescription: to and fro\naccess: drive\n"
    file = programs.archive(tmp_path / "patrol.zip", text, main="print(1)\n")
    await page.set_input_files("[data-add-program]", str(file))
    row = page.locator("[data-program=patrol]")
    await row.wait_for()
    assert "to and fro" in await row.inner_text()
    assert "drives" in await row.inner_text()
    await row.locator("[data-start]").click()
    await row.locator("[data-state=running]").wait_for()
    assert "41 MB" in await row.inner_text()
    assert await violations(page) == []
    await row.locator("[data-stop]").click()
    await page.locator("[data-toast]", has_text="patrol stopped.").wait_for()
    await row.locator("[data-state=stopped]").wait_for()
    await row.locator("[data-remove]").click()
    await page.click("[data-confirm]")
    await row.wait_for(state="detached")


async def test_archive_that_is_none_is_refused_with_the_reason(site: Site, tmp_path: Path) -> None:
    page = await site.open("settings/programs")
    file = tmp_path / "x.zip"
    file.write_bytes(b"no archive")
    await page.set_input_files("[data-add-program]", str(file))
    await page.locator("[data-toast=bad]", has_text="no zip archive").wait_for()
    site.faults.clear()  # the browser itself logs the 400


async def test_machine_without_programs_says_so(site: Site, tmp_path: Path) -> None:
    folders = programs.folders(tmp_path)
    folders.started.rmdir()
    folders.programs.rmdir()
    page = await site.open("settings/programs")
    await page.wait_for_selector("[data-impossible]")
    assert await page.locator("[data-add-program]").count() == 0
