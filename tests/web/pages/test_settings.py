"""The page "Settings": name, receiver, backup and restore, restarts, factory reset."""

import asyncio
import io
import json
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect

from saint_services.lib.api.backup import DaemonBackup, SectionData
from saint_services.lib.api.routing import FieldOutput
from saint_services.lib.backup.archive import pack, unpack
from tests.web.axe import violations
from tests.web.conftest import Site
from tests.web.fakes.backup import Words

pytestmark = pytest.mark.asyncio(loop_scope="session")


def backup(*words: str) -> dict[str, Any]:
    """Return a file for the browser's file dialog."""
    section = SectionData(version=1, data={"words": list(words)})
    daemons = {"rcd": DaemonBackup(sections={"receiver": section})}
    raw = pack(daemons, robot="Other", version="0.9", created="2026-11-22T10:00:00Z")
    return {"name": "robot.zip", "mimeType": "application/zip", "buffer": raw}


NAMES = (
    "robot", "network", "firmware", "rc", "livelink", "programs", "users", "backup", "maintenance",
)  # fmt: skip


async def test_each_section_is_shown_alone_at_its_address(site: Site) -> None:
    page = await site.open("settings")
    await page.wait_for_selector("#set-robot h2")
    assert await page.input_value("input[name=robot-name]") == "SAINT-01"
    for name in NAMES:
        await page.click(f".settings-nav [href='/settings/{name}']")
        await page.wait_for_selector(f"#set-{name} h2")
        assert await page.locator(".setting").count() == 1
        assert await page.get_attribute(".settings-nav [aria-current=page]", "href") == (
            f"/settings/{name}"
        )
        assert await violations(page) == []
    assert (await page.title()).startswith("Settings: Maintenance")


async def test_section_loads_what_it_shows_and_no_more(site: Site) -> None:
    page = await site.browser.new_page()
    sent: list[str] = []
    page.on("websocket", lambda ws: ws.on("framesent", lambda frame: sent.append(str(frame))))
    await page.goto(f"{site.url}settings/rc")
    await page.wait_for_selector("[data-rc-timeout]")
    requests = [json.loads(each) for each in sent]
    groups = {
        each["type"] for each in requests if each.get("action", "").startswith(("get_", "list_"))
    }
    assert groups == {"rc"}


async def test_unknown_section_shows_the_first(site: Site) -> None:
    page = await site.open("settings/nonsense")
    await page.wait_for_selector("#set-robot h2")


async def test_robot_gets_its_name_and_a_wrong_one_is_reported_at_the_field(site: Site) -> None:
    page = await site.open("settings/robot")
    await page.fill("input[name=robot-name]", "   ")
    await page.click("#set-robot button[type=submit]")
    await page.wait_for_selector(".entry.is-wrong .wrong")
    await page.fill("input[name=robot-name]", "Robi")
    await page.click("#set-robot button[type=submit]")
    await page.wait_for_selector("[data-toast=good]")
    assert await page.text_content(".who strong") == "Robi"


async def test_receiver_failsafe_is_set_from_here(site: Site) -> None:
    page = await site.open("settings/rc")
    await page.select_option("[data-rc-action]", "estop")
    await page.wait_for_selector("[data-toast=good]")
    assert await page.input_value("[data-rc-action]") == "estop"


async def test_backup_is_downloaded(site: Site) -> None:
    page = await site.open("settings/backup")
    async with page.expect_download() as started:
        await page.click("[data-backup]")
    download = await started.value
    assert download.suggested_filename.startswith("SAINT-01-backup-")
    assert "webd" in unpack(await asyncio.to_thread(Path(await download.path()).read_bytes)).daemons


async def test_backup_is_checked_then_restored_and_undone(site: Site) -> None:
    page = await site.open("settings/backup")
    await page.set_input_files("#set-backup .file-input", backup("ibus", "strange"))
    await page.wait_for_selector("[data-restore]")
    assert "strange is left out." in await page.text_content("[role=dialog]")
    assert site.robot.kept["rcd"].words == Words(words=["crsf"])
    await page.click("[data-restore]")
    await page.wait_for_selector("[data-toast=good]")
    assert site.robot.kept["rcd"].words == Words(words=["ibus", "strange"])
    await page.click("text=Undo last restore…")
    await page.click("[data-confirm]")
    await page.wait_for_selector("[role=dialog]", state="detached")
    assert site.robot.kept["rcd"].words == Words(words=["crsf"])


PASSPHRASE = "five words are quite enough"


