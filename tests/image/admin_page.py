"""The admin page as the server's own webd sends it, in the browser of this computer."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from tests.image.rig import HTTP
from tests.image.robot import CLAIM, Robot
from tools.screenshots import ARGUMENTS, windowless
from tools.vm.settings import PATIENCE

FAILED = Path("build/image/admin-page.png")  # what it showed when a test gave up
PASSWORD = "image tests own it"


@contextlib.contextmanager
def admin_page(robot: Robot, place: str = "") -> Iterator[Page]:
    """The owner is signed in; `place` is what follows in the address, e.g. `firmware`."""
    path = windowless()
    if path is None:
        pytest.skip("chromium is not installed (apt-get install chromium-headless-shell)")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        page = browser.new_page()
        page.set_default_timeout(300_000 * PATIENCE)  # an emulated server sends slowly
        page.goto(f"http://127.0.0.1:{robot.server.ports[HTTP]}/{place}")
        try:
            _sign_in(page)
            yield page
        except BaseException:
            page.screenshot(path=FAILED)
            raise
        finally:
            browser.close()


def _sign_in(page: Page) -> None:
    """The first time the robot is claimed; its code goes on serving the other tests as a token."""
    page.wait_for_selector(".login")
    if page.locator("input[name=code]").count():
        page.fill("input[name=code]", CLAIM)
        page.check("input[name=keeps_code]")
    page.fill("input[name=name]", "owner")
    page.fill("input[name=password]", PASSWORD)
    page.click(".login button[type=submit]")
