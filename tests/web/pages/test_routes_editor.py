"""The mappings of a route in the editor: as high as it may be, filters, conditions, points that are
dragged; on replies of the real router.
"""

from typing import Any

import pytest

from tests.web.axe import violations
from tests.web.conftest import Site
from tests.web.pages.test_routes import route, routes_page

pytestmark = [
    pytest.mark.web,
    pytest.mark.timeout(90),
    pytest.mark.asyncio(loop_scope="session"),
]

HEIGHT = "document.documentElement.scrollHeight"


async def editor(site: Site, **options: Any) -> Any:
    """Open the route of the face, which has eight mappings."""
    page = await routes_page(site, "/facecap_to_head", **options)
    await page.wait_for_selector("[data-mapping='7'] .curve-line")
    return page


async def save(page: Any) -> None:
    await page.click("[data-save]:enabled")
    await page.wait_for_selector("[data-save]:disabled:has-text('Saved')")


@pytest.mark.parametrize(("width", "height", "screens"), [(1440, 900, 1), (390, 844, 2)])
async def test_eight_mappings_fit_on_a_screen_of_a_desk_and_two_of_a_phone(
    site: Site, width: int, height: int, screens: int
) -> None:
    page = await editor(site, viewport={"width": width, "height": height})
    assert await page.evaluate(HEIGHT) <= screens * height
    rows = page.locator("[data-mapping] > [data-open]")
    assert await rows.count() == 8
    tall = [(await rows.nth(index).bounding_box())["height"] for index in range(8)]
    assert min(tall) >= (44 if width < 500 else 30)


async def test_filter_and_condition_are_saved_and_the_response_is_shown(site: Site) -> None:
    page = await editor(site)
    await page.click("[data-mapping='3'] [data-open]")
    await page.select_option("#field-mapping-3-filter", "low_pass")
    await page.fill("#field-mapping-3-cutoff_hz", "1.5")
    await page.wait_for_selector("[data-response]:has-text('90 % after')")
    await page.fill("#field-mapping-3-rate_limit", "4")
    await page.click("[data-add-condition]")
    await page.wait_for_selector("[data-unmet]:has-text('channel_7 at or above 0.5')")
    await save(page)
    saved = route(site, "facecap_to_head").mapping[3]
    assert (saved.filter, saved.cutoff_hz, saved.rate_limit) == ("low_pass", 1.5, 4)
    assert [(each.source, each.input, each.above) for each in saved.only_while] == [
        ("rc", "channel_7", 0.5)
    ]
    await page.select_option("#field-mapping-3-only_while-0-kind", "live")
    await page.select_option("#field-mapping-3-only_while-0-source", "livelink:*")
    await save(page)
    (condition,) = route(site, "facecap_to_head").mapping[3].only_while
    assert (condition.source, condition.input, condition.above) == ("livelink:*", "", None)


async def test_wrong_number_opens_its_row(site: Site) -> None:
    page = await editor(site)
    await page.click("[data-mapping='3'] [data-open]")
    await page.select_option("#field-mapping-3-filter", "low_pass")
    await page.fill("#field-mapping-3-cutoff_hz", "99")
    await page.wait_for_selector("[data-key='mapping[3].cutoff_hz'] .wrong:has-text('at most 50')")
    await page.click("[data-mapping='3'] [data-open]")
    assert await page.is_visible("#field-mapping-3-cutoff_hz")


async def test_points_are_moved_by_pointer_and_keys(site: Site) -> None:
    page = await editor(site)
    await page.click("[data-mapping='3'] [data-open]")
    await page.select_option("#field-mapping-3-curve", "smooth")
    await page.wait_for_selector("[data-mapping='3'] [data-point='2']")
    box = await page.locator("[data-mapping='3'] svg.is-draggable").bounding_box()
    knob = await page.locator("[data-mapping='3'] [data-point='1']").bounding_box()
    await page.mouse.move(knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2)
    await page.mouse.down()
    # 0.5 of the way from -1 to 1 is 0.0; a quarter more is 0.5. A fifth from above is 0.8.
    inner = (box["width"] * 168 / 180, box["height"] * 98 / 110)
    edge = (box["width"] * 6 / 180, box["height"] * 6 / 110)
    x, y = box["x"] + edge[0] + 0.8 * inner[0], box["y"] + edge[1] + 0.2 * inner[1]
    await page.mouse.move(x, y, steps=4)
    await page.mouse.up()
    await save(page)
    dragged = route(site, "facecap_to_head").mapping[3]
    assert dragged.curve == "smooth"
    assert dragged.points[1] == pytest.approx((0.6, 0.8), abs=0.02)
    await page.focus("[data-mapping='3'] [data-point='1']")
    await page.keyboard.press("Shift+ArrowDown")
    await page.keyboard.press("ArrowRight")
    await save(page)
    pressed = route(site, "facecap_to_head").mapping[3].points[1]
    assert pressed[1] == pytest.approx(dragged.points[1][1] - 0.05, abs=0.002)
    assert pressed[0] == pytest.approx(dragged.points[1][0] + 0.01, abs=0.002)
    await page.keyboard.press("ArrowLeft")
    await page.click("[data-add-point]")
    await save(page)
    assert len(route(site, "facecap_to_head").mapping[3].points) == 4
    await page.focus("[data-mapping='3'] [data-point='1']")
    await page.keyboard.press("Delete")
    await save(page)
    assert len(route(site, "facecap_to_head").mapping[3].points) == 3


async def test_axe_finds_nothing_in_an_open_row(site: Site) -> None:
    page = await editor(site, viewport={"width": 390, "height": 844})
    await page.click("[data-mapping='3'] [data-open]")
    await page.select_option("#field-mapping-3-curve", "points")
    await page.select_option("#field-mapping-3-filter", "one_euro")
    await page.click("[data-add-condition]")
    await page.wait_for_selector("[data-response]")
    assert await violations(page) == []
    assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
