"""What the Tab key offers, asked as a shell asks."""

import asyncio
import os

import pytest
from typer.testing import CliRunner

from saint_services.saintctl.app import app
from tests.web.fakes.robot import FakeRobot


async def offered(line: str) -> list[str]:
    """The names that bash would show after this line."""
    words = line.split(" ")
    asked = {
        **os.environ,
        "_SAINTCTL_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    result = await asyncio.to_thread(CliRunner().invoke, app, [], prog_name="saintctl", env=asked)
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
async def test_names_of_this_robot_are_offered(
    robot: FakeRobot, line: str, names: list[str]
) -> None:
    assert await offered(f"saintctl --run {robot.runtime} {line}") == names


async def test_no_robot_offers_nothing_and_tells_no_fault() -> None:
    assert await offered("saintctl --run /nowhere node show s") == []
