"""The fixture of the updater's tests."""

import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.unit.lib.update.machine_rig import Machine
from tools.fake_rauc.bundle_writer import Keys, make_keys
from tools.fake_rauc.rig import fake_machine


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    return make_keys(tmp_path_factory.mktemp("keys"))


@pytest.fixture
async def machine(keys: Keys, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Machine]:
    if shutil.which("dbus-daemon") is None:
        pytest.skip("dbus-daemon is not installed; on Debian: apt-get install dbus")
    monkeypatch.setattr("saint_services.lib.update.updater._POLL_S", 0.1)
    folder = Path(tempfile.mkdtemp(prefix="saint-"))  # short: a socket lies in it
    try:
        async with fake_machine(folder / "m", "1.0", given=keys) as fake:
            yield Machine(folder, fake, monkeypatch.setenv)
    finally:
        shutil.rmtree(folder)
