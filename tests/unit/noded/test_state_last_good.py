"""Stored roles when one of their files is damaged or gone."""

from pathlib import Path

import pytest
import yaml

from saint_services.lib.state import last_good
from saint_services.noded.lifecycle.model import RoleId
from saint_services.noded.server.trust import ServerBond, TrustFiles
from saint_services.noded.state import NodeFiles
from tests.unit.noded.test_daemon_more_roles import CONSOLE, HEAD, stored

FILES = ["role.yaml", "more_roles.yaml", "role_config.yaml", "role_config_console.yaml"]


def lose(path: Path, content: bytes | None) -> None:
    path.unlink()
    if content is not None:
        path.write_bytes(content)


def test_every_file_of_the_roles_has_a_copy(tmp_path: Path) -> None:
    stored(tmp_path, HEAD, CONSOLE)
    kept = {path.name for path in tmp_path.glob("*.yaml")}
    assert kept == set(FILES)
    assert all(last_good(tmp_path / name).exists() for name in FILES)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe", b"version_of_format: 1\nassigned_"])
def test_any_one_damaged_file_leaves_every_role_held_and_says_so(
    tmp_path: Path, name: str, content: bytes | None
) -> None:
    stored(tmp_path, HEAD, CONSOLE)
    lose(tmp_path / name, content)
    started = NodeFiles(tmp_path).load_roles().roles

    assert [role.held.wanted for role in started if role.held] == [
        RoleId("head"),
        RoleId("console"),
    ]
    assert any("last good copy is in force" in role.problem for role in started)


@pytest.mark.parametrize("content", [None, b"", b"server: x"])
def test_damaged_bond_gives_its_last_good_copy(tmp_path: Path, content: bytes | None) -> None:
    bond = ServerBond(server="SAINT-01", server_key="ab" * 32, code="123 456")
    TrustFiles(tmp_path).store(bond)
    lose(tmp_path / "trust.yaml", content)
    files = TrustFiles(tmp_path)

    assert files.bond() == bond
    assert "last good copy" in files.problem


def test_reset_leaves_no_copy_behind(tmp_path: Path) -> None:
    stored(tmp_path, HEAD, CONSOLE)
    NodeFiles(tmp_path).forget()

    left = [path for path in tmp_path.iterdir() if "role" in path.name]
    assert {path.name for path in left} == {"role.yaml", "role.yaml.last-good"}
    assert all(yaml.safe_load(path.read_text())["assigned_role"] == "" for path in left)
