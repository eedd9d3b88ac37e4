"""The page of the base: what it shows of a wagon, and that arming is a deliberate act."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import expect

from saint_services.webd.config import AuthSettings, Config
from tests.waiting import let_pass, until
from tests.web.axe import violations
from tests.web.conftest import Site, site_of

pytestmark = [pytest.mark.web, pytest.mark.asyncio(loop_scope="session")]


@pytest_asyncio.fixture(loop_scope="session")
async def wagon(browser: Any, tmp_path: Path) -> AsyncIterator[Site]:
    """A site of a robot with a wagon."""
    config = Config(auth=AuthSettings(required=False), robot="saul_tee")
    async for site in site_of(browser, tmp_path, config=config):
        site.robot.wagon.is_live = True
        yield site


async def base_page(site: Site, **options: Any) -> Any:
    page = await site.open("base", **options)
    await page.wait_for_selector(".base-grid[data-state=disarmed]")
    return page


async def test_menu_has_the_page_only_with_a_wagon(site: Site) -> None:
    page = await site.open()
    await page.wait_for_selector(".pages a[href='/drive']")
    await page.wait_for_selector("[data-target=tracks], [data-link=open]")
    assert await page.locator(".pages a[href='/base']").count() == 0
    await page.goto(site.url + "base")
    await page.locator("[data-absent]", has_text="no wagon").wait_for()


async def test_page_shows_what_the_wagon_measures(wagon: Site) -> None:
    page = await base_page(wagon)
    await expect(page.locator(".pages a[href='/base']")).to_be_visible()
    wagon.robot.wagon.change(pitch=-7.25, speed=0.5, fault="the battery is low")
    await expect(page.locator("[data-pitch]")).to_have_text("−7.3°")
    await expect(page.locator("[data-speed]")).to_have_text("0.50")
    await expect(page.locator("[data-volts]")).to_have_text("37.4")
    await expect(page.locator("[data-cell]")).to_have_text("3.74 V")
    await expect(page.locator("[data-motor=left]")).to_contain_text("0.4 A")
    await expect(page.locator("[data-motor=right]")).to_contain_text("35 °C")
    await expect(page.locator("[data-receiver=first]")).to_contain_text("−61 dBm")
    await expect(page.locator("[data-receiver=first][data-in-use]")).to_contain_text("In use")
    await expect(page.locator("[data-load]")).to_contain_text("21 %")
    await expect(page.locator("[data-event=lasts]")).to_contain_text("the battery is low")


async def test_silent_board_shows_no_attitude_and_no_switch(wagon: Site) -> None:
    page = await base_page(wagon)
    await expect(page.locator(".base-attitude .body")).to_have_count(1)
    await expect(page.locator("[data-switch]")).to_have_text("at ARM")
    wagon.robot.wagon.change(state="silent", mode="", pitch=float("nan"), arm_switch=False)
    await expect(page.locator(".base-attitude .chip")).to_have_text("Not reported")
    await expect(page.locator(".base-attitude .body")).to_have_count(0)
    await expect(page.locator("[data-switch]")).to_have_text("not known")
    await expect(page.locator("[data-driver]")).to_have_text("Not known")


async def test_fail_over_shows_which_receiver_is_in_use(wagon: Site) -> None:
    page = await base_page(wagon)
    wagon.robot.wagon.change(receiver="second", receiver_rssi=(float("nan"), -74.0))
    await expect(page.locator("[data-receiver=first]")).to_contain_text("no signal")
    await expect(page.locator("[data-receiver=second]")).to_contain_text("In use")


async def test_what_prevents_arming_is_listed_and_locks_the_button(wagon: Site) -> None:
    page = await base_page(wagon)
    await expect(page.locator("[data-arm]")).to_be_enabled()
    wagon.robot.wagon.change(prevents=("tilt: 30 degrees, at most 25", "stick: not neutral"))
    await expect(page.locator("[data-prevents='2'] [data-prevent=tilt]")).to_contain_text("30")
    await expect(page.locator("[data-arm]")).to_be_disabled()
    assert await page.locator("[data-disarm]").is_enabled()


async def test_arming_needs_a_second_of_holding(wagon: Site) -> None:
    page = await base_page(wagon)
    button = page.locator("[data-arm]")
    await button.click()
    await button.focus()
    await page.keyboard.press("Enter")
    await let_pass(1.2)
    assert wagon.robot.wagon.requests == []
    await button.hover()
    await page.mouse.down()
    await page.wait_for_selector("[data-armed=true]")
    await page.mouse.up()
    assert wagon.robot.wagon.requests == ["arm"]
    await page.click("[data-disarm]")
    await page.wait_for_selector("[data-armed=false]")
    assert wagon.robot.wagon.requests == ["arm", "disarm"]


async def test_leaving_the_button_releases_it(wagon: Site) -> None:
    page = await base_page(wagon)
    await page.locator("[data-arm]").hover()
    await page.mouse.down()
    await page.mouse.move(5, 5)
    await let_pass(1.2)
    await page.mouse.up()
    assert wagon.robot.wagon.requests == []


async def test_leaving_the_page_releases_the_button(wagon: Site) -> None:
    page = await base_page(wagon)
    await page.focus("[data-arm]")
    await page.keyboard.down("Enter")
    await page.wait_for_selector("[data-arm].is-held")
    await page.evaluate(
        "history.pushState(null, '', '/logs'), dispatchEvent(new PopStateEvent('popstate'))"
    )
    await page.wait_for_selector(".page.is-logs main h1")
    await let_pass(1.2)
    assert wagon.robot.wagon.requests == []


async def test_other_buttons_of_the_mouse_do_not_arm(wagon: Site) -> None:
    page = await base_page(wagon)
    await page.locator("[data-arm]").hover()
    await page.mouse.down(button="right")
    await let_pass(1.2)
    await page.mouse.up(button="right")
    assert wagon.robot.wagon.requests == []


async def test_obstacle_that_comes_while_holding_releases_it(wagon: Site) -> None:
    page = await base_page(wagon)
    await page.locator("[data-arm]").hover()
    await page.mouse.down()
    wagon.robot.wagon.change(prevents=("motion: it rolls",))
    await page.wait_for_selector("[data-prevent=motion]")
    await let_pass(1.2)
    await page.mouse.up()
    assert wagon.robot.wagon.requests == []


async def test_refusal_is_shown(wagon: Site) -> None:
    page = await base_page(wagon)
    wagon.robot.wagon.refusal = "tilt: 30 degrees, at most 25"
    await page.locator("[data-arm]").hover()
    await page.mouse.down()
    await expect(page.locator("[data-refusal]")).to_contain_text("30 degrees")
    await page.mouse.up()


async def test_state_that_is_not_received_any_more_is_unknown(wagon: Site) -> None:
    page = await base_page(wagon)
    wagon.robot.wagon.is_live = False
    await page.wait_for_selector(".base-grid[data-state=unknown]")
    await page.wait_for_selector("[data-silent]")
    await expect(page.locator("[data-arm]")).to_be_disabled()


async def test_gains_are_set_together(wagon: Site) -> None:
    page = await base_page(wagon)
    await expect(page.locator("[data-set-gains]")).to_be_disabled()
    for name, value in (("kp", "12"), ("ki", "0"), ("kd", "1.5")):
        await page.fill(f"[data-gain={name}]", value)
    await page.click("[data-set-gains]")
    await until(lambda: wagon.robot.wagon.requests == ["gains 12 0 1.5"])
    await expect(page.locator("[data-gain=kd]")).to_have_value("1.5")


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 900)])
async def test_stop_is_visible_and_nothing_is_wider_than_the_window(
    wagon: Site, width: int, height: int
) -> None:
    page = await base_page(wagon, viewport={"width": width, "height": height})
    assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    await page.locator(".base-events").scroll_into_view_if_needed()
    stop = await page.locator(".estop").bounding_box()
    assert stop["y"] >= 0 and stop["y"] + stop["height"] <= height
    assert stop["x"] + stop["width"] <= width


async def test_axe_finds_nothing(wagon: Site) -> None:
    page = await base_page(wagon)
    wagon.robot.wagon.change(prevents=("tilt: 30 degrees",), state="tilt", pitch=30.0)
    await page.wait_for_selector("[data-event]")
    assert await violations(page) == []


async def test_drive_page_drives_the_wagon_by_its_own_limits(wagon: Site) -> None:
    page = await wagon.open("drive")
    samples = wagon.robot.listen_to_clients()
    await page.wait_for_selector("[data-stick]:not(.is-off)")
    await page.focus("[data-keys]")
    await page.keyboard.press("4")  # the whole top speed
    await page.keyboard.down("w")
    await until(lambda: samples)
    assert samples[0].target == "wagon"
    assert dict(zip(samples[0].names, samples[0].values, strict=True)) == {
        "linear": 1.0,
        "angular": 0.0,
    }
    await page.keyboard.up("w")
    await until(lambda: not any(samples[-1].values))
    await expect(page.locator("#stick-title")).to_have_text("Wagon")
