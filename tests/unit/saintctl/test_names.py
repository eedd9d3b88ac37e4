"""Completion by the Tab key, requested as a shell does."""

import asyncio
import os

import pytest
from typer.testing import CliRunner

from saint_services.saintctl.app import app
from tests.web.fakes.robot import FakeRobot


async def completed(line: str) -> list[str]:
    """Return the names that bash would show after this line."""
    words = line.split(" ")
    environment = {
        **os.environ,
        "_SAINTCTL_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    result = await asyncio.to_thread(
        CliRunner().invoke, app, [], prog_name="saintctl", env=environment
    )
    return result.stdout.split()


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("node show sim_arm", ["sim_arm_left", "sim_arm_right"]),
        ("node adopt sim_sp", ["sim_spare"]),
        ("route enable rc_d", ["rc_drive"]),
        ("livelink show Face", ["FaceCapture"]),
        ("route preset load nothing_like", []),
    ],
)
async def test_names_of_this_robot_are_completed(
    robot: FakeRobot, line: str, names: list[str]
) -> None:
    assert await completed(f"saintctl --run {robot.runtime} {line}") == names


async def test_no_robot_completes_nothing_without_an_error() -> None:
    assert await completed("saintctl --run /nowhere node show s") == []
