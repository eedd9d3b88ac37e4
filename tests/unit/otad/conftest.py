"""Fixtures of otad's tests."""

from pathlib import Path

import pytest

from tests.unit.otad.ota_rig import Robot
from tools.fake_rauc.bundle_writer import Keys, make_keys


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    return make_keys(tmp_path_factory.mktemp("keys"))


@pytest.fixture
def robot(tmp_path: Path, keys: Keys) -> Robot:
    return Robot(tmp_path, keys)
