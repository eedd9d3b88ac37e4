"""Fixtures of the integration tests: the whole robot in real processes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.robot import Robot, running_robot

_HERE = Path(__file__).parent
_TIMEOUT_S = 90  # a robot's start on a busy computer is part of the first test's time


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of these are integration tests, and starting a robot takes its time."""
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker(pytest.mark.integration)
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(_TIMEOUT_S))


@pytest.fixture(scope="module")
def robot() -> Iterator[Robot]:
    """One robot for all tests of a file: leave it as whole as you found it."""
    with running_robot() as running:
        yield running


@pytest.fixture
def fresh_robot() -> Iterator[Robot]:
    """A robot for this test alone."""
    with running_robot() as running:
        yield running
