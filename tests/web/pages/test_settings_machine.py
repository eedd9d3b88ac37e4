"""The settings page's forms for the server's name and Wi-Fi, LiveLink and updates: empty, busy,
refused, done.
"""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.api.machine import JoinWifi, MachineRequest, NetworkStatus
from saint_services.lib.machine.settings_request import NETWORK_STATUS
from tests.web.axe import violations
from tests.web.conftest import Site
from tests.web.fakes.machine import report_addresses, report_change, take_request

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def join(page: Any, ssid: str, password: str) -> None:
    await page.fill("input[name=ssid]", ssid)
    await page.fill("input[name=password]", password)
    await page.click("[data-wifi-form] button[type=submit]")


async def test_wifi_that_cannot_be_right_is_reported_at_its_field(site: Site) -> None:
    page = await site.open("settings/network")
    await page.wait_for_selector("[data-wifi] b")
    assert await page.text_content("[data-wifi] b") == "workshop"
    await page.click("[data-wifi-form] button[type=submit]")
    assert await page.text_content("#ssid-hint.wrong") == "Use 1 to 32 characters."
    await join(page, "stage", "short")
    await page.wait_for_selector("#password-hint.wrong")
    assert await page.get_attribute("input[name=password]", "aria-invalid") == "true"
    assert await page.locator("[role=dialog]").count() == 0
    assert await violations(page) == []


async def test_wifi_without_address_is_reported_as_reverted(site: Site, tmp_path: Path) -> None:
    page = await site.open("settings/network")
    await join(page, "stage", "open sesame")
    assert "within 60 s" in await page.text_content("[role=dialog]")
    await page.click("[data-confirm]")
    await page.wait_for_selector("[data-change=trying]")
    assert await page.is_disabled("[data-wifi-form] button[type=submit]")
    assert await page.input_value("input[name=password]") == ""
    assert take_request(tmp_path) == MachineRequest(
        join=JoinWifi(ssid="stage", password="open sesame")
    )
    report_change(tmp_path, "taken_back", "The server is back on the Wi-Fi workshop.")
    await page.wait_for_selector("[data-change=taken_back]")
    assert "back on the Wi-Fi workshop" in await page.text_content("[data-change]")
    assert await page.is_enabled("[data-wifi-form] button[type=submit]")
    assert await violations(page) == []


async def test_own_hotspot_is_opened(site: Site, tmp_path: Path) -> None:
    page = await site.open("settings/network")
    await page.click("[data-leave]")
    await page.click("[data-confirm]")
    await page.wait_for_selector("[data-change=trying]")
    assert take_request(tmp_path) == MachineRequest(leave_wifi=True)
    status = NetworkStatus(hostname="saint-server", hotspot="saint-b2c3d4", has_radio=True)
    (tmp_path / "run/saint" / NETWORK_STATUS).write_text(status.model_dump_json())
    report_change(tmp_path, "done", "The server uses its own hotspot (192.168.11.1/24).")
    await page.wait_for_selector("[data-change=done]")
    assert await page.text_content("[data-wifi] b") == "saint-b2c3d4"


async def test_refused_change_is_reported_in_the_dialog(site: Site, tmp_path: Path) -> None:
    page = await site.open("settings/network")
    await page.wait_for_selector("[data-leave]")
    (tmp_path / "run/saint-settings").rmdir()
    await page.click("[data-leave]")
    await page.click("[data-confirm]")
    await page.wait_for_selector("[role=dialog] .refusal strong")
    assert "saint.yaml" in await page.text_content("[role=dialog] .refusal")


async def test_host_name_is_checked_at_the_field_then_requested(site: Site, tmp_path: Path) -> None:
    page = await site.open("settings/network")
    await page.wait_for_selector("input[name=hostname]")
    assert await page.input_value("input[name=hostname]") == "saint-server"
    await page.fill("input[name=hostname]", "my robot")
    await page.click("[data-hostname] button[type=submit]")
    assert "lower-case" in await page.text_content("#hostname-hint.wrong")
    await page.fill("input[name=hostname]", "Robi")
    await page.click("[data-hostname] button[type=submit]")
    await page.wait_for_selector("[data-change=trying]")
    assert take_request(tmp_path) == MachineRequest(hostname="robi")


async def test_formats_are_switched_and_a_refusal_leaves_the_switch(site: Site) -> None:
    page = await site.open("settings/livelink")
    await page.click("[data-format=vmc]")
    await page.wait_for_selector("[data-toast=good]")
    assert site.robot.capture.formats["vmc"] is False
    await page.click("[data-format=capture]")
    await page.wait_for_selector("text=port 14786 cannot be opened")
    await page.wait_for_selector("[data-format=capture]:not(:disabled)")
    assert not await page.is_checked("[data-format=capture]")


async def test_limit_of_a_sender_is_checked_at_the_field_then_kept(site: Site) -> None:
    page = await site.open("settings/livelink")
    await page.fill("input[name=datagrams]", "0")
    await page.click("[data-limit] button[type=submit]")
    assert "1 to 100000" in await page.text_content("#datagrams-hint.wrong")
    await page.fill("input[name=datagrams]", "900")
    await page.click("[data-limit] button[type=submit]")
    await page.wait_for_selector("[data-toast=good]")
    assert site.robot.capture.limit == 900
    assert await page.is_disabled("[data-limit] button[type=submit]")


async def test_check_for_updates_says_what_it_found_and_when(site: Site) -> None:
    page = await site.open("settings/firmware")
    assert "not in this session" in await page.text_content("#set-firmware")
    await page.click("[data-check]")
    await page.wait_for_selector("[data-checked]")
    assert "not in this session" not in await page.text_content("#set-firmware")
    assert await violations(page) == []


async def test_day_of_the_last_update_is_shown(site: Site) -> None:
    page = await site.open("settings/firmware")
    await page.locator("#set-firmware", has_text="none rolled out yet").wait_for()
    site.robot.otad.updated_s = 1_780_000_000.0
    page = await site.open("settings/firmware")
    await page.locator("#set-firmware", has_text="2026-05-2").wait_for()


async def test_other_dhcp_server_is_named_with_its_remedy(site: Site, tmp_path: Path) -> None:
    text = "Another DHCP server, 192.168.1.1, gives addresses on eth0, the robot's own network."
    said = (text, "Take the cable out.")
    await asyncio.to_thread(report_addresses, tmp_path, "refused", *said)
    page = await site.open("settings/network")
    await page.wait_for_selector("[data-addresses]")
    assert text in await page.text_content("[data-addresses]")
    assert "Take the cable out." in await page.text_content("[data-addresses]")
    assert await violations(page) == []
    dashboard = await site.open()
    matter = dashboard.locator("[data-matter=bad]", has_text="Another DHCP server")
    await matter.wait_for()
    await asyncio.to_thread(report_addresses, tmp_path, "serving")
    await matter.wait_for(state="detached")


async def test_name_and_port_that_are_announced_are_shown(site: Site) -> None:
    page = await site.open("settings/livelink")
    said = page.locator("[data-announced]")
    await said.wait_for()
    assert "_saint-livelink._udp, Live Link Face 11111" in " ".join(
        (await said.inner_text()).split()
    )
    await said.locator("a").click()
    await page.wait_for_selector("#set-network")
