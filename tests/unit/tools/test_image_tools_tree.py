"""What people are told when a machine cannot build images."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from tools.image import tools_tree
from tools.image.names import Names
from tools.image.places import ROOT, Places
from tools.image.tree import Tree

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


def test_named_tree_that_is_none_is_refused(places: Places, tmp_path: Path) -> None:
    with pytest.raises(SaintError, match="has no mkosi"):
        tools_tree.open_tree(replace(places, tools=tmp_path), NAMES)


def test_named_tree_is_taken_as_it_is(places: Places, tmp_path: Path) -> None:
    (tmp_path / "usr/bin").mkdir(parents=True)
    (tmp_path / "usr/bin/mkosi").touch()
    tree = tools_tree.open_tree(replace(places, tools=tmp_path), NAMES)
    assert tree == Tree(tmp_path, (ROOT, places.cache, places.out))
