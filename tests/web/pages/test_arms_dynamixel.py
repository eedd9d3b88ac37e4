"""The page Arms on an arm of Dynamixels, which are not homed."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import expect

from saint_services.lib.api.robot import ChangeRobot
from saint_services.webd.config import AuthSettings, Config
from tests.web.conftest import Site, site_of
from tests.web.fakes.arms import LEADER, TARGET
from tests.web.pages.test_arms import PHONE, look

pytestmark = [
    pytest.mark.web,
    pytest.mark.timeout(180),
    pytest.mark.asyncio(loop_scope="session"),
]


@pytest_asyncio.fixture(loop_scope="session")
async def arm(browser: Any, tmp_path: Path) -> AsyncIterator[Site]:
    """Yield the pages of a robot whose follower has Dynamixels."""
    config = Config(robot="so101_pair", auth=AuthSettings(required=False))
    async for each in site_of(browser, tmp_path, config=config):
        await each.robot.parts.service.change(
            ChangeRobot(),
            "a test",
            lambda loaded: loaded.text.replace(
                "{port: /dev/ttyACM1, driver: feetech}", "{port: /dev/ttyACM1, driver: dynamixel}"
            ).replace(
                "{port: /dev/ttyACM0, driver: feetech}", "{port: /dev/ttyACM0, driver: dynamixel}"
            ),
        )
        yield each


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_dynamixels_are_measured_by_command(arm: Site, scheme: str) -> None:
    page = await arm.open(f"arms/calibrate/{TARGET}", color_scheme=scheme)
    card = page.locator("[data-by-command]")
    await expect(card).to_contain_text("saintctl arm calibrate PORT FILE --protocol x")
    await expect(page.locator("[data-home], [data-prepare], [data-save]")).to_have_count(0)
    await expect(page.locator("[data-import]")).to_have_count(1)
    await expect(page.locator(".arm-ids")).to_contain_text("--id 6 --protocol x   # gripper")
    await look(page, f"arms-calibrate-dynamixel-{scheme}")


async def test_leader_of_dynamixels_too(arm: Site) -> None:
    page = await arm.open(f"arms/calibrate/{LEADER}", viewport=PHONE)
    await expect(page.locator("[data-by-command]")).to_have_count(1)
    await look(page, "arms-calibrate-dynamixel-phone")
