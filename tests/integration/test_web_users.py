"""Who comes in, on the whole robot: a token by the page, by saintctl, in the audit log."""

import asyncio
import json
import sys

import aiohttp
import pytest

from tests.integration.browser import LIMIT_MS, page_of
from tests.integration.robot import Robot

pytestmark = pytest.mark.timeout(120)


async def saintctl(robot: Robot, *words: str) -> str:
    """What it prints."""
    arguments = (sys.executable, "-m", "saint_services.saintctl", "--run", str(robot.run()))
    process = await asyncio.create_subprocess_exec(
        *arguments, *words, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(60):
        printed, _ = await process.communicate()
    assert process.returncode == 0
    return printed.decode()


async def test_token_made_on_the_page_is_known_everywhere(robot: Robot) -> None:
    async with page_of(robot, "settings/users") as page:
        await page.locator("[data-open]").wait_for(timeout=LIMIT_MS)
        await page.click("[data-add-token]")
        await page.fill(".dialog input[name=name]", "workshop panel")
        await page.check(".dialog input[value=viewer]")
        await page.click("[data-confirm]")
        secret = await page.locator("[data-secret]").input_value()
    assert len(secret) >= 40
    tokens = json.loads(await saintctl(robot, "token", "list", "--json"))["tokens"]
    assert [(token["name"], token["role"]) for token in tokens] == [("workshop panel", "viewer")]
    await saintctl(robot, "token", "revoke", "workshop panel")
    reported = json.loads(await saintctl(robot, "audit", "list", "--json"))["entries"]
    assert [entry["what"] for entry in reported[:2]] == ["users revoke_token", "users add_token"]
    async with aiohttp.ClientSession() as http, http.get(f"{robot.http_url}/api/session") as answer:
        assert (await answer.json())["via"] == "open"
