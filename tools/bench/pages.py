"""What pages cost: processor time of a browser that shows 200 live values at 20 Hz, and webd's
memory while fifty clients are sent every state 50 times a second. The robot behind webd is a fake.

`python -m tools.bench.pages [--seconds 15] [--crowd-seconds 600] [--json]`. Budgets: a quarter of a
core; 2 % growth. What control loses beside such a crowd is measured by tools/bench/crowd.py.
"""

import argparse
import asyncio
import contextlib
import json
import math
import os
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import aiohttp

from saint_services.lib.clock import stamp
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import InputSample

BUDGET_CORES, BUDGET_GROWTH = 0.25, 0.02
VALUES, VALUES_HZ = 200, 20
CLIENTS, CLIENT_HZ = 50, 50
PORT = 8397
_TOPICS = ["inputs", "outputs", "head", "arms", "tracks", "system"]
_WARM_UP_S = 10.0  # until buffers have the size that they keep
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured."""

    values_shown: int
    browser_cores: float  # all of Chromium's processes together
    browser_idle_cores: float  # the same page while nothing changes
    webd_before_mb: float
    webd_after_mb: float
    growth: float
    states_per_s: float  # that reached the clients
    crowd_s: float


async def measure(seconds: float, crowd_s: float) -> Figures:
    """The browser first, then the crowd, each with a robot of its own."""
    shown, busy, idle = await _browser(seconds)
    before, after, states = await _crowd(crowd_s)
    growth = (after - before) / before
    return Figures(shown, busy, idle, before, after, growth, states / crowd_s, crowd_s)


async def _browser(seconds: float) -> tuple[int, float, float]:
    from playwright.async_api import async_playwright

    from tools.screenshots import ARGUMENTS, chromium

    async with _served("--values", str(VALUES)), async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        page = await browser.new_page(viewport={"width": 1280, "height": 900})
        await page.goto(f"http://127.0.0.1:{PORT}/#/inputs/livelink")
        await page.wait_for_selector(f"[data-value=value_{VALUES - 1}]", timeout=60_000)
        shown = await page.locator("[data-value]").count()
        busy = await _cores(seconds)
        await page.goto("about:blank")
        idle = await _cores(seconds)
        await browser.close()
    return shown, busy, idle


async def _crowd(crowd_s: float) -> tuple[float, float, int]:
    async with _served() as webd, aiohttp.ClientSession() as http:
        heard = [0]
        url = f"http://127.0.0.1:{PORT}/api/ws"
        sockets = [await http.ws_connect(url, max_msg_size=0) for _ in range(CLIENTS)]
        reading = [asyncio.create_task(_read(socket, heard)) for socket in sockets]
        for socket in sockets:
            await socket.send_json({"type": "subscribe", "topics": _TOPICS, "rate_hz": CLIENT_HZ})
        await asyncio.sleep(_WARM_UP_S)
        heard[0], before = 0, _rss_mb(webd.pid)
        await asyncio.sleep(crowd_s)
        states, after = heard[0], _rss_mb(webd.pid)
        for task in reading:
            task.cancel()
        for socket in sockets:
            await socket.close()
    return before, after, states


async def _read(socket: aiohttp.ClientWebSocketResponse, heard: list[int]) -> None:
    async for _ in socket:
        heard[0] += 1


@contextlib.asynccontextmanager
async def _served(*options: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """webd with a moving fake robot, in a process of its own."""
    command = (sys.executable, "-m", "tools.bench.pages", "--serve", *options)
    quiet = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(*command, stdout=quiet, stderr=quiet)
    try:
        async with asyncio.timeout(60), aiohttp.ClientSession() as http:
            while not await _answers(http):  # noqa: ASYNC110 - another process signals nothing
                await asyncio.sleep(0.2)
        yield process
    finally:
        process.terminate()
        await process.wait()


async def _answers(http: aiohttp.ClientSession) -> bool:
    try:
        async with http.get(f"http://127.0.0.1:{PORT}/"):
            return True
    except aiohttp.ClientError:
        return False


async def _serve(values: int) -> None:
    import tempfile

    from tests.web.fake_robot import fake_robot

    with tempfile.TemporaryDirectory() as directory:
        async with fake_robot(Path(directory), http_port=PORT) as (robot, _, domain):
            robot.is_face_live = not values  # ours instead, of the subject that it tells of
            playing = asyncio.create_task(robot.play())
            await _wave(domain.bus("bench").publisher(topics.INPUT_LIVELINK), values)
            playing.cancel()


async def _wave(publisher: Any, count: int) -> None:
    """One subject with so many values, all of which move."""
    names = tuple(f"value_{number}" for number in range(count))
    sequence = 0
    while True:
        sequence += 1
        values = tuple(0.5 + 0.5 * math.sin(sequence / 10 + n) for n in range(count))
        if count:
            publisher.publish(
                InputSample(
                    stamp=stamp(), source="livelink:FaceCapture", sequence=sequence, names=names,
                    values=values,
                )
            )  # fmt: skip
        await asyncio.sleep(1 / VALUES_HZ)


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


def _rss_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _print(found: Figures) -> None:
    print(f"browser, {found.values_shown} live values   {found.browser_cores:5.2f} cores"
          f"   (budget {BUDGET_CORES}; an empty page {found.browser_idle_cores:.2f})")  # fmt: skip
    print(f"webd, {CLIENTS} clients, {found.crowd_s:.0f} s      {found.webd_before_mb:.1f} ->"
          f" {found.webd_after_mb:.1f} MB, {found.growth:+.1%}   (budget {BUDGET_GROWTH:.0%};"
          f" {found.states_per_s:.0f} states/s arrived)")  # fmt: skip


def main() -> None:
    """As a program."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--crowd-seconds", type=float, default=600.0)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--values", type=int, default=0, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        asyncio.run(_serve(given.values))
        return
    found = asyncio.run(measure(given.seconds, given.crowd_seconds))
    if given.json:
        print(json.dumps(asdict(found)))
    else:
        _print(found)


if __name__ == "__main__":
    main()
