"""`saintctl route face` leads through the steps and saves a route for each part."""

from collections.abc import Iterator

import pytest

from tests.unit.saintctl.conftest import RunSaintctl
from tests.web.fakes.robot import FakeRobot

pytestmark = pytest.mark.slow


@pytest.fixture
def typed() -> Iterator[str]:
    yield "\n" * 6  # Enter at each of the six steps


async def test_templates_are_listed_with_the_outputs_of_the_robot(saintctl: RunSaintctl) -> None:
    result = await saintctl("route", "face")
    assert result.exit_code == 0, result.output
    assert "jaw_eyes" in result.output and "head.jaw, head.eye_pan" in result.output


async def test_measured_steps_become_routes_after_a_yes(
    saintctl: RunSaintctl, robot: FakeRobot, typed: str
) -> None:
    result = await saintctl("route", "face", "jaw_eyes", typed=f"{typed}y\n")
    assert result.exit_code == 0, result.output
    assert "3 routes were saved" in result.output
    assert {"jaw", "eye_pan", "eye_tilt"} <= set(robot.router.names())
    assert len(robot.capture.measured) == 6


@pytest.mark.parametrize("answers", ["q\n", "\n\n\n\n\n\nn\n"])
async def test_person_who_gives_up_changes_nothing(
    saintctl: RunSaintctl, robot: FakeRobot, answers: str
) -> None:
    before = robot.router.names()
    result = await saintctl("route", "face", "jaw_eyes", typed=answers)
    assert result.exit_code == 5 and "nothing was saved" in result.output
    assert robot.router.names() == before


async def test_refused_step_is_repeated_or_skipped(saintctl: RunSaintctl, robot: FakeRobot) -> None:
    robot.capture.lazy = {"jawOpen"}
    result = await saintctl("route", "face", "jaw", typed="\n\ns\ny\n")
    assert "hardly moves jaw" in result.output
    assert "0 routes were saved" in result.output


async def test_unknown_template_is_named(saintctl: RunSaintctl) -> None:
    result = await saintctl("route", "face", "jaws")
    assert result.exit_code == 4 and "'jaws' is not known" in result.output
