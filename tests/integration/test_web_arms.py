"""The page Arms of the SO-101 pair in real processes, on simulated servos: an arm is calibrated by
hand, driven by its panel while a second browser shows the lock, recorded, and played.
"""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.async_api import expect

from saint_services.lib.api import robot as robots
from saint_services.lib.api import routing
from saint_services.lib.api.endpoint import Endpoint, Nothing
from saint_services.lib.api.routing import EStopClear
from tests.integration.browser import LIMIT_MS, page_of
from tests.integration.robot import Robot, running_robot
from tests.waiting import until
from tools.sim.chips.servo_bus import ServoBusPeer, servo_file

# Two browsers beside a whole robot: too slow for a computer that does other work meanwhile.
pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]
NODE, TARGET, PORT = "arms", "parts.follower", "/dev/ttyACM0"
ENDS = {1: (800, 3300), 2: (900, 3200), 3: (950, 3150), 4: (960, 3130), 6: (2000, 3200)}
MIDDLE = 2100


@pytest.fixture(scope="module")
def pair() -> Iterator[Robot]:
    expect.set_options(timeout=LIMIT_MS)
    with running_robot("--robot", "so101_pair") as robot:
        seen = asyncio.run(request(robot, "routerd", routing.GET_STATUS, Nothing()))
        clear = EStopClear(source="test", generation=seen.estop.generation)
        asyncio.run(request(robot, "routerd", routing.CLEAR_ESTOP, clear))
        yield robot


async def request(robot: Robot, daemon: str, row: Endpoint[Any, Any], body: Any) -> Any:
    async with robot.client(daemon) as client:
        return await client.request(row, body)


async def part(robot: Robot, name: str) -> dict[str, Any]:
    found = await request(robot, "adoptiond", robots.LIST_PARTS, Nothing())
    (one,) = [p for p in found.parts if (p.target, p.name) == (TARGET, name)]
    hardware: dict[str, Any] = one.hardware
    return hardware


async def moved_by_hand(robot: Robot, page: Any) -> None:
    """Turn every joint to both of its ends, and back, as slowly as the page looks: a step of more
    than half a turn is the seam to it.
    """
    for servo, ends in ENDS.items():
        for place in (ends[0], MIDDLE, ends[1], MIDDLE):
            await asyncio.to_thread(put, robot, {servo: place})
            name = f"[data-range]:nth-of-type({servo}) .number"
            await expect(page.locator(name)).to_contain_text(f"… {place - MIDDLE + 2047} …")


def put(robot: Robot, places: dict[int, int]) -> None:
    peer = ServoBusPeer(robot.hw(NODE) / servo_file(PORT))
    for servo, place in places.items():
        peer.servo(servo).shaft = float(place)
    peer.close()


def place_of(robot: Robot, servo: int) -> int:
    peer = ServoBusPeer(robot.hw(NODE) / servo_file(PORT))
    found = peer.servo(servo).position
    peer.close()
    return found


async def test_arm_is_calibrated_by_hand(pair: Robot) -> None:
    await asyncio.to_thread(put, pair, dict.fromkeys(range(1, 7), MIDDLE))
    async with page_of(pair, f"arms/calibrate/{TARGET}") as page:
        await page.click("[data-prepare]")
        home = page.locator("[data-home]")
        await expect(home).to_be_enabled(timeout=90_000)
        await home.click()
        await expect(page.locator("[data-save]")).to_be_disabled()
        await moved_by_hand(pair, page)
        await page.click("[data-save]")
        await expect(page.locator("[data-done]")).to_contain_text("saved", timeout=90_000)
    pan = await part(pair, "shoulder_pan")
    assert pan["homing_offset"] == MIDDLE - 2047
    assert pan["ticks"] == [800 - 53, 3300 - 53]
    assert (await part(pair, "wrist_roll"))["ticks"] == [0, 4095]


async def test_panel_drives_and_a_second_browser_shows_the_lock(pair: Robot) -> None:
    async with page_of(pair, "arms") as page, page_of(pair, "arms") as other:
        await expect(page.locator(".pages a[href='/arms']")).to_have_attribute(
            "aria-current", "page"
        )
        slider = page.locator("[data-joint=shoulder_pan] input")
        await expect(slider).to_be_enabled(timeout=90_000)
        start = await asyncio.to_thread(place_of, pair, 1)
        await page.click("[data-take]")
        await expect(page.locator("[data-holder]")).to_contain_text("This page")
        await expect(other.locator("[data-locked]")).to_contain_text("has this arm")
        await expect(other.locator("[data-joint=shoulder_pan] input")).to_be_disabled()
        await hold(page, slider, 0.8)

        async def has_moved() -> bool:
            return await asyncio.to_thread(place_of, pair, 1) > start + 100

        await until(has_moved, 60.0)
        await page.mouse.up()
        await page.click("[data-free]")
        await expect(other.locator("[data-locked]")).to_have_count(0)


async def test_movement_is_recorded_played_and_deleted(pair: Robot) -> None:
    async with page_of(pair, "arms/sequences") as page:
        await page.fill("[data-name]", "nod")
        await page.click("[data-record]")
        await page.locator("[data-recording]").wait_for()
        await page.click(".tabs a[href='/arms']")
        slider = page.locator("[data-joint=wrist_flex] input")
        await expect(slider).to_be_enabled(timeout=90_000)
        await hold(page, slider, 0.7)
        start = await asyncio.to_thread(place_of, pair, 4)

        async def has_moved() -> bool:
            return abs(await asyncio.to_thread(place_of, pair, 4) - start) > 60

        await until(has_moved, 60.0)
        await page.mouse.up()
        await page.click(".tabs a[href='/arms/sequences']")
        await page.click("[data-finish]")
        row = page.locator("[data-sequence=nod]")
        await expect(row).to_contain_text("recorded from websocket:")
        await row.locator("[data-play]").click()
        await expect(row.locator("[data-state]")).to_contain_text("played to the end")
        await row.locator("[data-delete]").click()
        await page.click("[data-confirm]")
        await expect(row).to_have_count(0)


async def hold(page: Any, slider: Any, share: float) -> None:
    """Press the slider at a share of its width, and keep it pressed."""
    await slider.scroll_into_view_if_needed()
    box = await slider.bounding_box()
    await page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
    await page.mouse.down()
