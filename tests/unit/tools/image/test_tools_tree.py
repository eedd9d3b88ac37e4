"""Messages when a machine cannot build images."""

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from tools.image import packages, tools_tree
from tools.image.names import Names
from tools.image.places import ROOT, Places
from tools.image.tree import Tree
from tools.vm import programs

NAMES = Names.read(ROOT / "pi-gen.conf")


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    ours = Places.from_environment({"SAINT_CACHE": str(tmp_path / "cache")})
    return replace(ours, out=tmp_path / "out")


def test_build_without_root_says_sudo(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(SaintError) as caught:
        tools_tree.open_tree(places, NAMES)
    assert "sudo" in caught.value.fix


def test_build_without_mmdebstrap_says_what_to_install(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(SaintError, match="lacks mmdebstrap") as caught:
        tools_tree.open_tree(places, NAMES)
    assert "apt install mmdebstrap" in caught.value.fix
    assert caught.value.code is Code.NOT_FOUND  # its title: no file of settings is missing


def test_named_tree_that_is_none_is_refused(places: Places, tmp_path: Path) -> None:
    with pytest.raises(SaintError, match="has no mkosi"):
        tools_tree.open_tree(replace(places, tools=tmp_path), NAMES)


def test_named_tree_is_taken_as_it_is(places: Places, tmp_path: Path) -> None:
    (tmp_path / "usr/bin").mkdir(parents=True)
    (tmp_path / "usr/bin/mkosi").touch()
    tree = tools_tree.open_tree(replace(places, tools=tmp_path), NAMES)
    assert tree == Tree(tmp_path, (ROOT, places.cache, places.out))


def test_own_tree_is_where_the_machines_look_for_their_programs(
    places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after the package list has changed."""
    monkeypatch.setenv("SAINT_CACHE", str(places.cache))
    monkeypatch.delenv("SAINT_TOOLS_TREE", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")

    def make(command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        (Path(command[-2]) / "usr/bin").mkdir(parents=True)
        (Path(command[-2]) / "usr/bin/mkosi").touch()
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", make)
    for wanted in (["mkosi"], ["mkosi", "qemu-system-arm"]):
        monkeypatch.setattr(packages, "names", lambda path, wanted=wanted: wanted)
        made = tools_tree.open_tree(places, NAMES).path
        found = programs.tree()
        assert found is not None
        assert found.resolve() == made
