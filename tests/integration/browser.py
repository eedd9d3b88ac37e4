"""The pages of a running robot in the system's Chromium."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.integration.robot import Robot
from tools.screenshots import ARGUMENTS, windowless

LIMIT_MS = 30_000  # a busy computer; a fault shows as well, later


@contextlib.asynccontextmanager
async def page_of(robot: Robot, place: str = "") -> AsyncIterator[Any]:
    """A page at "/name"; fails when the page complained about something."""
    path = windowless()
    if path is None:
        pytest.skip("chromium is not installed (apt-get install chromium)")
    from playwright.async_api import async_playwright

    faults: list[str] = []
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        page = await browser.new_page()
        page.set_default_timeout(LIMIT_MS)
        page.on("pageerror", lambda error: faults.append(str(error)))
        await page.goto(f"{robot.http_url}/{place}")
        yield page
        await browser.close()
    assert faults == []
