"""Pages in the system's Chromium (the one without a window, where it is installed), on a webd with
fake daemons. Browser and event loop are those of the whole session, for both take longer to start
than a test; a page, with its own storage and cookies, and the robot behind it are each test's own.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.web.fakes.robot import FakeRobot, fake_robot
from tests.web.relay import Relay
from tools.screenshots import ARGUMENTS, windowless

_HERE = Path(__file__).parent
LONGEST_MS = 20_000  # a busy computer; a fault shows as well, later


class Site:
    """The fake robot and a browser."""

    def __init__(self, robot: FakeRobot, relay: Relay, address: str, browser: Any) -> None:
        self.robot = robot
        self.relay = relay
        self.url = f"http://{address}/"
        self.browser = browser
        self.faults: list[str] = []

    async def open(self, place: str = "", **options: Any) -> Any:
        """Open a page at "/name" and record its errors."""
        page = await self.browser.new_page(**options)
        page.set_default_timeout(LONGEST_MS)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", self._on_console)
        await page.goto(self.url + place)
        return page

    def _on_console(self, message: Any) -> None:
        if message.type == "error" and "WebSocket" not in message.text:
            self.faults.append(message.text)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test below this folder, which the pure tests leave out."""
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker(pytest.mark.web)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Any]:
    """Start Chromium."""
    path = windowless()
    if path is None:
        pytest.skip("chromium is not installed (apt-get install chromium)")
    from playwright.async_api import async_playwright, expect

    expect.set_options(timeout=LONGEST_MS)
    async with async_playwright() as driver:
        running = await driver.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield running
        await running.close()


async def site_of(
    browser: Any, directory: Path, *, is_relayed: bool = False, **options: Any
) -> AsyncIterator[Site]:
    """Yield one site, for fixtures."""
    async with fake_robot(directory, **options) as (robot, address, _):
        playing = asyncio.create_task(robot.play())
        relay = Relay(int(address.rpartition(":")[2]))
        await relay.open()
        site = Site(robot, relay, f"127.0.0.1:{relay.port}" if is_relayed else address, browser)
        yield site
        for context in browser.contexts:
            await context.close()
        await relay.close()
        playing.cancel()
    assert site.faults == []


@pytest_asyncio.fixture(loop_scope="session")
async def site(browser: Any, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Site]:
    """Yield a site without sign-in, with a moving robot."""
    async for each in site_of(browser, tmp_path, is_relayed="relay" in request.fixturenames):
        yield each


@pytest.fixture
def relay(site: Site) -> Relay:
    """What the pages of this test reach the robot through; of other tests, directly."""
    return site.relay


@pytest_asyncio.fixture(loop_scope="session")
async def locked_site(browser: Any, tmp_path: Path) -> AsyncIterator[Site]:
    """Yield a site that requires sign-in."""
    async for each in site_of(browser, tmp_path, auth=True):
        yield each
