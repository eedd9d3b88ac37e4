"""The fixture of adoptiond's tests."""

from pathlib import Path

import pytest

from tests.unit.adoptiond.adoption_rig import Robot


@pytest.fixture
def robot(tmp_path: Path) -> Robot:
    return Robot(tmp_path)
