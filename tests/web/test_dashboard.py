"""The dashboard as a person uses it."""

import asyncio
import urllib.parse
from typing import Any

import pytest

from tests.web.conftest import Site

SOON_MS = 1200  # what takes half a second at most, on a machine that is busy with other tests

pytestmark = [
    pytest.mark.web,
    pytest.mark.timeout(40),
    pytest.mark.asyncio(loop_scope="session"),
]


async def count(page: Any, selector: str) -> int:
    return await page.locator(selector).count()


async def wait_gone(page: Any, selector: str) -> None:
    await page.wait_for_selector(selector, state="detached")


async def test_page_shows_the_robot(site: Site) -> None:
    page = await site.open()
    await page.wait_for_selector("[data-node=sim_spare]")
    assert await count(page, "[data-node]") == 6
    assert await page.locator("[data-link]").inner_text() == "Connected"
    assert "No password: simulation" in await page.locator("header.top").inner_text()
    assert "Offline" in await page.locator("[data-node=sim_console]").inner_text()
    await page.wait_for_selector("[data-source=rc] .channels li")
    assert await count(page, "[data-source=rc] .channels li") == 16
    pan = page.locator("[data-target=head] [data-field=pan]")
    assert "LiveLink FaceCapture" in await pan.inner_text()
    rival = page.locator("[data-target=tracks] [data-field=linear]")
    assert "lower priority" in await rival.inner_text()


async def test_values_move(site: Site) -> None:
    page = await site.open()
    bar = page.locator("[data-target=head] [data-field=pan] .track i")
    seen = set()
    for _ in range(20):
        seen.add(await bar.evaluate("(element) => element.style.transform"))
        await asyncio.sleep(0.05)
    assert len(seen) > 5


async def test_node_is_adopted(site: Site) -> None:
    page = await site.open()
    await page.click("[data-node=sim_spare] [data-adopt]")
    await page.check("input[value='console/']")
    await page.fill(".dialog input[name=name]", "Desk")
    await page.click("[data-confirm]")
    await page.wait_for_selector("[data-node=sim_spare] .chip.good")
    assert site.robot.requests == ["adopt sim_spare console"]
    assert "Desk" in await page.locator("[data-node=sim_spare]").inner_text()
    await wait_gone(page, ".dialog")


async def test_node_that_is_not_offered_says_why_and_has_no_button(site: Site) -> None:
    spare = site.robot.nodes["sim_spare"]
    why = "belongs to SAINT-02; reset it there, or hold its button for 5 s"
    site.robot.nodes["sim_spare"] = spare.model_copy(update={"not_offered": why})
    page = await site.open()
    card = page.locator("[data-node=sim_spare]")
    await card.get_by_text(f"Not offered: {why}").wait_for()
    assert await card.locator("[data-adopt]").count() == 0


async def test_refused_adoption_says_why(site: Site) -> None:
    page = await site.open()
    await page.click("[data-adopt]")
    await page.check("input[value='console/']")
    site.robot.nodes["sim_console"] = site.robot.nodes["sim_console"].model_copy(
        update={"state": site.robot.nodes["sim_head"].state}
    )
    await page.click("[data-confirm]")
    refusal = page.locator(".dialog .refusal strong")
    await refusal.wait_for()
    assert "sim_console" in await page.locator(".dialog .refusal").inner_text()


async def test_stop_is_one_press_and_cannot_be_missed(site: Site) -> None:
    page = await site.open()
    await page.wait_for_selector("[data-link=open]")
    box = await page.locator(".estop").bounding_box()
    assert box["height"] >= 64 and box["width"] >= 64
    await page.click(".estop")
    await page.wait_for_selector("[data-estop=latched]")
    assert site.robot.requests[0].startswith("estop websocket:page-")
    assert "Emergency stop" in await page.locator(".banner.stopped").inner_text()
    await page.wait_for_function("document.title.startsWith('STOPPED')")


async def test_stop_of_others_shows_and_release_asks_first(site: Site) -> None:
    page = await site.open()
    await page.wait_for_selector("[data-link=open]")
    site.robot.set_estop(True, "rc", "channel 6 is high")
    await page.wait_for_selector("[data-estop=latched]", timeout=SOON_MS)
    assert "channel 6 is high" in await page.locator(".banner.stopped").inner_text()
    site.robot.clear_refusal = "rc channel_2 is not neutral"
    await page.click("[data-estop=latched]")
    assert site.robot.requests == []
    await page.click("[data-release]")
    await page.locator(".dialog .refusal strong").wait_for()
    assert "channel_2 is not neutral" in await page.locator(".dialog .refusal").inner_text()
    site.robot.clear_refusal = ""
    await page.click("[data-release]")
    await page.wait_for_selector("[data-estop=ready]")
    await wait_gone(page, ".dialog")


async def test_stop_works_while_a_dialog_is_open(site: Site) -> None:
    page = await site.open()
    await page.click("[data-adopt]")
    await page.click(".estop")
    await page.wait_for_selector("[data-estop=latched]")


async def test_stop_that_was_not_confirmed_is_said(site: Site) -> None:
    page = await site.open()
    await page.wait_for_selector("[data-link=open]")
    await site.robot.stop("routerd")
    await page.click(".estop")
    await page.wait_for_selector(".banner.lost")
    assert "was not confirmed" in await page.locator(".banner.lost").inner_text()


