"""A run of the image's tests goes on where it was interrupted, as long as nothing has changed."""

from pathlib import Path

import pytest

from tests.image import inputs
from tests.image.inputs import EarlierPasses

TEST, OTHER = "tests/image/test_a.py::test_boot[node]", "tests/image/test_a.py::test_boot[server]"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    for name in (*inputs._BUILT, *inputs._TOOLS, *inputs._TESTED):
        (root / name).mkdir(parents=True)
    for name in (
        "tests/image/test_a.py",
        "tests/image/test_b.py",
        "tests/image/rig.py",
        "web/a.js",
    ):
        (root / name).write_text("1")
    monkeypatch.setattr(inputs, "ROOT", root)
    monkeypatch.setenv("SAINT_CACHE", str(tmp_path / "cache"))
    return root


def test_only_what_passed_is_left_out(root: Path) -> None:
    assert not EarlierPasses().has(TEST)
    EarlierPasses().add(TEST)
    assert EarlierPasses().has(TEST)
    assert not EarlierPasses().has(OTHER)


@pytest.mark.parametrize("changed", ["tests/image/test_a.py", "tests/image/rig.py", "web/a.js"])
def test_what_it_depends_on_has_changed(root: Path, changed: str) -> None:
    EarlierPasses().add(TEST)
    (root / changed).write_text("2")
    assert not EarlierPasses().has(TEST)


def test_another_file_of_tests_matters_not(root: Path) -> None:
    EarlierPasses().add(TEST)
    (root / "tests/image/test_b.py").write_text("2")
    assert EarlierPasses().has(TEST)
