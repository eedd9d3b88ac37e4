"""A bundle from a browser into the server's store, past the real otad; and one that it refuses."""

import asyncio
from pathlib import Path

import pytest

from saint_services.lib.api.firmware import FirmwareReport
from tests.integration.browser import page_of
from tests.integration.robot import Robot
from tools.fake_rauc import bus_daemon
from tools.fake_rauc.__main__ import make_release
from tools.fake_rauc.bundle_writer import Release, make_keys, write_bundle

pytestmark = [
    pytest.mark.timeout(240),
    pytest.mark.skipif(bus_daemon.program() is None, reason="needs dbus-daemon"),
]
VERSION = "0.9.1"


async def releases(robot: Robot) -> dict[str, str]:
    """What otad has: version, changelog."""
    async with robot.client("otad") as otad:
        report = await otad.get("/status", FirmwareReport)
    return {each.version: each.changelog for each in report.releases}


async def test_bundle_uploaded_on_the_page_is_in_the_servers_store(robot: Robot) -> None:
    bundle = await asyncio.to_thread(make_release, robot.root, VERSION, changelog="By a browser")
    async with page_of(robot, "firmware") as page:
        await page.wait_for_selector("[data-robot-version]")
        await page.set_input_files("input[type=file]", bundle)
        await page.wait_for_selector("[data-upload=done]")
        card = page.locator(f"[data-release='{VERSION}']")
        assert "By a browser" in await card.inner_text()
        assert (await releases(robot))[VERSION] == "By a browser"
        await card.locator("[data-delete]").click()
        await page.click("[data-confirm]")
        await card.wait_for(state="detached")
    assert VERSION not in await releases(robot)


async def test_bundle_of_another_maker_is_refused_on_the_page_with_the_reason(
    robot: Robot, tmp_path: Path
) -> None:
    keys = await asyncio.to_thread(make_keys, tmp_path / "foreign")
    foreign = Release(version=VERSION)
    bundle = await asyncio.to_thread(write_bundle, tmp_path / "x.raucb", foreign, keys)
    async with page_of(robot, "firmware") as page:
        await page.wait_for_selector("[data-robot-version]")
        await page.set_input_files("input[type=file]", bundle)
        refused = page.locator("[data-upload=refused]")
        await refused.wait_for()
        assert "key" in await refused.inner_text()
    assert VERSION not in await releases(robot)
