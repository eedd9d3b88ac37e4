"""A power cut while the boot partition is written takes a file: nothing that it said is lost."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saint_services.lib.state import StateStore
from saint_services.setup import boot_file
from saint_services.setup.config import KEPT, Machine
from saint_services.setup.kept_settings import KeptSettings
from tests.unit.setup.recorder import Recorder, run

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFNhaW50 me"
YAML = f"""# The robot on the stage
role: server
hostname: stage-robot
wifi:
  ssid: stage
  secret: open sesame
ssh:
  keys: ["{KEY}"]
"""
USER_DATA = """#cloud-config
hostname: imager-name
"""
NETWORK = """network:
  wifis:
    wlan0:
      access-points:
        home:
          password: knock knock
"""
# As the program before wrote it.
VERSION_1 = f"""version_of_format: 1
machine:
  role: server
  hostname: stage-robot
  ssh:
    keys: ["{KEY}"]
"""


class PowerCutError(BaseException):
    """Nothing after it happens."""


@pytest.fixture
def firmware(root: Path) -> Path:
    folder = root / "boot/firmware"
    (folder / "config.txt").touch()
    return folder


def cut_while_rewriting(name: str, patch: pytest.MonkeyPatch) -> None:
    """The worst that FAT does: neither the old nor the new file has a name."""
    really = boot_file.replace

    def replace(path: Path, data: bytes) -> None:
        if path.name == name:
            path.unlink(missing_ok=True)
            raise PowerCutError
        really(path, data)

    patch.setattr(boot_file, "replace", replace)


def assert_whole(root: Path, recorder: Recorder) -> None:
    assert recorder.targets == ("saint-server.target",)
    assert recorder.hostname == "stage-robot"
    keys = (root / "data/ssh/authorized_keys").iterdir()
    assert any(KEY in path.read_text() for path in keys)
    assert "open sesame" in (root / "run/saint/wpa_supplicant-wlan0.conf").read_text()


def test_file_lost_while_its_secrets_are_taken_away_comes_back(
    root: Path,
    firmware: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    file = firmware / "saint.yaml"
    file.write_text(YAML)
    (firmware / "user-data").write_text(USER_DATA)  # says another name, and no role
    with monkeypatch.context() as patch:
        cut_while_rewriting("saint.yaml", patch)
        with pytest.raises(PowerCutError):
            run(root)
    assert not file.exists()
    work, recorder = run(root)
    assert work.problems == []
    assert_whole(root, recorder)
    assert file.read_text() == YAML.replace("open sesame", f'"{KEPT}"')
    assert "lost on the boot partition and was restored" in caplog.text
    caplog.clear()
    assert_whole(root, run(root)[1])
    assert "was restored" not in caplog.text


@pytest.mark.parametrize("rest", [b"", bytes(len(YAML)), b"\r\n"])
def test_file_that_a_cut_left_without_content_comes_back(
    root: Path, firmware: Path, rest: bytes
) -> None:
    file = firmware / "saint.yaml"
    file.write_text(YAML)
    (firmware / "user-data").write_text(USER_DATA)
    run(root)
    file.write_bytes(rest)
    assert_whole(root, run(root)[1])
    assert "role: server" in file.read_text()


def test_imagers_file_comes_back_after_a_cut(
    root: Path, firmware: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (firmware / "saint.yaml").write_text("role: server\n")
    network = firmware / "network-config"
    network.write_text(NETWORK)
    with monkeypatch.context() as patch:
        cut_while_rewriting("network-config", patch)
        with pytest.raises(PowerCutError):
            run(root)
    work, _ = run(root)
    assert work.problems == []
    assert "knock knock" in (root / "run/saint/wpa_supplicant-wlan0.conf").read_text()
    assert network.exists()
    assert "knock knock" not in network.read_text()


def test_imagers_file_that_is_removed_stays_removed(root: Path, firmware: Path) -> None:
    (firmware / "saint.yaml").write_text("role: server\n")
    (firmware / "network-config").write_text(NETWORK)
    run(root)
    (firmware / "network-config").unlink()
    run(root)
    assert not (firmware / "network-config").exists()
    assert "home" not in (root / "run/saint/wpa_supplicant-wlan0.conf").read_text()


def test_card_that_never_had_the_file_gets_none(root: Path, firmware: Path) -> None:
    (firmware / "user-data").write_text(USER_DATA)
    run(root)
    run(root)
    assert not (firmware / "saint.yaml").exists()


def test_file_that_cannot_be_read_is_left_and_the_role_holds(root: Path, firmware: Path) -> None:
    file = firmware / "saint.yaml"
    file.write_text(YAML)
    (firmware / "user-data").write_text(USER_DATA)
    run(root)
    file.write_bytes(b"\xff\xfe\x00role")
    work, recorder = run(root)
    assert_whole(root, recorder)
    assert file.read_bytes() == b"\xff\xfe\x00role"
    assert any("cannot be read, and is left as it is" in problem for problem in work.problems)


def test_boot_partition_that_is_not_there_changes_no_role(root: Path) -> None:
    firmware = root / "boot/firmware"
    (firmware / "saint.yaml").write_text(YAML)
    run(root)
    (firmware / "saint.yaml").unlink()
    work, recorder = run(root)
    assert_whole(root, recorder)
    assert list(firmware.iterdir()) == []
    assert any("the boot partition is not mounted" in problem for problem in work.problems)


def test_settings_of_the_format_before_hold(root: Path, firmware: Path) -> None:
    (root / "data/setup").mkdir()
    (root / "data/setup/machine.yaml").write_text(VERSION_1)
    work, recorder = run(root)
    assert work.problems == []
    assert (recorder.hostname, recorder.targets) == ("stage-robot", ("saint-server.target",))
    assert not (firmware / "saint.yaml").exists()  # what it said is not known


def test_new_content_counts_after_the_file_came_back(root: Path, firmware: Path) -> None:
    file = firmware / "saint.yaml"
    file.write_text(YAML)
    run(root)
    file.unlink()
    run(root)
    file.write_text("role: node\n")
    _, recorder = run(root)
    assert recorder.targets == ("saint-node.target",)


@settings(deadline=None, max_examples=50)  # a busy machine is no fault
@given(text=st.text(st.characters(codec="utf-8")))
def test_any_text_can_be_kept(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """What cannot be read again would take the settings with it."""
    path = tmp_path_factory.mktemp("data") / "machine.yaml"
    kept = KeptSettings(machine=Machine(role="server"), texts={"user-data": text})
    StateStore(path, KeptSettings, 2).save(kept)
    again = StateStore(path, KeptSettings, 2)
    assert again.load() == kept
    assert again.problem is None
