"""Draws the pages that the README shows as text (SVG), beside the fake robot. Not here: pictures of
all pages as they are to the pixel (`make screenshots`).

`python -m tools.pictures [NAME ...]`, after a page has changed its looks. They lie here.
"""

import asyncio
import logging
import sys
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, async_playwright

from tools.screenshots import ARGUMENTS, LONGEST_MS, SETTLE_S, chromium, go, robot

HERE = Path(__file__).parent
THEMES = ("light", "dark")
# name -> place, width, height; heights end where something ends.
PICTURES = {
    "dashboard": ("dashboard", 1280, 692),
    "routes": ("routes", 1280, 800),
    "node": ("nodes/sim_head", 1280, 900),
    "drive": ("drive", 390, 844),
    "inputs": ("inputs", 390, 844),
    "settings": ("settings", 390, 844),
}
_DRAW = """(code) => import(`data:text/javascript,${encodeURIComponent(code)}`)
  .then((module) => module.drawing())"""


async def draw(wanted: set[str]) -> None:
    """Those, or all."""
    async with robot("") as (_, address), async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        for theme in THEMES:
            for name, (place, width, height) in PICTURES.items():
                if wanted and name not in wanted:
                    continue
                text = await _picture(browser, address, place, theme, (width, height))
                path = HERE / f"{name}-{theme}.svg"
                path.write_text(text)
                logging.info("%s  %d kB", path.name, len(text) // 1000)
        await browser.close()


async def drawn(page: Any) -> str:
    """What a page shows now. Its policy must allow code from outside (`bypass_csp`)."""
    text: str = await page.evaluate(_DRAW, (HERE / "drawing.js").read_text())
    return text


async def _picture(
    browser: Browser, address: str, place: str, theme: Any, size: tuple[int, int]
) -> str:
    context = await browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=theme, bypass_csp=True
    )
    page = await context.new_page()
    page.set_default_timeout(LONGEST_MS)
    await page.goto(address)
    await page.wait_for_selector("[data-link=open]")
    await go(page, place)
    await asyncio.sleep(SETTLE_S)
    text = await drawn(page)
    await context.close()
    return text


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    asyncio.run(draw(set(sys.argv[1:])))
