"""The frame around every page: the stop, the connection, the navigation."""

import re
from typing import Any

import pytest
from playwright.async_api import expect

from tests.web.axe import violations
from tests.web.conftest import Site
from tests.web.relay import Relay

SOON_MS = 1200  # what takes half a second at most, on a machine that is busy with other tests

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]


def stops_of(site: Site) -> list[str]:
    """What the page requested of the robot; the dashboard also reads the daemons' health."""
    return [each for each in site.robot.requests if not each.startswith("health ")]


PAD = """(isStopPressed) => {
  const pad = { id: "Pad", index: 0, connected: true, mapping: "standard", axes: [0, 0, 0, 0],
                buttons: Array.from({ length: 17 }, () => ({ pressed: false, value: 0 })) };
  pad.buttons[1].pressed = isStopPressed;
  window.pad = pad;
  navigator.getGamepads = () => [pad];
  dispatchEvent(new Event("gamepadconnected"));
}"""

UNPLUG = """() => {
  navigator.getGamepads = () => [];
  dispatchEvent(new Event("gamepaddisconnected"));
}"""

_ENABLED_SHEETS = """() => [...document.styleSheets].filter((sheet) => !sheet.disabled)
  .map((sheet) => sheet.href.replace(/.*[/]pages[/](.*)[/]page[.]css$/, "$1"))"""


async def wait_gone(page: Any, selector: str) -> None:
    await page.wait_for_selector(selector, state="detached")


async def test_stop_is_one_press_and_cannot_be_missed(site: Site) -> None:
    page = await site.open()
    await page.wait_for_selector("[data-link=open]")
    box = await page.locator(".estop").bounding_box()
    assert box["height"] >= 64 and box["width"] >= 64
    await page.click(".estop")
    await page.wait_for_selector("[data-estop=latched]")
    assert stops_of(site)[0].startswith("estop websocket:page-")
    banner = await page.locator(".banner.stopped").inner_text()
    assert "Emergency stop. Pressed on this page" in banner
    assert banner.count("on the page") == 0
    await expect(page).to_have_title(re.compile("^STOPPED"))


async def test_stop_that_a_role_does_not_confirm_names_it_in_red(site: Site) -> None:
    page = await site.open()
    await page.wait_for_selector("[data-link=open]")
    site.robot.silent.add("tracks")
    await page.click(".estop")
    await page.wait_for_selector("[data-estop=latched]")
    await expect(page.locator(".estop b")).to_have_text("STOPPING")
    await expect(page.locator("[data-unconfirmed]")).to_contain_text("No reply: Tracks.")
    await page.click("[data-estop=latched]")
    await expect(page.locator("[data-outcome=tracks]")).to_have_attribute("data-state", "silent")
    await expect(page.locator("[data-outcome=head]")).to_contain_text("8 ms")
    site.robot.silent.clear()
    site.robot.set_estop(True, "rc", "again")
    await expect(page.locator(".estop b")).to_have_text("STOPPED")
    await wait_gone(page, "[data-unconfirmed]")


async def test_stop_of_others_shows_and_clearing_needs_confirmation(site: Site) -> None:
    page = await site.open()
    await page.wait_for_selector("[data-link=open]")
    site.robot.set_estop(True, "rc", "channel 6 is high")
    await page.wait_for_selector("[data-estop=latched]", timeout=SOON_MS)
    assert "channel 6 is high" in await page.locator(".banner.stopped").inner_text()
    site.robot.clear_refusal = "rc channel_2 is not neutral"
    await page.click("[data-estop=latched]")
    assert stops_of(site) == []
    await page.click("[data-clear]")
    await page.locator(".dialog .refusal strong").wait_for()
    assert "channel_2 is not neutral" in await page.locator(".dialog .refusal").inner_text()
    site.robot.clear_refusal = ""
    await page.click("[data-clear]")
    await page.wait_for_selector("[data-estop=ready]")
    await wait_gone(page, ".dialog")


async def test_press_that_comes_while_the_question_is_open_must_be_seen_before_the_clear(
    site: Site,
) -> None:
    page = await site.open()
    await page.wait_for_selector("[data-link=open]")
    site.robot.set_estop(True, "rc", "channel 6 is high")
    await page.click("[data-estop=latched]", timeout=SOON_MS)
    assert "channel 6 is high" in await page.locator(".presses").inner_text()
    site.robot.set_estop(True, "websocket:B", "child in front")
    await page.wait_for_selector(".presses .is-new", timeout=SOON_MS)
    assert "child in front" in await page.locator(".presses .is-new").inner_text()
    assert await page.locator("[data-clear]").count() == 0
    await page.click("[data-acknowledge]")
    await page.click("[data-clear]")
    await page.wait_for_selector("[data-estop=ready]")


