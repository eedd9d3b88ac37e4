"""Live values: painted at each drawing in sight, updated for screen readers once a second out of
sight.
"""

import pytest

from tests.web.conftest import Site

pytestmark = [pytest.mark.web, pytest.mark.asyncio(loop_scope="session")]

_PHONE = {"width": 390, "height": 844}
# Resolves when a value's list is out of sight, which gives its canvas back.
_UNSEEN = """
  (key) => new Promise((done) => {
    const canvas = document.querySelector(`[data-value=${key}]`).closest(".gauges").querySelector("canvas");
    const look = () => (canvas.width ? requestAnimationFrame(look) : done());
    look();
  })
"""  # noqa: E501 - JavaScript
# Resolves when one value's list was painted for a while: how often another's was, how often that
# one's value was announced to screen readers, and seconds.
_COMPARED = """
  ([one, other]) => new Promise((done) => {
    const began = performance.now();
    const listOf = (key) => document.querySelector(`[data-value=${key}]`).closest(".gauges");
    const painted = new Map([[listOf(one), 0], [listOf(other), 0]]);
    let announced = 0;
    const observer = new MutationObserver((changes) => (announced += changes.length));
    observer.observe(document.querySelector(`[data-value=${other}] .track`), { attributeFilter: ["aria-valuetext"] });
    const pen = CanvasRenderingContext2D.prototype;
    const { fill } = pen;
    pen.fill = function () {
      fill.call(this);
      const list = this.canvas.parentElement;
      painted.set(list, painted.get(list) + 1);
      if (performance.now() - began < 2500) return;
      pen.fill = fill;
      observer.disconnect();
      done([painted.get(listOf(other)), announced, (performance.now() - began) / 1000]);
    };
  })
"""  # noqa: E501 - JavaScript


async def test_rows_out_of_sight_are_announced_and_painted_when_scrolled_to(site: Site) -> None:
    site.robot.more_values = 60
    page = await site.open("inputs/livelink", viewport=_PHONE)
    first, last = "eyeBlinkLeft", "value_59"
    await page.wait_for_selector(f"[data-value={last}]", state="attached")
    for seen, unseen in ((first, last), (last, first)):
        await page.locator(f"[data-value={seen}]").scroll_into_view_if_needed()
        await page.evaluate(_UNSEEN, unseen)
        painted, announced, seconds = await page.evaluate(_COMPARED, [seen, unseen])
        assert painted == 0
        assert 0 < announced <= seconds + 2


# Milliseconds between two drawings: before any, after short ones, after a long one, after many.
_RATE = """
  import("/lib/redraw-rate.js").then(({ RedrawRate }) => {
    const rate = new RedrawRate();
    const intervals = [rate.interval];
    for (const [cost, times] of [[2, 50], [80, 1], [80, 50]]) {
      for (let count = 0; count < times; count += 1) rate.record(cost);
      intervals.push(Math.round(rate.interval));
    }
    return intervals;
  })
"""


async def test_slow_computer_draws_less_often(site: Site) -> None:
    page = await site.open()
    first, short, once, long = await page.evaluate(_RATE)
    assert first == short == once == 45
    assert long == 90
