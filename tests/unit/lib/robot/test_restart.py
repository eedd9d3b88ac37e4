"""A daemon restarts for another robot, and for nothing else."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from saint_services.lib.config import Settings
from saint_services.lib.daemon import Context, RestartWantedError, running
from saint_services.lib.machine.service_manager import Directories
from saint_services.lib.robot.restart import restart_when_changed
from saint_services.lib.robot.source import RobotPlaces, load_robot, template_text
from tests.waiting import stays, until

SHARE = Path(__file__).resolve().parents[4]
SAINT = template_text(SHARE / "manifests", "saint")


async def restarted(
    tmp_path: Path, text: str, mark: str, settled: Callable[[], Awaitable[None]] | None = None
) -> bool:
    """Whether a daemon that has read the template restarts once another text is in force."""
    directories = Directories(tmp_path, tmp_path / "state/testd", tmp_path / "run", SHARE)
    places = RobotPlaces.of(directories, "saint")
    read = (await asyncio.to_thread(load_robot, places)).mark

    async def run(context: Context[Settings]) -> None:
        context.ready()
        await context.stopping.wait()

    try:
        async with running("testd", Settings(), run, directories) as context:
            look = restart_when_changed(context, places, read, settled)
            if text:
                await asyncio.to_thread(places.own.mkdir, parents=True)
                await asyncio.to_thread(places.file.write_text, text)
            look(mark or read)
            if text and mark:
                await until(context.stopping.is_set)
            else:
                await stays(lambda: not context.stopping.is_set(), 0.7)
    except RestartWantedError:
        return True
    return False


async def test_daemon_restarts_when_another_robot_is_in_force(tmp_path: Path) -> None:
    assert await restarted(tmp_path, SAINT.replace("SAINT-01", "Robi"), "another")


async def test_restart_comes_after_what_must_end_before(tmp_path: Path) -> None:
    ended: list[bool] = []

    async def settled() -> None:
        ended.append(True)

    assert await restarted(tmp_path, SAINT.replace("SAINT-01", "Robi"), "another", settled)
    assert ended == [True]


async def test_daemon_goes_on_with_the_same_robot(tmp_path: Path) -> None:
    assert not await restarted(tmp_path, "", "")


async def test_daemon_whose_own_settings_name_another_robot_never_restarts_for_it(
    tmp_path: Path,
) -> None:
    """adoptiond.yaml and webd.yaml may differ: a restart would change nothing, again and again."""
    assert not await restarted(tmp_path, "", "the mark of another template")
