"""Folders that setup makes on its way to a file."""

import os
from pathlib import Path

from saint_services.setup.adapters import put


def test_folder_is_open_to_other_users_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        put(tmp_path / "run" / "network" / "secret", b"x", 0o600)
    finally:
        os.umask(before)
    modes = [(tmp_path / name).stat().st_mode & 0o777 for name in ("run", "run/network")]
    assert modes == [0o755, 0o755]
    assert (tmp_path / "run/network/secret").stat().st_mode & 0o777 == 0o600
