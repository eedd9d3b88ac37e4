"""Bars and numbers that are painted over their list: as far as the value, in the colours of the
page, and readable for screen readers.
"""

from typing import Any

import pytest

from tests.web.conftest import Site

pytestmark = [pytest.mark.web, pytest.mark.asyncio(loop_scope="session")]

# Of one row, when its number was painted too: the share of its track that is painted and in which
# colour, the share of its number's room, and of that room's middle line.
_PAINTED = """
  (key) => new Promise((done) => setTimeout(done, 300)).then(() => {
    const row = document.querySelector(`[data-value=${key}]`);
    const canvas = row.closest(".gauges").querySelector("canvas");
    const corner = canvas.getBoundingClientRect();
    const ratio = canvas.width / corner.width;
    const pixels = (part, isLine) => {
      const { x, y, width, height } = row.querySelector(part).getBoundingClientRect();
      const box = [x - corner.x, isLine ? y - corner.y + height / 2 : y - corner.y, width, isLine ? 1 / ratio : height];
      const { data } = canvas.getContext("2d").getImageData(...box.map((each) => Math.round(each * ratio)));
      return Array.from({ length: data.length / 4 }, (_, at) => [...data.slice(4 * at, 4 * at + 4)]);
    };
    const inked = (all) => all.filter(([, , , alpha]) => alpha > 200);
    const [bar, number, strike] = [pixels(".track", true), pixels(".number"), pixels(".number", true)];
    const meter = row.querySelector("[role=meter]");
    return {
      share: inked(bar).length / bar.length,
      colour: `rgb(${inked(bar)[inked(bar).length >> 1]?.slice(0, 3).join(", ")})`,
      wanted: getComputedStyle(row.querySelector(".track i")).color,
      ink: inked(number).length / number.length,
      struck: inked(strike).length / strike.length,
      low: Number(meter.ariaValueMin), value: Number(meter.ariaValueNow), high: Number(meter.ariaValueMax),
      told: `${meter.ariaLabel} ${meter.ariaValueText}`,
    };
  })
"""  # noqa: E501 - JavaScript


async def _painted(page: Any, key: str) -> dict[str, Any]:
    await page.locator(f"[data-value={key}]").scroll_into_view_if_needed()
    found: dict[str, Any] = await page.evaluate(_PAINTED, key)
    return found


@pytest.mark.parametrize("ratio", [1, 2.5])
async def test_bar_reaches_as_far_as_the_value(site: Site, ratio: float) -> None:
    site.robot.is_still = True
    page = await site.open("inputs/livelink", device_scale_factor=ratio)
    for key in ("headYaw", "jawOpen"):
        row = await _painted(page, key)
        assert row["share"] == pytest.approx(
            abs(row["value"]) / (row["high"] - row["low"]), abs=0.03
        )
        assert row["share"] > 0.05, "nothing to see"
        assert row["colour"] == row["wanted"]
        assert 0.1 < row["ink"] < 0.6
    assert row["told"] == f"Jaw open {row['value']:.2f}"


async def test_painting_follows_the_page_into_the_dark(site: Site) -> None:
    site.robot.is_still = True
    page = await site.open("inputs/livelink", color_scheme="light")
    light = await _painted(page, "jawOpen")
    await page.emulate_media(color_scheme="dark")
    dark = await _painted(page, "jawOpen")
    assert dark["colour"] == dark["wanted"] != light["colour"]


async def test_old_values_are_struck_out(site: Site) -> None:
    page = await site.open("inputs/livelink")
    assert (await _painted(page, "jawOpen"))["struck"] < 0.6
    site.robot.is_face_live = False
    await page.wait_for_selector(".subject[data-stale]")
    old = await _painted(page, "jawOpen")
    assert old["colour"] == old["wanted"]
    assert old["struck"] > 0.6


async def test_rows_that_move_are_painted_where_they_are(site: Site) -> None:
    site.robot.is_still = True
    page = await site.open("inputs/livelink")
    before = await _painted(page, "jawOpen")
    await page.click("[data-adjust]")  # each row gets a second line
    await page.set_viewport_size({"width": 500, "height": 900})
    after = await _painted(page, "jawOpen")
    assert after["share"] == pytest.approx(before["share"], abs=0.03)
    assert after["ink"] > 0.1
