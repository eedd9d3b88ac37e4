"""Changes of several parts on the page Parts: typed one after the other, saved by one button."""

import pytest
from playwright.async_api import expect

from tests.web.axe import violations
from tests.web.conftest import Site
from tests.web.pages.test_parts import PHONE, SMALL, opened, role

pytestmark = [
    pytest.mark.web,
    pytest.mark.timeout(120),
    pytest.mark.asyncio(loop_scope="session"),
]


async def test_limits_of_several_parts_are_saved_at_once_in_one_version(site: Site) -> None:
    page = await opened(site, "parts/part/arms.left/joint_1")
    await expect(page.locator("[data-position]")).to_have_text("20.0°")
    await page.fill("[name=limits-lower]", "-60")
    await page.click("[data-mark=high]")
    await expect(page.locator("[data-follows]")).to_contain_text("start")
    await expect(page.locator("[data-unsaved]")).to_have_count(0)  # the open one alone
    await expect(page.locator("[data-next]")).to_contain_text("Next: joint 2")
    await page.click("[data-next]")
    await page.wait_for_selector("[data-open='arms.left.joint_2']")
    await expect(page.locator("[data-unsaved]")).to_contain_text("Not saved yet: joint 1.")
    await expect(page.locator("[data-save]")).to_have_text("Save")
    assert await violations(page) == []
    await page.fill("[name=max_rate]", "30")
    await page.click(".way-back a")
    await page.click("[data-part='head.imu']")
    await page.fill("[name=rename]", "balance")
    await page.fill("[name=note]", "limits set")
    await expect(page.locator("[data-save]")).to_have_text("Save 3 parts")
    assert site.robot.parts.restarts == 0
    await page.click("[data-save]")
    await page.wait_for_selector("[data-open='head.balance']")
    await expect(page.locator("[data-applied]")).to_contain_text("Version 2 is in force.")
    await expect(page.locator("[data-unsaved]")).to_have_count(0)
    fields = role(site, "arms.left").fields
    assert fields["joint_1"].limits == (-60, 20)
    assert fields["joint_2"].max_rate == 30
    assert "balance" in role(site).i2c_devices
    assert site.robot.parts.restarts == 1


async def test_refusal_of_several_parts_changes_none_and_is_shown_at_the_one_it_names(
    site: Site,
) -> None:
    page = await opened(site, "parts/part/arms.left/joint_1")
    before = role(site, "arms.left")
    await page.fill("[name=limits-lower]", "60")
    await page.fill("[name=limits-upper]", "20")
    await page.click("[data-next]")
    await page.wait_for_selector("[data-open='arms.left.joint_2']")
    await page.fill("[name=max_rate]", "30")
    await page.click("[data-save]")
    await expect(page.locator(".part-form .refusal")).to_contain_text("joint_1")
    await expect(page.locator("[data-setting=limits] .wrong")).to_have_count(0)
    assert role(site, "arms.left") == before
    await page.click("[data-unsaved] a")
    await page.wait_for_selector("[data-open='arms.left.joint_1']")
    await expect(page.locator("[data-setting=limits] .wrong")).to_contain_text("limits")
    await page.fill("[name=limits-lower]", "-60")
    await page.click("[data-save]")
    await page.wait_for_selector("[data-applied]")
    assert role(site, "arms.left").fields["joint_1"].limits == (-60, 20)
    assert role(site, "arms.left").fields["joint_2"].max_rate == 30


async def test_both_limits_count_that_are_typed_before_the_page_is_drawn(site: Site) -> None:
    page = await opened(site, "parts/part/arms.left/joint_1")
    await page.evaluate("""() => {
      for (const [side, value] of [["lower", "-60"], ["upper", "20"]]) {
        const box = document.querySelector(`[name=limits-${side}]`);
        box.value = value;
        box.dispatchEvent(new Event("input", {bubbles: true}));
      }
    }""")
    await page.click("[data-save]")
    await page.wait_for_selector("[data-applied]")
    assert role(site, "arms.left").fields["joint_1"].limits == (-60, 20)


@pytest.mark.parametrize("size", [{"width": 1440, "height": 900}, PHONE], ids=["desk", "phone"])
async def test_list_shows_what_is_not_saved_and_saves_or_discards_it(
    site: Site, size: dict[str, int]
) -> None:
    page = await opened(site, "parts/part/head/roll", viewport=size, has_touch=size is PHONE)
    for way in ("[data-discard]", "[data-save]"):
        await page.fill("[name=max_rate]", "60")
        await page.click(".way-back a")
        row = page.locator("[data-part='head.roll']")
        await expect(row).to_contain_text("Not saved")
        await expect(page.locator("[data-unsaved]")).to_contain_text("Not saved yet: roll.")
        assert await violations(page) == []
        if size is PHONE:
            assert await page.evaluate(SMALL) == []
        await page.click(way)
        await expect(row).not_to_contain_text("Not saved")
        await expect(page.locator("[data-unsaved]")).to_have_count(0)
        if way == "[data-discard]":
            assert role(site).fields["roll"].max_rate == 120
            await row.click()
            await expect(page.locator("[name=max_rate]")).to_have_value("120")
    assert role(site).fields["roll"].max_rate == 60


async def test_part_that_another_person_has_changed_begins_again(site: Site) -> None:
    page = await opened(site, "parts/part/head/pan")
    await page.fill("[name=max_rate]", "60")
    other = await opened(site, "parts/part/head/pan")
    await other.fill("[name=max_rate]", "200")
    await other.click("[data-save]")
    await other.wait_for_selector("[data-applied]")
    await page.click(".way-back a")
    await page.click("[data-part='head.tilt']")
    await page.click(".way-back a")
    await page.click("[data-part='head.pan']")
    await expect(page.locator("[name=max_rate]")).to_have_value("200")
    await expect(page.locator("[data-save]")).to_be_disabled()
