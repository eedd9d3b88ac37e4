"""Stored identity and roles, through power cuts, damage, newer files, moved disks."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from saint_services.lib import config as settings
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.state import last_good
from saint_services.noded.lifecycle.model import Assignment, RoleId, RoleLoaded
from saint_services.noded.server.trust import ServerBond, TrustFiles
from saint_services.noded.state import NodeFiles
from tests.unit.noded.power_cut import PowerCut, PowerCutError, survives

HEAD_TEXT = (Path(__file__).parents[3] / "manifests/roles/head.yaml").read_text()
HEAD = Assignment(settings.parse(RoleConfig, HEAD_TEXT, "head"), HEAD_TEXT, "SAINT-01", "10.0.0.1")
WANTED = RoleId("head")
NEWER_TEXT = HEAD_TEXT.replace('"1.0.0"', '"1.1.0"')
NEWER = replace(HEAD, config=settings.parse(RoleConfig, NEWER_TEXT, "head"), text=NEWER_TEXT)


def test_power_cut_at_any_moment_of_storing_leaves_no_role_or_the_whole_role(tmp_path: Path):
    for at in range(100):
        directory = tmp_path / str(at)
        is_done, (started, *_) = survives(directory, lambda files: files.store(HEAD), at)
        assert started.problem == ""
        assert started.held in (None, HEAD)
        assert started.wanted == (started.held and RoleId("head"))
        if is_done:
            assert started.held == HEAD
            return
    pytest.fail("storing never ended")


def test_power_cut_at_any_moment_of_refreshing_leaves_the_old_or_the_new_one(tmp_path: Path):
    for at in range(100):
        directory = tmp_path / str(at)
        NodeFiles(directory).store(HEAD)
        is_done, (started, *_) = survives(directory, lambda files: files.store(NEWER), at)
        assert started.held in (HEAD, NEWER)
        if is_done:
            assert started.held == NEWER
            return
    pytest.fail("refreshing never ended")


def test_power_cut_at_any_moment_of_a_reset_leaves_the_role_or_none(tmp_path: Path):
    for at in range(100):
        directory = tmp_path / str(at)
        NodeFiles(directory).store(HEAD)
        is_done, (started, *_) = survives(directory, lambda files: files.forget(), at)
        assert started.held in (None, HEAD)
        if is_done:
            assert started == RoleLoaded()
            return
    pytest.fail("the reset never ended")


BOND = ServerBond(
    server="SAINT-01", server_key="ab" * 32, code="482 173", since="2026-01-20T15:00:00Z"
)


@pytest.mark.parametrize("has_bond", [False, True])
def test_power_cut_at_any_moment_leaves_a_whole_key_and_the_old_or_the_new_server(
    tmp_path: Path, has_bond: bool
):
    for at in range(100):
        directory = tmp_path / str(at)
        directory.mkdir()
        key = TrustFiles(directory).key().public
        if has_bond:
            TrustFiles(directory).store(BOND)
        with pytest.MonkeyPatch.context() as monkeypatch:
            files = TrustFiles(directory)
            cut = PowerCut(monkeypatch, at)
            try:
                files.forget() if has_bond else files.store(BOND)
                is_done = True
            except PowerCutError:
                is_done = False
            cut.left = 10**9
        again = TrustFiles(directory)
        assert again.bond() in (ServerBond(), BOND)
        assert (again.key().public, again.problem) == (key, "")
        if is_done:
            assert again.bond() == (ServerBond() if has_bond else BOND)
            return
    pytest.fail("it never ended")


def test_power_cut_while_the_key_is_made_leaves_none_or_a_whole_one(tmp_path: Path):
    for at in range(100):
        directory = tmp_path / str(at)
        directory.mkdir()
        with pytest.MonkeyPatch.context() as monkeypatch:
            cut = PowerCut(monkeypatch, at)
            try:
                is_done = bool(TrustFiles(directory).key())
            except PowerCutError:
                is_done = False
            cut.left = 10**9
        again = TrustFiles(directory)
        assert again.key().public == TrustFiles(directory).key().public
        assert again.problem == ""
        if is_done:
            return
    pytest.fail("it never ended")


def test_disk_that_fails_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    files = NodeFiles(tmp_path)
    with pytest.raises(SaintError, match="No space left on device"):
        files.store(HEAD)
    assert files.load_roles().roles[0] == RoleLoaded()
    assert files.identity("pi_1").node_id == "pi_1"  # a node without a disk is a node
    assert "No space left" in files.problem


def test_refresh_keeps_the_day_of_the_assignment(tmp_path: Path):
    files = NodeFiles(tmp_path)
    files.store(HEAD)
    path = tmp_path / "role.yaml"
    path.write_text(path.read_text().replace("20", "19", 1))
    before = yaml.safe_load(path.read_text())["assigned_at"]
    files.store(NEWER)
    after = yaml.safe_load(path.read_text())
    assert (after["assigned_at"], after["config_version"]) == (before, "1.1.0")


@pytest.mark.parametrize(
    "text", ["", "role: he", "role: tracks\nversion: '1'\n", "\0\xff", HEAD_TEXT * 2]
)
def test_configuration_that_is_no_good_keeps_the_role_and_says_why(tmp_path: Path, text: str):
    files = NodeFiles(tmp_path)
    files.store(HEAD)
    path = tmp_path / "role_config.yaml"
    for each in (path, last_good(path)):
        each.write_text(text, encoding="latin-1")
    started = files.load_roles().roles[0]
    assert (started.held, started.wanted) == (None, RoleId("head"))
    assert started.problem


def test_configuration_of_a_newer_release_is_used_without_what_is_unknown(tmp_path: Path):
    """After a rollback the older release finds what the newer one has stored."""
    text = HEAD_TEXT + "\ndance: {tempo: 120}\n"
    NodeFiles(tmp_path).store(replace(HEAD, text=text))
    (started,) = NodeFiles(tmp_path).load_roles().roles
    assert started == RoleLoaded(held=replace(HEAD, text=text), wanted=WANTED)


def test_role_file_that_is_damaged_is_set_aside_and_newer_is_kept(tmp_path: Path):
    (tmp_path / "role.yaml").write_text("assigned_role: [")
    started = NodeFiles(tmp_path).load_roles().roles[0]
    assert started.wanted is None
    assert "role.yaml.damaged-1" in started.problem
    (tmp_path / "role.yaml").write_text("version_of_format: 9\nnew: thing\n")
    assert "newer version" in NodeFiles(tmp_path).load_roles().roles[0].problem
    with pytest.raises(SaintError) as caught:
        NodeFiles(tmp_path).store(HEAD)
    assert caught.value.code is Code.STATE_NEWER
    assert (tmp_path / "role.yaml").read_text() == "version_of_format: 9\nnew: thing\n"


def computer(root: Path, cpuinfo: str = "", mac: str = "") -> Path:
    """Make a tree of /proc and /sys."""
    (root / "proc").mkdir(parents=True)
    (root / "proc/cpuinfo").write_text(cpuinfo)
    if mac:
        card = root / "sys/class/net/eth0"
        (card / "device").mkdir(parents=True)
        (card / "address").write_text(mac + "\n")
    return root


def test_identity_is_the_serial_number_and_is_kept(tmp_path: Path):
    root = computer(tmp_path / "pi", "Serial\t\t: 10000000A1B2C3D4\n", "dc:a6:32:00:00:01")
    first = NodeFiles(tmp_path / "state").identity(root=root)
    assert (first.node_id, first.mac_address) == ("pi_10000000a1b2c3d4", "dc:a6:32:00:00:01")
    assert first.first_seen.endswith("Z")
    kept = yaml.safe_load((tmp_path / "state/identity.yaml").read_text())
    assert set(kept) == {
        "version_of_format",
        "node_id",
        "mac_address",
        "display_name",
        "first_seen",
    }
    assert NodeFiles(tmp_path / "state").identity(root=root) == first


def test_identity_of_a_disk_that_moved_is_the_new_computers(tmp_path: Path):
    old = computer(tmp_path / "old", "Serial : aa11\n")
    new = computer(tmp_path / "new", "Serial : bb22\n")
    files = NodeFiles(tmp_path / "state")
    files.rename(files.identity(root=old), "Head Unit")
    moved = NodeFiles(tmp_path / "state").identity(root=new)
    assert (moved.node_id, moved.display_name) == ("pi_bb22", "")


def test_identity_without_any_number_is_random_and_stays(tmp_path: Path):
    root = computer(tmp_path / "bare", "Serial : 0000000000000000\n")
    first = NodeFiles(tmp_path / "state").identity(root=root)
    assert first.node_id.startswith("id_")
    assert NodeFiles(tmp_path / "state").identity(root=root) == first
    assert NodeFiles(tmp_path / "other").identity(root=root).node_id != first.node_id


def test_identity_given_wrongly_is_one_sentence(tmp_path: Path):
    with pytest.raises(SaintError) as caught:
        NodeFiles(tmp_path).identity("sim head")
    assert (caught.value.code, caught.value.exit_code) == (Code.CONFIG_INVALID, 2)
