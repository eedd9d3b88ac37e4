"""The pin planner on a node's page."""

import pytest
from playwright.async_api import expect

from saint_services.lib.generated.saint_msgs import PeripheralInfo
from tests.web.axe import violations
from tests.web.conftest import Site
from tests.web.fakes.nodes import CHIPS

pytestmark = [
    pytest.mark.web,
    pytest.mark.timeout(120),
    pytest.mark.asyncio(loop_scope="session"),
]

PIN = ".pins [data-pin='{}']"
_TO_THE_TOP = "pin => { pin.scrollIntoView({ block: 'start' }); scrollBy(0, -150); }"


@pytest.mark.parametrize("width", [1440, 390], ids=["desk", "phone"])
async def test_servo_moves_to_another_pin_with_three_clicks(site: Site, width: int) -> None:
    page = await site.open("nodes/sim_head", viewport={"width": width, "height": 844})
    if width == 390:
        await page.click("[data-fold=pins-title]")
    await page.wait_for_selector(".pins")
    if width == 390:
        await page.click(".pins-more")  # shows the free pins; one click more
    pin = page.locator(PIN.format(12))
    await pin.evaluate(_TO_THE_TOP)  # clear of the tool and the stop, which stand below
    await pin.click()
    detail = page.locator("[data-pin-detail]")
    await expect(detail.locator("[data-can]")).to_have_text("GPIO in and out · SPI1 CE0")
    assert await violations(page) == []
    await page.hover("main h1")
    await expect(detail.locator("h3")).to_have_text("GPIO18")
    await page.click("[data-move=pan]")
    await page.click("[data-confirm]")
    await expect(detail.locator("[data-held]")).to_contain_text("Held by Pan of head")
    head = site.robot.parts.service.robot.roles["head"]
    assert head.gpio_mapping["pan"].pin == 18
    assert site.robot.parts.refreshed == ["head"]


async def test_pin_says_what_holds_it_and_a_free_one_opens_a_new_part_with_it(site: Site) -> None:
    page = await site.open("nodes/sim_head")
    await page.wait_for_selector(".pins")
    await page.click(PIN.format(32))
    held = page.locator("[data-held] a")
    await expect(held).to_have_attribute("href", "/parts/part/head/pan")
    await expect(page.locator("[data-add-here]")).to_have_count(0)
    await page.click(PIN.format(16))
    await page.click("[data-add-here=head]")
    await expect(page.locator("[name=pin]")).to_have_value("23")
    await expect(page.locator("[name=kind]")).to_have_value("gpio_mapping servo")


async def test_chip_that_no_part_uses_becomes_one_and_a_used_one_is_not_offered(
    site: Site,
) -> None:
    found = PeripheralInfo("i2c", "1:0x41", "PCA9685 or INA219?", True)
    site.robot.headers.chips = (*CHIPS, found)
    page = await site.open("nodes/sim_head")
    await expect(page.locator("[data-use='1:0x40']")).to_have_count(0)
    await page.click("[data-use='1:0x41']")
    await expect(page.locator("[name=kind]")).to_have_value("i2c_devices pca9685")
    await expect(page.locator("[name=address]")).to_have_value("0x41")
    await page.click("[data-save]")
    await page.wait_for_selector("[data-open]")
    chips = site.robot.parts.service.robot.roles["head"].i2c_devices
    assert chips["pca9685"].address == 0x41
    await expect(page.locator("[data-restart]")).to_have_count(0)
