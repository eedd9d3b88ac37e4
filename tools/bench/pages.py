"""What pages cost: processor time of a browser (tools/bench/browser.py) that shows 200 live values
at 20 Hz, and of each page that lives, with a robot that moves and with one that stands still. The
robot is a fake.

`python -m tools.bench.pages [--seconds 5] [--json]`. Budgets are times of a bare page's cost,
measured just before. What many pages cost webd: tools/bench/soak.py.
"""

import argparse
import asyncio
import contextlib
import json
import math
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import aiohttp

from saint_services.lib.clock import stamp
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import InputSample
from tools.bench.browser import BARE, Cost, Place, costs

BUDGET, BUDGET_STILL = 3.0, 2.0
BUDGET_VALUES = 2.5  # a quarter of a core where the bare page costs a tenth
VALUES, VALUES_HZ = 200, 20
PORT = 8397
_SERVER = f"http://127.0.0.1:{PORT}/"
_PAGES = {
    "dashboard": "[data-target=head]", "inputs/rc": "[data-channel='16']", "drive": ".stick",
    "routes": "[data-wire]", "robot": "[data-scene=shown]",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured."""

    values: list[Cost]  # the bare page first, in each
    moving: list[Cost]
    still: list[Cost]


async def measure(seconds: float) -> Figures:
    """Each kind of robot in turn."""
    shown = Place("inputs/livelink", f"[data-value=value_{VALUES - 1}]", BUDGET_VALUES)
    async with _served("--values", str(VALUES)):
        values = await costs(_SERVER, (BARE, shown), seconds)
    async with _served():
        moving = await costs(_SERVER, (BARE, *_places(BUDGET)), seconds)
    async with _served("--still"):
        still = await costs(_SERVER, (BARE, *_places(BUDGET_STILL)), seconds)
    return Figures(values, moving, still)


def _places(budget: float) -> tuple[Place, ...]:
    return tuple(
        Place(address, ready, None if address == "robot" else budget)
        for address, ready in _PAGES.items()
    )


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
        process.terminate()  # it takes its folder with it
        await process.wait()


async def _answers(http: aiohttp.ClientSession) -> bool:
    try:
        async with http.get(_SERVER):
            return True
    except aiohttp.ClientError:
        return False


async def _serve(values: int, *, is_still: bool) -> None:
    import tempfile

    from tests.web.fakes.robot import fake_robot

    task = asyncio.current_task()
    assert task
    # Not SIGINT: a shell's background jobs ignore that one.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    with tempfile.TemporaryDirectory() as directory:
        async with fake_robot(Path(directory), http_port=PORT) as (robot, _, domain):
            robot.is_face_live = not values  # ours instead, of its own subject
            robot.is_still = is_still
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


def _print(found: Figures) -> None:
    for title, costs_ in (
        (f"a browser that shows {VALUES} values at {VALUES_HZ} Hz", found.values),
        ("each page while the robot moves", found.moving),
        ("each page while the robot stands still and says so as often", found.still),
    ):
        bare = costs_[0].median
        print("\n".join((title, *(f"  {each.summary(bare)}" for each in costs_))))


def main() -> None:
    """As a program."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--values", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--still", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        with contextlib.suppress(asyncio.CancelledError):
            asyncio.run(_serve(given.values, is_still=given.still))
        return
    found = asyncio.run(measure(given.seconds))
    if given.json:
        print(json.dumps(asdict(found)))
    else:
        _print(found)


if __name__ == "__main__":
    main()
