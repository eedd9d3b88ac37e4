"""The files of a computer that setup runs on, below a folder of the test."""

from pathlib import Path

import pytest


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in ("boot/firmware", "data", "etc", "run/saint", "proc"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "proc/cpuinfo").write_text("Serial\t\t: 10000000a1b2c3d4\n")
    # Made beforehand: ssh-keygen is not everywhere.
    (tmp_path / "data/ssh").mkdir()
    (tmp_path / "data/ssh/ssh_host_ed25519_key").write_text("key")
    return tmp_path
