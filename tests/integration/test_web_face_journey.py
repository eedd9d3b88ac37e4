"""The journey of the owner of a new animatronic face, on the whole robot in Chromium: a board with
one PCA9685 becomes a face of twelve servos whose ranges were tried and which follows a phone. Each
click and each held button is counted. The same robot then by one file.
"""

import asyncio
import json
import math
import re
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.async_api import expect

from saint_services.lib.api import livelink
from saint_services.lib.api import robot as rows
from saint_services.lib.api.adoption import (
    ADOPT_NODE,
    LIST_NODES,
    RESET_NODE,
    AdoptNode,
    ResetNode,
)
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.livelink import SubjectRef
from saint_services.lib.errors import Code, SaintError
from saint_services.livelinkd.protocols.names import FACE
from tests.integration.browser import page_of
from tests.integration.robot import Robot, running_robot
from tests.integration.senders import RECORDED_FACE
from tests.waiting import until
from tools.feed import renumbered
from tools.sim.observe import read_pca9685

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(1500),
]

MOST_CLICKS, MOST_S = 80, 600.0
BOARD, TARGET = "spare", "parts.face"
PARTS = (
    "brow_left", "brow_right", "lid_upper_left", "lid_upper_right", "lid_lower_left",
    "lid_lower_right", "eye_pan", "eye_tilt", "jaw", "lip_left", "lip_right", "neck_tilt",
)  # fmt: skip
PHONE = "FaceCapture-p"
AGAINST = re.compile("Down|Frown|InLeft|OutRight")  # shapes that pull a part the other way
READY = re.compile("Hold a button|Released at")
SLOW_S = 60.0  # a busy computer
STILL_S, MOVING_S, RATE_HZ = 25.0, 240.0, 60
WARNING_S = 5.0  # before the face begins to move its tongue is out


def performance() -> Iterator[tuple[float, bytes]]:
    """A phone that sees a still face and then one that moves everything again and again."""
    template = RECORDED_FACE[0]
    start = len(template) - 4 * len(FACE)
    for number in range(round((STILL_S + MOVING_S) * RATE_HZ)):
        at_s = number / RATE_HZ
        is_moving = at_s >= STILL_S
        swing = 0.5 - 0.5 * math.cos(2 * math.pi * (at_s - STILL_S) / 1.6)
        shake = 0.004 * math.sin(number * 2.3) * math.cos(number * 0.7)
        values = {
            name: 0.06
            + 0.7 * is_moving * (1 - swing if AGAINST.search(name) else swing)
            + abs(shake)
            for name in FACE
        }
        values |= dict.fromkeys(FACE[-9:], 0.0)
        values["headPitch"] = 0.35 * math.sin(2 * math.pi * at_s / 1.6) if is_moving else shake
        values["tongueOut"] = float(STILL_S - WARNING_S <= at_s < STILL_S)
        packed = struct.pack(f">{len(FACE)}f", *(values[name] for name in FACE))
        yield at_s, renumbered(template[:start], number) + packed


def store_recording(robot: Robot) -> None:
    """Put the recording where livelinkd keeps its own."""
    folder = robot.state("server", "livelinkd") / "recordings"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        json.dumps(
            {"t_us": round(at_s * 1e6), "format": "llf", "from": "192.168.1.50:50000",
             "hex": datagram.hex()}
        )
        for at_s, datagram in performance()
    ]  # fmt: skip
    (folder / "owner.jsonl").write_text("\n".join(lines) + "\n")


@pytest.fixture
def robot() -> Iterator[Robot]:
    """A server, a board that nobody has adopted, and no other."""
    with running_robot("--robot", "rover") as robot:
        yield robot


async def freed(robot: Robot) -> None:
    """Take the role from the node of the template that the server came with."""
    async with robot.client("adoptiond") as adoptiond:
        await adoptiond.request(RESET_NODE, ResetNode(node_id="sim_tracks", factory_reset=True))


async def pulses(robot: Robot) -> list[float]:
    found = await asyncio.to_thread(read_pca9685, robot.hw(BOARD), 1, 0x40)
    return [found[channel].value for channel in range(len(PARTS))]


