"""Values that move: drawn at every chance where they are seen, once a second where they are not."""

import pytest

from tests.web.conftest import Site

pytestmark = [pytest.mark.web, pytest.mark.asyncio(loop_scope="session")]

_PHONE = {"width": 390, "height": 844}
# Resolves when one value's bar was drawn thirty times: how often another's was, and seconds.
_COMPARED = """
  ([one, other]) => new Promise((done) => {
    const began = performance.now();
    const drawn = { [one]: 0, [other]: 0 };
    new MutationObserver((changes, watcher) => {
      const names = changes.map(({ target }) => target.closest("[data-value]")?.dataset.value);
      for (const name of new Set(names)) drawn[name] += 1;
      if (drawn[one] < 30) return;
      watcher.disconnect();
      done([drawn[other], (performance.now() - began) / 1000]);
    }).observe(document, { subtree: true, attributeFilter: ["style"] });
  })
"""


async def test_rows_out_of_sight_are_drawn_once_a_second_until_scrolled_to(site: Site) -> None:
    site.robot.more_values = 60
    page = await site.open("#/inputs/livelink", viewport=_PHONE)
    first, last = "headYaw", "value_59"
    await page.wait_for_selector(f"[data-value={last}]", state="attached")
    for seen, unseen in ((first, last), (last, first)):
        await page.locator(f"[data-value={seen}]").scroll_into_view_if_needed()
        drawn, seconds = await page.evaluate(_COMPARED, [seen, unseen])
        assert drawn <= seconds + 2


# Milliseconds between two drawings: before any, after short ones, after a long one, after many.
_PACE = """
  import("/lib/pace.js").then(({ Pace }) => {
    const pace = new Pace();
    const intervals = [pace.interval];
    for (const [cost, times] of [[2, 50], [80, 1], [80, 50]]) {
      for (let count = 0; count < times; count += 1) pace.took(cost);
      intervals.push(Math.round(pace.interval));
    }
    return intervals;
  })
"""


async def test_slow_computer_draws_less_often(site: Site) -> None:
    page = await site.open()
    first, short, once, long = await page.evaluate(_PACE)
    assert first == short == once == 45
    assert long == 90
