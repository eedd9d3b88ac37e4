"""The examples of the page "API" work as they stand there, copied from a running robot's page."""

import asyncio
import json
import shutil
import sys

import pytest

from tests.integration.browser import page_of
from tests.integration.robot import ROOT, Robot

LIMIT_S = 60


async def done(*words: str) -> str:
    """What it prints."""
    process = await asyncio.create_subprocess_exec(
        *words, cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(LIMIT_S):
        out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return out.decode()


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
async def test_examples_copied_from_the_page_ask_the_robot(robot: Robot) -> None:
    async with page_of(robot, "reference/system") as page:
        await page.click("[data-request^=system_describe] summary")
        shown = page.locator("[data-request^=system_describe] pre")
        curl, python, _ = await shown.all_text_contents()
    by_curl = json.loads(await done("bash", "-c", curl))
    by_python = await done(sys.executable, "-c", python)
    assert by_curl["robot"] == "SAINT-01" and "'robot': 'SAINT-01'" in by_python
