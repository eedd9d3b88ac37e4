"""A page in the system's Chromium, on a webd with fake daemons."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.web.fake_robot import FakeRobot, fake_robot
from tests.web.relay import Relay
from tools.screenshots import ARGUMENTS, chromium


class Site:
    """The fake robot and a browser."""

    def __init__(self, robot: FakeRobot, relay: Relay, browser: Any) -> None:
        self.robot = robot
        self.relay = relay
        self.url = f"http://127.0.0.1:{relay.port}/"
        self.browser = browser
        self.faults: list[str] = []

    async def open(self, **options: Any) -> Any:
        """A new page; what it complains about is kept."""
        page = await self.browser.new_page(**options)
        page.set_default_timeout(5000)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", self._heard)
        await page.goto(self.url)
        return page

    def _heard(self, message: Any) -> None:
        if message.type == "error" and "WebSocket" not in message.text:
            self.faults.append(message.text)


async def _site(directory: Path, **options: Any) -> AsyncIterator[Site]:
    path = chromium()
    if path is None:
        pytest.skip("chromium is not installed (apt-get install chromium)")
    from playwright.async_api import async_playwright

    async with fake_robot(directory, **options) as (robot, address, _):
        playing = asyncio.create_task(robot.play())
        relay = Relay(int(address.rpartition(":")[2]))
        await relay.open()
        async with async_playwright() as driver:
            browser = await driver.chromium.launch(executable_path=path, args=list(ARGUMENTS))
            site = Site(robot, relay, browser)
            yield site
            await browser.close()
        await relay.close()
        playing.cancel()
    assert site.faults == []


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    """Without a token, the robot moving."""
    async for each in _site(tmp_path):
        yield each


@pytest.fixture
async def locked_site(tmp_path: Path) -> AsyncIterator[Site]:
    """With a token."""
    async for each in _site(tmp_path, auth=True):
        yield each