WIDE = """() => [...document.querySelectorAll("html, .banner, .dialog, .dialog *")]
  .filter((each) => getComputedStyle(each).display !== "inline")
  .filter((each) => each.scrollWidth > each.clientWidth + 1)
  .map((each) => `${each.tagName} ${each.className}: ${each.scrollWidth} of ${each.clientWidth}`)"""


async def too_wide(page: Any) -> list[str]:
    """What does not fit, on a desktop or on a phone."""
    found: list[str] = []
    for width in (1280, 390):
        await page.set_viewport_size({"width": width, "height": 844})
        found += await page.evaluate(WIDE)
    return found


@pytest.mark.parametrize("reason", ["x" * 199 + "Z", "a sleeve in the belt " * 9 + "held here Z"])
async def test_long_reason_of_a_stop_wraps_in_full(site: Site, reason: str) -> None:
    page = await site.open()
    await page.wait_for_selector("[data-link=open]")
    site.robot.stop_detail = site.robot.clear_refusal = reason
    site.robot.set_estop(True, "rc", reason)
    await expect(page.locator(".banner.stopped")).to_contain_text(f"{reason}.")
    assert await too_wide(page) == []
    await page.click("[data-estop=latched]")
    await page.click("[data-clear]")
    for part in (".presses p", ".outcomes li >> nth=0", ".dialog .refusal"):
        await expect(page.locator(part)).to_contain_text(reason)
    assert await too_wide(page) == []


async def test_stop_that_was_not_confirmed_is_said(site: Site) -> None:
    page = await site.open()
    await page.wait_for_selector("[data-link=open]")
    await site.robot.stop("routerd")
    await page.click(".estop")
    await page.wait_for_selector(".banner.lost")
    assert "Stop not confirmed" in await page.locator(".banner.lost").inner_text()


async def test_space_stops_after_a_click_but_not_while_typing_or_using_the_keyboard(
    site: Site,
) -> None:
    page = await site.open()
    await page.wait_for_selector("[data-link=open]")
    await page.click("[data-quick=preset]")
    await page.wait_for_selector(".dialog")
    await page.evaluate("document.querySelector('.dialog').append(document.createElement('input'))")
    await page.focus(".dialog > input")
    await page.keyboard.press("Space")
    assert await page.locator(".dialog > input").input_value() == " "
    await page.keyboard.press("Tab")
    await page.focus(".dialog .actions .button")
    await page.keyboard.press("Space")  # operates the button: the dialog closes
    await wait_gone(page, ".dialog")
    assert [each for each in stops_of(site) if each.startswith("estop")] == []
    await page.click("h1")
    await page.keyboard.press("Space")
    await page.wait_for_selector("[data-estop=latched]")


async def test_chosen_stop_key_and_pad_button_stop_on_every_page(site: Site) -> None:
    page = await site.open()
    await page.wait_for_selector("[data-link=open]")
    await page.click("[aria-label^='Browser settings']")
    await page.check("input[name=stop-key][value=escape]")
    await expect(page.locator(".estop kbd")).to_have_text("Esc")
    await page.keyboard.press("Escape")  # stops, also in a dialog
    await page.wait_for_selector("[data-estop=latched]")
    site.robot.set_estop(False, "test", "")
    await page.reload()
    await page.wait_for_selector("[data-link=open]")
    await page.wait_for_selector("[data-estop=ready]")
    assert await page.locator(".estop kbd").inner_text() == "Esc"
    await page.evaluate("location.hash = '#/firmware'")
    await page.evaluate(PAD, False)
    await page.evaluate("window.pad.buttons[1] = { pressed: true, value: 1 }")
    await page.wait_for_selector("[data-estop=latched]")


async def test_press_that_makes_the_browser_show_the_pad_stops(site: Site) -> None:
    page = await site.open()
    await page.wait_for_selector("[data-estop=ready]")
    for _ in range(2):  # also where it was unplugged while it was held
        await page.evaluate(PAD, True)
        await page.wait_for_selector("[data-estop=latched]")
        site.robot.set_estop(False, "test", "")
        await page.wait_for_selector("[data-estop=ready]")
        await page.evaluate(UNPLUG)