async def test_backup_with_a_passphrase_gives_the_server_its_key_back(site: Site) -> None:
    page = await site.open("settings/backup")
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    await page.click(".with-key summary")
    await page.fill("[data-passphrase]", PASSPHRASE)
    async with page.expect_download() as started:
        await page.click("[data-backup]")
    raw = await asyncio.to_thread(Path(await (await started.value).path()).read_bytes)
    assert "key" in unpack(raw).daemons["adoptiond"].sections
    await expect(page.locator("[data-passphrase]")).to_have_value("")
    before, site.robot.seed = site.robot.seed, b"n" * 32
    file = {"name": "robot.zip", "mimeType": "application/zip", "buffer": raw}
    await page.set_input_files("#set-backup .file-input", file)
    dialog = page.locator("[role=dialog]")
    await expect(dialog).to_contain_text("The server's key, sealed")
    assert await violations(page) == []
    await dialog.locator("[data-passphrase]").fill("these are not the words")
    await dialog.locator("[data-restore]").click()
    await expect(dialog.locator(".refusal")).to_contain_text("the passphrase is wrong")
    assert site.robot.seed == b"n" * 32
    await dialog.locator("[data-passphrase]").fill(PASSPHRASE)
    await dialog.locator("[data-restore]").click()
    await page.wait_for_selector("[data-toast=good]")
    assert site.robot.seed == before
    assert not any("words" in url for url in urls)
    site.faults.clear()  # the browser logs the refused request


async def test_restore_without_the_passphrase_leaves_the_key(site: Site) -> None:
    page = await site.open("settings/backup")
    await page.click(".with-key summary")
    await page.fill("[data-passphrase]", PASSPHRASE)
    await page.check(".with-key .check input")
    assert await page.get_attribute("[data-passphrase]", "type") == "text"
    async with page.expect_download() as started:
        await page.click("[data-backup]")
    raw = await asyncio.to_thread(Path(await (await started.value).path()).read_bytes)
    site.robot.seed = b"n" * 32
    file = {"name": "robot.zip", "mimeType": "application/zip", "buffer": raw}
    await page.set_input_files("#set-backup .file-input", file)
    await page.click("[data-restore]")
    await page.wait_for_selector("[data-toast=good]")
    assert site.robot.seed == b"n" * 32


async def test_file_that_is_no_backup_is_rejected(site: Site) -> None:
    page = await site.open("settings/backup")
    wrong = {"name": "x.zip", "mimeType": "application/zip", "buffer": io.BytesIO(b"x").getvalue()}
    await page.set_input_files("#set-backup .file-input", wrong)
    await page.wait_for_selector("[role=dialog] .refusal strong")
    assert "backup of a robot" in await page.text_content("[role=dialog]")
    assert await page.locator("[data-restore]").count() == 0
    site.faults.clear()  # the browser logs the refused request


async def test_restart_needs_a_second_confirmation_while_the_robot_is_driven(
    site: Site, tmp_path: Path
) -> None:
    site.robot.outputs = [
        FieldOutput(
            target="tracks", field="linear", unit="m/s", value=0.4, winner="rc_drive", source="rc",
            age_ms=10, policy="live", clamped=False, changed_ms=0,
        )
    ]  # fmt: skip
    page = await site.open("settings/maintenance")
    request = tmp_path / "reboot" / "restart"
    await page.click("[data-power=restart]")
    await page.click("[data-confirm]")
    await page.wait_for_selector("text=rc drives tracks linear now")
    assert not request.exists()
    await page.click("[data-confirm]")
    await page.wait_for_selector("[data-toast=good]")
    assert request.exists()


async def test_factory_reset_needs_the_name(site: Site) -> None:
    page = await site.open("settings/maintenance")
    await page.click("[data-reset]")
    assert await page.is_disabled("[data-confirm]")
    await page.fill("[role=dialog] input[autocomplete=off]", "SAINT-01")
    await page.click("[data-confirm]")
    await page.wait_for_selector("[role=dialog]", state="detached")
    assert site.robot.kept["routerd"].words == Words()


async def test_phone_has_a_list_that_opens_a_section(site: Site) -> None:
    page = await site.open("settings", viewport={"width": 390, "height": 844})
    index = page.get_by_role("navigation", name="Settings")
    section = page.locator(".setting")
    await expect(index).to_be_visible()
    await expect(section).not_to_be_visible()
    assert await violations(page) == []
    await index.get_by_role("link", name="Backup").click()
    await expect(page.locator("#set-backup h2")).to_be_in_viewport()
    await expect(index).not_to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert await violations(page) == []
    await page.get_by_role("link", name="All settings").click()
    await expect(index).to_be_visible()
    await expect(section).not_to_be_visible()
