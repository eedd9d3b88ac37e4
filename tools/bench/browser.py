"""What each page costs a browser: processor time of all of Chromium's processes while the page is
shown. Not here: the robot, its server, and which pages (pages.py).

The flags are those of the pictures and tests (tools/screenshots.py). No graphics card is there, so
pages are drawn and put together by the processor, as on a Pi or an old laptop. The robot's model is
drawn by SwiftShader, a graphics card in software; its page therefore has no budget here.

Computers differ, and one computer from hour to hour, so each run measures a bare page too: a single
number that changes 20 times a second. Budgets are times of that: a quarter of a core where the bare
page costs a twelfth. A slow computer draws less often (web/lib/redraw-rate.js).
"""

import asyncio
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LEAST_HZ = 9.0  # drawn less often, a page costs less than it should: the computer was busy
TIMES = 3
_SETTLE_S = 2.0
_TICKS = os.sysconf("SC_CLK_TCK")
# How often the page was drawn: each drawing is requested (web/app.js).
_COUNT = """
  window.drawn = 0;
  const next = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (draw) => next((now) => { window.drawn += 1; draw(now); });
"""
_BARE = """data:text/html,<p>0</p><script>
  const number = document.querySelector("p");
  setInterval(() => requestAnimationFrame(() => { number.textContent++; }), 50);
</script>"""


@dataclass(frozen=True, slots=True)
class Place:
    """One page; ready when all of it is there."""

    address: str
    ready: str
    budget: float | None  # times the bare page


BARE = Place(_BARE, "p", None)


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one page, in processor cores."""

    address: str
    cores: tuple[float, ...]  # sorted
    drawn_hz: float
    budget: float | None

    @property
    def median(self) -> float:
        """Processor cores."""
        return self.cores[len(self.cores) // 2]

    def summary(self, bare: float) -> str:
        """One line of the table, beside what a bare page cost."""
        budget = "" if self.budget is None else f"   budget {self.budget:g} x"
        busy = "" if self.drawn_hz >= LEAST_HZ else "   computer too busy to measure"
        name = "a bare page" if self.address == _BARE else self.address
        cores = f"{self.median:6.2f} cores ({self.cores[0]:.2f} to {self.cores[-1]:.2f})"
        drawn = f"{self.drawn_hz:7.1f} drawings/s{self.median / bare:6.1f} x"
        return f"{name:18}{cores}{drawn}{budget}{busy}"


async def costs(server: str, places: tuple[Place, ...], seconds: float) -> list[Cost]:
    """Each page in a browser of its own: what one leaves behind costs the next one nothing."""
    from playwright.async_api import async_playwright

    from tools.screenshots import ARGUMENTS, windowless

    found = []
    async with async_playwright() as driver:
        for place in places:
            browser = await driver.chromium.launch(
                executable_path=windowless(), args=list(ARGUMENTS)
            )
            page = await browser.new_page(viewport={"width": 1280, "height": 900})
            await page.add_init_script(_COUNT)
            await page.goto(place.address if place is BARE else f"{server}{place.address}")
            await page.wait_for_selector(place.ready, timeout=60_000)
            await asyncio.sleep(_SETTLE_S)
            found.append(await _cost(page, place, seconds))
            await browser.close()
    return found


async def _cost(page: Any, place: Place, seconds: float) -> Cost:
    began, drawn = time.monotonic(), await page.evaluate("window.drawn")
    cores = sorted([await _cores(seconds) for _ in range(TIMES)])
    drawn_hz = (await page.evaluate("window.drawn") - drawn) / (time.monotonic() - began)
    return Cost(place.address, tuple(cores), drawn_hz, place.budget)


async def _cores(seconds: float) -> float:
    """Of the processes that are there at both ends: one that ends takes its time with it."""
    before, began_s = _chromium_s(), time.monotonic()
    await asyncio.sleep(seconds)
    after = _chromium_s()
    used = sum(after[pid] - before[pid] for pid in after.keys() & before.keys())
    return used / (time.monotonic() - began_s)


def _chromium_s() -> dict[int, float]:
    """Processor time of the browser's processes: those below this one that are called so."""
    stats: dict[int, tuple[int, str, int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = path.read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue  # it has just ended
        fields = rest.split()
        stats[int(path.parent.name)] = (int(fields[1]), name, int(fields[11]) + int(fields[12]))
    return {
        pid: ticks / _TICKS
        for pid, (_, name, ticks) in stats.items()
        if "chrom" in name and _is_ours(pid, stats)
    }


def _is_ours(pid: int, stats: dict[int, tuple[int, str, int]]) -> bool:
    while pid in stats:
        if pid == os.getpid():
            return True
        pid = stats[pid][0]
    return False
