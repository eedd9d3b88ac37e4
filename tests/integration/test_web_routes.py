"""The routes' page on the whole robot: a stick that is pulled onto the head's pan moves it, until
that is undone.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from saint_services.lib.api import routing
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.routing import FieldOutput, Route
from tests.integration.browser import page_of
from tests.integration.robot import Robot
from tests.integration.senders import CENTRE, RECORDED_RC, transmitter
from tests.waiting import until
from tools.feed import pack_channels, unpack_channels
from tools.sim.observe import PinWatch

SIZE = {"width": 1280, "height": 1400}
INSIDE = {"x": 30, "y": 10}  # a row
PAN = 12  # manifests/roles/head.yaml: 500 to 2500 us for -180 to 180 degrees
MIDDLE_US = 1500
FULL = 820  # of a CRSF channel from its middle


def turned(channel: int, share: float) -> bytes:
    """A frame as recorded with one more stick moved."""
    channels = unpack_channels(RECORDED_RC[0])
    channels[channel - 1] = CENTRE + round(FULL * share)
    return pack_channels(channels)


async def pan(robot: Robot) -> FieldOutput:
    async with robot.client("routerd") as routerd:
        return await routerd.request(routing.GET_OUTPUT, routing.OutputParams(output="head.pan"))


async def routes(robot: Robot) -> list[Route]:
    async with robot.client("routerd") as routerd:
        return [
            info.route for info in (await routerd.request(routing.LIST_ROUTES, Nothing())).routes
        ]


async def pull(page: Any, name: str, field: str) -> None:
    """With the mouse from an input to an output."""
    await page.locator(f"[data-input='{name}']").hover(position=INSIDE)
    await page.mouse.down()
    await page.locator(f"[data-output='{field}']").hover(position=INSIDE)
    await page.mouse.up()


@pytest.fixture
def head(robot: Robot) -> Iterator[PinWatch]:
    watch = PinWatch(robot.hw("head"))
    yield watch
    watch.close()


async def test_a_pulled_mapping_moves_the_head_until_it_is_undone(
    robot: Robot, head: PinWatch
) -> None:
    before = await routes(robot)
    # Between two places: after an e-stop of another test a stick counts only once it moves.
    with transmitter(robot, [turned(4, 0.4)] * 20 + [turned(4, 0.6)] * 20):
        async with page_of(robot, "routes") as page:
            await page.set_viewport_size(SIZE)
            await page.click("[data-source=rc]:not([data-stale]) [data-wide]")
            await pull(page, "rc channel_4", "head.pan")
            await page.wait_for_selector("[data-now]:has-text('commands')")
            assert (await pan(robot)).winner == ""  # the dialog alone moves nothing
            await page.click("[data-make]")
            await page.wait_for_selector("[data-wire='rc_head > head.pan'].is-winner")
            assert (await pan(robot)).source == "rc"
            await until(lambda: head.read(PAN).value > MIDDLE_US + 100)  # on its way to 90 degrees
            await page.click("[data-undo]")
            await page.wait_for_selector("[data-wire='rc_head > head.pan']", state="detached")
            assert (await pan(robot)).winner == ""
    assert await routes(robot) == before
