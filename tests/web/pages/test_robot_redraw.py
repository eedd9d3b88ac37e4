"""The 3D model of a robot that stands still is not redrawn."""

import pytest

from tests.web.conftest import Site

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]

# Every drawing of the model clears or draws into its canvas; states come on meanwhile.
_COUNT = """
  window.draws = 0;
  const { drawElements, drawArrays } = WebGL2RenderingContext.prototype;
  WebGL2RenderingContext.prototype.drawElements = function (...given) {
    window.draws += 1;
    return drawElements.apply(this, given);
  };
  WebGL2RenderingContext.prototype.drawArrays = function (...given) {
    window.draws += 1;
    return drawArrays.apply(this, given);
  };
"""
_QUIET = """() => new Promise((done) => {
  let [before, frames, still] = [window.draws, 0, 0];
  const look = () => {
    still = window.draws === before ? still + 1 : 0;
    before = window.draws;
    frames += 1;
    if (still === 30) done(true);
    else if (frames === 600) done(false);
    else requestAnimationFrame(look);
  };
  look();
})"""


async def test_model_that_stands_still_is_not_drawn_again(site: Site) -> None:
    site.robot.is_still = True
    page = await site.browser.new_page()
    await page.add_init_script(_COUNT)
    await page.goto(f"{site.url}robot")
    await page.wait_for_selector("[data-scene=shown]", timeout=30_000)
    await page.wait_for_function("() => window.draws > 0")
    assert await page.evaluate(_QUIET)
