"""Pictures of pages as text."""

from xml.etree import ElementTree

import pytest

from tests.web.conftest import Site
from tools.pictures.__main__ import drawn

pytestmark = [pytest.mark.web, pytest.mark.asyncio(loop_scope="session")]

# A quarter of its box, in the middle.
_BAR = """() => document.body.insertAdjacentHTML('afterbegin', `<i style="
  display: block; width: 200px; height: 8px;
  background: linear-gradient(rgb(1, 2, 3), rgb(1, 2, 3)) no-repeat 50% 0 / 25% 100%"></i>`)"""
SVG = "{http://www.w3.org/2000/svg}"


async def test_drawing_has_the_words_at_their_places_and_the_icons(site: Site) -> None:
    page = await site.open(bypass_csp=True, viewport={"width": 1280, "height": 700})
    await page.wait_for_selector("[data-link=open]")
    await page.wait_for_selector("text=sim_head")
    root = ElementTree.fromstring(await drawn(page))
    assert (root.get("width"), root.get("height")) == ("1280", "700")
    words = {(text.text or "").strip(): text for text in root.iter(f"{SVG}text")}
    assert {"Dashboard", "STOP", "sim_head"} <= words.keys()
    stop = await page.locator(".estop").first.bounding_box()
    assert stop["x"] < float(words["STOP"].get("x") or 0) < stop["x"] + stop["width"]
    assert len(list(root.iter(f"{SVG}path"))) > 10


async def test_drawing_leaves_out_what_is_hidden_and_escapes_what_people_write(site: Site) -> None:
    page = await site.open(bypass_csp=True)
    await page.wait_for_selector("[data-link=open]")
    await page.evaluate(
        """() => document.body.insertAdjacentHTML('afterbegin',
        '<p>a &lt; b &amp; c</p><p hidden>secret</p><p style="opacity: 0">shy</p>')"""
    )
    text = await drawn(page)
    assert "a &lt; b &amp; c" in text and "secret" not in text and "shy" not in text
    ElementTree.fromstring(text)


async def test_drawing_has_the_part_of_its_track_that_a_bar_fills(site: Site) -> None:
    page = await site.open(bypass_csp=True)
    await page.wait_for_selector("[data-link=open]")
    await page.evaluate(_BAR)
    left = await page.evaluate("document.querySelector('body > i').getBoundingClientRect().x")
    root = ElementTree.fromstring(await drawn(page))
    [bar] = [rect for rect in root.iter(f"{SVG}rect") if rect.get("fill") == "rgb(1, 2, 3)"]
    assert (float(bar.get("width") or 0), float(bar.get("x") or 0)) == (50.0, left + 75)


async def test_drawing_has_bars_and_numbers_that_are_painted(site: Site) -> None:
    site.robot.is_still = True
    page = await site.open("#/inputs/livelink", bypass_csp=True)
    row = page.locator("[data-value=headYaw]")
    await row.wait_for()
    track, meter = await row.locator(".track").bounding_box(), row.get_by_role("meter")
    low, high, now = [
        float(await meter.get_attribute(f"aria-value{each}")) for each in ("min", "max", "now")
    ]
    root = ElementTree.fromstring(await drawn(page))
    said = await meter.get_attribute("aria-valuetext")
    assert said in [(text.text or "").strip() for text in root.iter(f"{SVG}text")]
    wide = track["width"] * abs(now) / (high - low)
    bars = [
        float(rect.get("width") or 0)
        for rect in root.iter(f"{SVG}rect")
        if float(rect.get("y") or 0) == pytest.approx(track["y"], abs=0.01)
    ]
    assert pytest.approx(wide, abs=0.1) in bars
