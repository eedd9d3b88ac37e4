"""The activity log over a restart of webd: what users see of it comes from the audit log."""

from pathlib import Path

import aiohttp

from tests.waiting import every
from tests.web.fakes.robot import fake_robot


async def texts(address: str) -> list[str]:
    """Return the sentences of the activity log, newest first."""
    url = f"http://{address}/api/v1/management/get_activity_log"
    async with (
        aiohttp.ClientSession() as http,
        http.post(url, json={}, headers={"Origin": f"http://{address}"}) as answer,
    ):
        return [entry["text"] for entry in (await answer.json())["entries"]]


async def test_activity_survives_a_restart_of_the_server(tmp_path: Path) -> None:
    async with fake_robot(tmp_path) as (robot, address, _):
        robot.set_estop(True, "rc", "switch")
        async for _ in every(0.05, times=60):
            if await texts(address):
                break
        before = await texts(address)
        assert before == ["Emergency stop by RC: switch"]
    async with fake_robot(tmp_path) as (_, address, _):
        assert "Emergency stop by RC: switch" in await texts(address)