async def test_silent_source_looks_stale_within_half_a_second(site: Site) -> None:
    page = await site.open()
    await page.wait_for_selector("[data-source=rc]:not([data-stale])")
    site.robot.is_rc_live = False
    await page.wait_for_selector("[data-source=rc][data-stale]", timeout=SOON_MS)
    assert "Silent" in await page.locator("[data-source=rc]").inner_text()
    assert await count(page, "[data-source='livelink:FaceCapture']:not([data-stale])") == 1
    site.robot.is_rc_live = True
    await page.wait_for_selector("[data-source=rc]:not([data-stale])")


async def test_cut_connection_is_said_and_comes_back_by_itself(site: Site) -> None:
    page = await site.open()
    await page.wait_for_selector("[data-node=sim_head]")
    site.relay.cut()
    await page.wait_for_selector("[data-link=lost]", timeout=SOON_MS)
    assert "No connection" in await page.locator(".banner.lost").inner_text()
    assert await count(page, ".is-cut") == 1
    await asyncio.sleep(0.5)
    site.relay.restore()
    await page.wait_for_selector("[data-link=open]")
    await wait_gone(page, ".banner.lost")


async def test_silent_connection_is_noticed(site: Site) -> None:
    page = await site.open()
    await page.wait_for_selector("[data-source=rc]:not([data-stale])")
    site.relay.freeze()
    await page.wait_for_selector("[data-source=rc][data-stale]", timeout=SOON_MS)
    await page.wait_for_selector("[data-outputs][data-stale]", timeout=SOON_MS)
    await page.wait_for_selector("[data-link=lost]", timeout=2500)
    site.relay.restore()
    await page.wait_for_selector("[data-link=open]", timeout=8000)


async def test_empty_robot_is_explained(site: Site) -> None:
    site.robot.nodes.clear()
    page = await site.open()
    await page.wait_for_selector(".card.empty")
    assert "No node yet" in await page.locator(".card.empty").first.inner_text()


async def test_dead_registry_is_said(site: Site) -> None:
    page = await site.open()
    await page.wait_for_selector("[data-node=sim_head]")
    await site.robot.stop("adoptiond")
    await page.wait_for_selector(".notice")
    assert "does not answer" in await page.locator(".notice").inner_text()


async def test_drive_pad_moves_only_while_held(site: Site) -> None:
    page = await site.open()
    heard = site.robot.listen_to_clients()
    button = page.locator(".way.ahead:enabled")
    await button.scroll_into_view_if_needed()
    await button.hover()
    await page.mouse.down()
    await asyncio.sleep(0.4)
    await page.mouse.up()
    await asyncio.sleep(0.3)
    values = [dict(zip(sample.names, sample.values, strict=True)) for sample in heard]
    assert len(values) >= 5
    assert all(value == {"linear": 0.375, "angular": 0.0} for value in values[:-1])
    assert values[-1] == {"linear": 0.0, "angular": 0.0}
    at_rest = len(heard)
    await asyncio.sleep(0.3)
    assert len(heard) == at_rest


@pytest.mark.parametrize("width", [360, 390, 768, 1280, 1920])
async def test_nothing_is_wider_than_the_window(site: Site, width: int) -> None:
    page = await site.open(viewport={"width": width, "height": 844})
    await page.wait_for_selector("[data-source=rc] .channels li")
    await page.wait_for_selector("[data-target=head]")
    wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    box = await page.locator(".estop").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width


async def test_keyboard_reaches_the_stop_and_leaves_dialogs(site: Site) -> None:
    page = await site.open()
    await page.focus("[data-node=sim_spare] [data-adopt]")
    await page.keyboard.press("Enter")
    await page.wait_for_selector(".dialog")
    assert await page.evaluate("document.querySelector('.dialog').contains(document.activeElement)")
    await page.keyboard.press("Escape")
    await wait_gone(page, ".dialog")
    assert await page.evaluate("document.activeElement.hasAttribute('data-adopt')")
    await page.focus(".estop")
    await page.keyboard.press("Enter")
    await page.wait_for_selector("[data-estop=latched]")


CONTRAST = """() => {
  const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => {
    const linear = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const [x, y, z] = [r, g, b].map(linear);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.backgroundImage !== "none") return null;
      const colour = parse(style.backgroundColor);
      if (style.backgroundColor.startsWith("color(")) return null;
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const bad = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.data.trim();
    if (!text || element.closest("[disabled], .hidden, noscript")) continue;
    const back = behind(element);
    if (!back) continue;
    const style = getComputedStyle(element);
    const pair = [light(parse(style.color)), light(back)].sort((a, b) => b - a);
    const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
    const isLarge = parseFloat(style.fontSize) >= 24;
    if (ratio < (isLarge ? 3 : 4.5)) bad.push(`${ratio.toFixed(2)} ${text}`);
  }
  return [...new Set(bad)];
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_text_has_enough_contrast(site: Site, theme: str) -> None:
    page = await site.open(color_scheme=theme)
    await page.wait_for_selector("[data-node=sim_spare]")
    await page.wait_for_selector("[data-target=tracks]")
    assert await page.evaluate(CONTRAST) == []
    site.robot.set_estop(True, "rc", "switch")
    site.robot.is_rc_live = False
    await page.wait_for_selector("[data-source=rc][data-stale]")
    assert await page.evaluate(CONTRAST) == []
    await page.click("[data-adopt]")
    assert await page.evaluate(CONTRAST) == []


async def test_page_needs_nobody_else(site: Site) -> None:
    asked: list[str] = []
    page = await site.browser.new_page()
    page.on("request", lambda request: asked.append(request.url))
    await page.goto(site.url)
    await page.wait_for_selector("[data-node=sim_head]")
    host = urllib.parse.urlsplit(site.url).netloc
    assert {urllib.parse.urlsplit(url).netloc for url in asked} == {host}