async def test_cut_connection_is_said_and_comes_back_by_itself(site: Site, relay: Relay) -> None:
    page = await site.open()
    await page.wait_for_selector("[data-node=sim_head]")
    relay.cut()
    await page.wait_for_selector("[data-link=lost]", timeout=SOON_MS)
    assert "No connection" in await page.locator(".banner.lost").inner_text()
    assert await page.locator(".is-cut").count() == 1
    relay.restore()
    await page.wait_for_selector("[data-link=open]")
    await wait_gone(page, ".banner.lost")


async def test_silent_connection_looks_old_before_it_counts_as_lost(
    site: Site, relay: Relay
) -> None:
    page = await site.open()
    await page.wait_for_selector("[data-source=rc]:not([data-stale])")
    relay.freeze()
    await page.wait_for_selector("[data-source=rc][data-stale]", timeout=SOON_MS)
    await page.wait_for_selector(".is-cut", timeout=SOON_MS)
    await page.wait_for_selector("[data-link=lost]", timeout=2500)
    relay.restore()
    await page.wait_for_selector("[data-link=open]", timeout=8000)


async def test_keyboard_leaves_dialogs_and_reaches_the_stop(site: Site) -> None:
    page = await site.open()
    await page.focus("[data-quick=control]")
    await page.keyboard.press("Enter")
    await page.wait_for_selector(".dialog")
    assert await page.evaluate("document.querySelector('.dialog').contains(document.activeElement)")
    await page.keyboard.press("Escape")
    await wait_gone(page, ".dialog")
    assert await page.evaluate("document.activeElement.dataset.quick === 'control'")
    await page.focus(".estop")
    await page.keyboard.press("Enter")
    await page.wait_for_selector("[data-estop=latched]")


@pytest.mark.parametrize("width", [360, pytest.param(820, marks=pytest.mark.long), 1280])
async def test_every_page_is_reached_and_fits(site: Site, width: int) -> None:
    page = await site.open(viewport={"width": width, "height": 844})
    await page.wait_for_selector("[data-link=open]")
    names = await page.eval_on_selector_all(
        ".pages a", "links => links.map((link) => link.pathname.slice(1))"
    )
    assert {"dashboard", "robot", "nodes", "drive"} <= set(names)
    for name in names:
        if width < 700:
            await page.click(".menu-button")
        await page.click(f".pages a[href='/{name}']")
        await page.wait_for_selector(f".page.is-{name} main h1", state="attached")
        assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, name
        box = await page.locator(".estop").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width, name


async def test_page_that_was_left_takes_its_style_along(site: Site) -> None:
    page = await site.open()
    for name in ("dashboard", "logs", "drive", "dashboard"):
        await page.evaluate(f"location.hash = '#/{name}'")
        await page.wait_for_selector(f".page.is-{name} main h1", state="attached")
        enabled = await page.evaluate(_ENABLED_SHEETS)
        assert [each for each in enabled if each in ("dashboard", "logs", "drive")] == [name]


async def test_stopped_and_lost_pages_have_no_axe_violations(site: Site, relay: Relay) -> None:
    page = await site.open()
    await page.wait_for_selector("[data-link=open]")
    site.robot.set_estop(True, "rc", "switch")
    await page.wait_for_selector("[data-estop=latched]")
    assert await violations(page) == []
    relay.cut()
    await page.wait_for_selector("[data-link=lost]")
    assert await violations(page) == []


async def test_prescribed_colours_leave_the_stop_red_and_the_shown_page_marked(site: Site) -> None:
    page = await site.open(forced_colors="active")
    await page.wait_for_selector(".pages a[aria-current]")
    stop, here, others = await page.evaluate(
        """
        ["button.estop", ".pages a[aria-current]", ".pages a:not([aria-current])"].map((each) => {
          const { backgroundColor, outlineStyle } = getComputedStyle(document.querySelector(each));
          return { backgroundColor, outlineStyle };
        })
        """
    )
    red, green, blue = (int(part) for part in stop["backgroundColor"].strip("rgb()").split(","))
    assert red > 150 > 2 * max(green, blue)
    assert (here["outlineStyle"], others["outlineStyle"]) == ("solid", "none")
