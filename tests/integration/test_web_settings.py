"""Logs, backup and restore on the whole robot, by its pages and by saintctl."""

import asyncio
import sys
from pathlib import Path

import pytest

from saint_services.lib.api import routing
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.rc import FailsafeInfo, SetFailsafe
from saint_services.lib.backup.archive import unpack
from tests.integration.browser import page_of
from tests.integration.robot import Robot

pytestmark = pytest.mark.timeout(240)


async def saintctl(robot: Robot, *words: str) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "saint_services.saintctl", "--run", str(robot.run("server")), *words,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    out, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode()


async def test_backup_taken_and_restored_on_the_page(robot: Robot, tmp_path: Path) -> None:
    file = tmp_path / "robot.zip"
    async with robot.client("rcd") as rcd, robot.client("routerd") as routerd:
        before = await rcd.get("/failsafe", FailsafeInfo)
        routes = await routerd.request(routing.LIST_ROUTES, Nothing())
        async with page_of(robot, "settings/backup") as page:
            async with page.expect_download() as started:
                await page.click("[data-backup]")
            await (await started.value).save_as(file)
            assert {"adoptiond", "rcd", "routerd"} <= unpack(file.read_bytes()).daemons.keys()
            changed = SetFailsafe(timeout_ms=before.timeout_ms + 30)
            await rcd.post("/failsafe", changed, FailsafeInfo)
            first = routes.routes[0].route
            other = routing.RouteEnabled(route_id=first.id, enabled=not first.enabled)
            await routerd.request(routing.SET_ROUTE_ENABLED, other)
            await page.set_input_files(".file-input", file)
            await page.click("[data-restore]")
            await page.wait_for_selector("[data-toast=good]")
        assert await rcd.get("/failsafe", FailsafeInfo) == before
        again = await routerd.request(routing.LIST_ROUTES, Nothing())
        assert [info.route for info in again.routes] == [info.route for info in routes.routes]


async def test_logs_of_a_node_are_shown_on_the_page(robot: Robot) -> None:
    async with page_of(robot, "logs") as page:
        await page.wait_for_selector(".log-line")
        await page.select_option("select[name=node]", "head")
        await page.wait_for_selector(".log-line >> text=role-headd")


async def test_doctor_knows_the_robot_and_log_shows_a_daemon(robot: Robot) -> None:
    code, said = await saintctl(robot, "doctor", "--all")
    assert code in (0, 1) and "RC link" in said and "checks:" in said
    words = ("--source", "routerd", "--search", "ready")
    code, said = await saintctl(robot, "log", "show", *words)
    assert code == 0 and "routerd: ready" in said
