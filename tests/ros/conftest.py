"""Tests against a real ROS 2: `make test-ros`. Where there is none they are skipped."""

import importlib.util
from pathlib import Path

import pytest

from tests.integration.robot import free_domain

_HERE = Path(__file__).parent
_TIMEOUT_S = 120
_PARSER_OF_ROSIDL = "ignore:module 'sre_:DeprecationWarning"
_REASON = "needs a ROS 2 (rclpy and saint_msgs): make test-ros"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    has_ros = all(importlib.util.find_spec(name) for name in ("rclpy", "saint_msgs"))
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker(pytest.mark.integration)
            item.add_marker(pytest.mark.timeout(_TIMEOUT_S))
            item.add_marker(pytest.mark.filterwarnings(_PARSER_OF_ROSIDL))
            if not has_ros:
                item.add_marker(pytest.mark.skip(reason=_REASON))


@pytest.fixture(scope="session")
def domain() -> int:
    """A ROS domain of this run."""
    return free_domain()
