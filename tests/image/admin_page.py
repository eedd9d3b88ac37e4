"""The admin page as the server's own webd sends it, in the browser of this computer."""

import contextlib
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, sync_playwright

from tests.image.rig import HTTP
from tests.image.robot import CLAIM, Robot
from tools.screenshots import ARGUMENTS, chromium
from tools.vm.settings import PATIENCE


@contextlib.contextmanager
def admin_page(robot: Robot, place: str = "") -> Iterator[Page]:
    """The owner has given the token; `place` is what follows in the address, e.g. `#/firmware`."""
    path = chromium()
    if path is None:
        pytest.skip("chromium is not installed (apt-get install chromium)")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        page = browser.new_page()
        page.set_default_timeout(300_000 * PATIENCE)  # an emulated server sends slowly
        page.goto(f"http://127.0.0.1:{robot.server.ports[HTTP]}/{place}")
        page.fill("input[name=token]", CLAIM)
        page.click(".token-form button")
        yield page
        browser.close()
