"""The card of update settings as users see and use it."""

from typing import Any

import pytest
from playwright.async_api import expect

from saint_services.lib.api.update_policy import FetchState, SourceStatus
from saint_services.lib.errors import Code, SaintError
from tests.web.conftest import Site

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]


async def opened(site: Site) -> Any:
    page = await site.open()
    await page.click("a[href='/firmware']")
    await page.wait_for_selector("[data-offers]")
    return page


async def test_settings_of_a_new_robot_are_shown(site: Site) -> None:
    page = await opened(site)
    await expect(page.locator("[data-offers]")).to_have_text("at boot or rest")
    await expect(page.locator("[data-begins]")).to_have_text("by a user")
    await expect(page.locator("[data-window]")).to_have_text("any time")
    await expect(page.locator("[data-by]")).to_have_text("upload")
    assert await page.locator("[data-address]").count() == 0
    assert await page.locator("[data-check]").count() == 0


async def test_settings_are_changed_in_one_request(site: Site) -> None:
    page = await opened(site)
    await page.click("[data-policy]")
    await page.uncheck("[name=offers]")
    await page.check("[name=window]")
    await page.fill("[name=begin]", "01:30")
    await page.check("[name=usb_stick]")
    await page.fill("[name=address]", "https://example.org/robots")
    await page.click("[data-confirm]")
    await page.wait_for_selector(".dialog", state="detached")
    assert site.robot.otad.requests == [
        "policy {'offers': 'ask', 'roll_out': 'by_user', 'window': '01:30-05:00', "
        "'releases_from': 'https://example.org/robots', 'check_every_h': 24, 'usb_stick': True}"
    ]
    await expect(page.locator("[data-window]")).to_have_text("01:30 to 05:00 UTC")
    await expect(page.locator("[data-by]")).to_have_text("upload and USB stick")
    await expect(page.locator("[data-address]")).to_contain_text("https://example.org/robots")
    await expect(page.locator("[data-address]")).to_contain_text("every 24 h")


async def test_own_authority_is_set_kept_and_removed(site: Site) -> None:
    page = await opened(site)
    await page.click("[data-policy]")
    await page.click(".policy-form summary")
    await page.check("[name=own]")
    await page.fill("[name=authority]", "-----BEGIN CERTIFICATE-----")
    await page.click("[data-confirm]")
    await page.wait_for_selector(".dialog", state="detached")
    assert "'authority': '-----BEGIN CERTIFICATE-----'" in site.robot.otad.requests[-1]
    await page.click("[data-policy]")
    await page.click("[data-confirm]")
    await page.wait_for_selector(".dialog", state="detached")
    assert "authority" not in site.robot.otad.requests[-1]
    await page.click("[data-policy]")
    await page.uncheck("[name=own]")
    await page.click("[data-confirm]")
    await page.wait_for_selector(".dialog", state="detached")
    assert "'authority': ''" in site.robot.otad.requests[-1]


async def test_refused_setting_says_why(site: Site) -> None:
    site.robot.otad.refusal = SaintError(
        Code.REQUEST_INVALID, "the address must begin with https://"
    )
    page = await opened(site)
    await page.click("[data-policy]")
    await page.click("[data-confirm]")
    await page.wait_for_selector(".dialog .refusal >> text=must begin with https://")


async def test_download_is_followed_and_checked_now(site: Site) -> None:
    otad = site.robot.otad
    otad.policy = otad.policy.model_copy(update={"releases_from": "https://example.org"})
    otad.source = SourceStatus(
        address="https://example.org", state=FetchState.DOWNLOADING, version="0.2.0",
        size_bytes=100, received_bytes=40, checked_min=180,
        text="Checked 3 h ago: 0.2.0 is there, 40 % of 118.0 MiB downloaded",
    )  # fmt: skip
    page = await opened(site)
    await expect(page.locator("[data-source=downloading]")).to_contain_text("40 % of 118.0 MiB")
    bar = page.locator(".policy [role=progressbar]")
    assert await bar.get_attribute("aria-valuenow") == "40"
    text = "https://example.org/manifest.json answers 404 Not Found. Next look in 2 min"
    otad.source = otad.source.model_copy(update={"state": FetchState.FAILED, "text": text})
    await expect(page.locator("[data-source=failed]")).to_contain_text("404 Not Found")
    await page.click("[data-check]")
    await expect(page.locator("[data-check]")).to_be_enabled()
    assert otad.requests == ["check force=False"]