class Owner:
    """Uses the pages with one finger, and counts."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.clicks = 0
        self.began_s = time.monotonic()
        self.laps: list[tuple[str, int, float]] = []

    async def click(self, selector: str, **options: Any) -> None:
        self.clicks += 1
        await self.page.click(selector, timeout=SLOW_S * 1000, **options)

    async def hold(self, way: int, is_enough: Callable[[float], bool]) -> None:
        """Hold a button until the part has gone far enough, or to its limit."""
        self.clicks += 1
        page = self.page
        ready = page.locator("[data-jog]", has_text=READY)
        await ready.wait_for(timeout=SLOW_S * 1000)
        await page.hover(f"[data-way='{way}']")
        await page.mouse.down()

        async def is_there() -> bool:
            says = await page.inner_text("[data-jog]")
            return "limit reached" in says or is_enough(await self.position())

        await until(is_there, SLOW_S)
        await page.mouse.up()

    async def position(self) -> float:
        text = str(await self.page.inner_text("[data-position]"))
        return float(text.replace("\u2212", "-").rstrip("°% "))

    def lap(self, what: str) -> None:
        self.laps.append((what, self.clicks, time.monotonic() - self.began_s))

    def report(self) -> str:
        return "\n".join(f"{what}: {clicks} clicks, {s:.0f} s" for what, clicks, s in self.laps)


async def test_face_of_twelve_servos_from_nothing_follows_a_phone(robot: Robot) -> None:
    store_recording(robot)
    await freed(robot)
    async with page_of(robot) as page:
        owner = Owner(page)
        await page.wait_for_selector("[data-node=sim_spare]")
        owner.began_s = time.monotonic()
        await choose_template(owner)
        await adopt(owner)
        await set_ranges(owner)
        await play(owner)
        await map_face(owner, robot)
        await every_servo_follows(robot)
        owner.lap("every servo follows")
        print(owner.report())
        assert owner.clicks <= MOST_CLICKS, owner.report()
        assert time.monotonic() - owner.began_s <= MOST_S, owner.report()
    text = await exported(robot)
    await same_robot_by_one_file(text)


async def choose_template(owner: Owner) -> None:
    await owner.click(".pages a[href='/parts']")
    await owner.click(".tabs a[href='/parts/templates']")
    await owner.click("[data-template=face] button")
    await owner.click("[data-use]:enabled")
    await owner.click("[data-confirm]")
    await owner.page.wait_for_selector("[data-applied]", timeout=SLOW_S * 1000)
    owner.lap("template chosen")


async def adopt(owner: Owner) -> None:
    page = owner.page
    await owner.click(".pages a[href='/nodes']")
    await owner.click("[data-node=sim_spare] [data-adopt]")
    await owner.click("input[value='parts/face']")
    await page.wait_for_selector("[data-fit=ready]", timeout=SLOW_S * 1000)  # the chip was found
    await owner.click("[data-confirm]")
    await page.wait_for_selector("[data-phase=done]", timeout=SLOW_S * 1000)
    owner.lap("chip found, node adopted")


async def set_ranges(owner: Owner) -> None:
    """Name the last part as the owner does, and try them all: a tenth of the range each way."""
    page = owner.page
    await owner.click(".pages a[href='/parts']")
    await owner.click(f"[data-part='{TARGET}.{PARTS[0]}']")
    for number, part in enumerate(PARTS):
        await page.wait_for_selector(f"[data-open='{TARGET}.{part}']", timeout=SLOW_S * 1000)
        low, high = await limits(page)
        enough = (high - low) / 10
        start = await owner.position()
        await owner.hold(-1, below(start - enough))
        await owner.hold(1, above(start + enough))
        await owner.click("[data-mark=tried]")
        if number < len(PARTS) - 1:
            await owner.click("[data-next]")
    await page.fill("[name=rename]", "nod")
    await owner.click("[data-save]:enabled")  # at once: the last part still returns to its centre
    await page.wait_for_selector(f"[data-open='{TARGET}.nod']", timeout=SLOW_S * 1000)
    owner.lap("ranges tried, part named")


def below(end: float) -> Callable[[float], bool]:
    return lambda at: at < end


def above(end: float) -> Callable[[float], bool]:
    return lambda at: at > end


async def limits(page: Any) -> tuple[float, float]:
    low, high = [
        float(await page.input_value(f"[name=limits-{end}]")) for end in ("lower", "upper")
    ]
    unit = await page.inner_text("[data-position]")
    return (low * 100, high * 100) if unit.endswith("%") else (low, high)


async def play(owner: Owner) -> None:
    await owner.click(".pages a[href='/inputs']")
    await owner.click(".tabs a[href='/inputs/livelink']")
    await owner.click("[data-recording=owner] [data-loop]")
    owner.lap("recording plays")


async def map_face(owner: Owner, robot: Robot) -> None:
    page = owner.page
    await owner.click(f"[data-subject='{PHONE}'] [data-face-wizard]")
    await page.wait_for_selector("[data-face=choice]")
    owner.clicks += 2  # the list and the part in it
    await page.select_option("[data-part=neck_tilt] select", f"{TARGET}.nod")
    await owner.click("[data-begin]:enabled")
    await page.wait_for_selector("[data-face=rest]")
    await until(lambda: tongue_is_out(robot), STILL_S + MOVING_S + SLOW_S, pause_s=0.1)
    await owner.click("[data-measure]")
    await page.wait_for_selector("[data-face=review]", timeout=180_000)
    await expect(page.locator("[data-face=review] h2")).to_have_text("12 routes")
    await owner.click("[data-save]")
    await page.wait_for_selector("[data-face=saved]")
    owner.lap("face mapped")


async def every_servo_follows(robot: Robot) -> None:
    """Each channel moves by more than the resolution of the chip, again and again."""
    lowest, highest = await pulses(robot), await pulses(robot)

    async def all_moved() -> bool:
        now = await pulses(robot)
        lowest[:] = map(min, lowest, now)
        highest[:] = map(max, highest, now)
        return all(high - low > 20 for low, high in zip(lowest, highest, strict=True))

    await until(all_moved, SLOW_S, lambda: f"{lowest} {highest}\n{robot.diagnosis()}", pause_s=0.02)


async def exported(robot: Robot) -> str:
    async with robot.client("adoptiond") as adoptiond:
        return (await adoptiond.request(rows.GET_ROBOT, Nothing())).text


async def same_robot_by_one_file(text: str) -> None:
    """A second board becomes the same robot by one command, and its adoption by one more."""
    with running_robot("--robot", "rover") as second:
        await freed(second)
        file = second.root / "face.yaml"
        file.write_text(text)
        before = second.pids()["server", "adoptiond"]
        applied = await asyncio.to_thread(saintctl, second, "robot", "apply", str(file))
        assert applied.returncode == 0, applied.stdout + applied.stderr
        # The server starts again with other roles.
        await until(lambda: second.pids().get(("server", "adoptiond"), before) != before, SLOW_S)
        await until(lambda: is_adopted(second), SLOW_S, second.diagnosis, pause_s=0.5)
        assert await exported(second) == text
        await until(lambda: moved(second), SLOW_S, second.diagnosis, pause_s=0.5)


async def is_adopted(robot: Robot) -> bool:
    """Adopt the board as soon as the server has found it."""
    try:
        async with robot.client("adoptiond") as adoptiond:
            found = await adoptiond.request(LIST_NODES, Nothing())
            if not any(each.node_id == "sim_spare" and each.is_offered for each in found.nodes):
                return False
            wanted = AdoptNode(node_id="sim_spare", role="parts", instance="face")
            await adoptiond.request(ADOPT_NODE, wanted)
    except SaintError as err:
        if err.code is not Code.DAEMON_UNREACHABLE:
            raise
        return False
    return True


async def moved(robot: Robot) -> bool:
    found = []
    for jaw in ("jaw=0", "jaw=1"):
        await asyncio.to_thread(saintctl, robot, "parts", "set", TARGET, jaw, "--seconds", "1")
        found.append((await pulses(robot))[8])
    return abs(found[1] - found[0]) > 20


def saintctl(robot: Robot, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "saint_services.saintctl", "--run", str(robot.run()), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


async def tongue_is_out(robot: Robot) -> bool:
    """Whether the recording says that its face moves soon."""
    async with robot.client("livelinkd") as client:
        try:
            wanted = SubjectRef(subject_name=PHONE)
            found = await client.request(livelink.GET_SUBJECT, wanted)
        except SaintError:
            return False
    return found.values.get("tongueOut", 0.0) > 0.5
