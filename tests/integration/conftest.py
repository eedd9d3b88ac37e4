"""Fixtures of the integration tests: the whole robot in real processes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.robot import Robot, running_robot
from tests.integration.shared import SharedRobot
from tests.workers import FromBothEnds, in_order

_HERE = Path(__file__).parent
_SHARED = pytest.StashKey[SharedRobot]()
_TIMEOUT_S = 180  # a robot's start on a busy computer is part of the first test's time
# They measure milliseconds, so nothing may run beside them: `make test` runs these last and alone,
# with the single tests that are marked.
_TIMED = {
    f"test_{name}.py"
    for name in (
        "estop_latency",
        "idle",
        "kill",
        "motion",
        "several_roles",
        "wagon_boards",
        "web_base",
    )
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of these are integration tests, and starting a robot takes its time."""
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker(pytest.mark.integration)
            if item.path.name in _TIMED:
                item.add_marker(pytest.mark.timed)
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(_TIMEOUT_S))


@pytest.hookimpl(trylast=True, specname="pytest_collection_modifyitems")
def pytest_put_in_order(config: pytest.Config, items: list[pytest.Item]) -> None:
    """For several workers; once every folder has marked its tests."""
    if _is_worker(config):
        items[:] = in_order(items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FromBothEnds | None:
    if config.option.dist != "loadfile":
        return None
    config.option.loadscopereorder = False  # the workers have put them in order
    return FromBothEnds(config, log)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """A worker gets no more files that share a robot: a robot at rest takes processor time too."""
    is_last = nextitem is None or nextitem.path != item.path
    shared = item.config.stash.get(_SHARED, None)
    if shared and is_last and _is_worker(item.config) and "shared_robot" not in _fixtures(nextitem):
        shared.end()


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def _fixtures(item: pytest.Item | None) -> set[str]:
    return set(getattr(item, "fixturenames", ()))


@pytest.fixture(scope="session")
def shared_robot(request: pytest.FixtureRequest) -> Iterator[SharedRobot]:
    """The robot of all files that want one."""
    shared = request.config.stash[_SHARED] = SharedRobot()
    yield shared
    shared.end()


@pytest.fixture(scope="module")
def robot(shared_robot: SharedRobot, request: pytest.FixtureRequest) -> Iterator[Robot]:
    """Shared with other files, one after the other: leave it as you found it. This is checked."""
    yield shared_robot.take()
    if request.node.get_closest_marker("changes_robot"):
        shared_robot.end()
    else:
        shared_robot.give_back()


@pytest.fixture
def fresh_robot() -> Iterator[Robot]:
    """A robot for this test alone."""
    with running_robot() as running:
        yield running
