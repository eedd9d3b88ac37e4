"""Takes the README's screenshots of the fake robot as WebP of at most 80 kB, into this folder. Not
here: screenshots of all pages (`make screenshots`).

Run `python -m tools.pictures [NAME ...]` after the look of a page has changed.
"""

import asyncio
import base64
import logging
import sys
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, async_playwright

from tools.screenshots import ARGUMENTS, LONGEST_MS, SETTLE_S, go, robot, windowless

HERE = Path(__file__).parent
THEMES = ("light", "dark")
LARGEST_BYTES = 80_000
# Name: address, width, height; each height ends between two cards.
PICTURES = {
    "dashboard": ("dashboard", 1280, 692),
    "routes": ("routes", 1280, 800),
    "node": ("nodes/sim_head", 1280, 900),
    "drive": ("drive", 390, 844),
    "inputs": ("inputs", 390, 844),
    "settings": ("settings", 390, 844),
}


async def take(wanted: set[str]) -> None:
    """Take the named screenshots, or all."""
    async with robot("") as (_, address), async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=windowless(), args=list(ARGUMENTS))
        for theme in THEMES:
            for name, (place, width, height) in PICTURES.items():
                if wanted and name not in wanted:
                    continue
                content = await _picture(browser, address, place, theme, (width, height))
                path = HERE / f"{name}-{theme}.webp"
                path.write_bytes(content)
                logging.info("%s  %d kB", path.name, len(content) // 1000)
        await browser.close()


async def _picture(
    browser: Browser, address: str, place: str, theme: Any, size: tuple[int, int]
) -> bytes:
    context = await browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=theme
    )
    page = await context.new_page()
    page.set_default_timeout(LONGEST_MS)
    await page.goto(address)
    await page.wait_for_selector("[data-link=open]")
    await go(page, place)
    await asyncio.sleep(SETTLE_S)
    content = await _webp(await context.new_cdp_session(page))
    await context.close()
    return content


async def _webp(session: Any) -> bytes:
    """Return a WebP in the best quality that fits; Playwright itself writes no WebP."""
    content = b""
    for quality in (90, 80, 70, 60):
        options = {"format": "webp", "quality": quality}
        answer = await session.send("Page.captureScreenshot", options)
        content = base64.b64decode(answer["data"])
        if len(content) <= LARGEST_BYTES:
            break
    return content


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    asyncio.run(take(set(sys.argv[1:])))
