"""The last good copy: replaces a file that is damaged or missing."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from saint_services.lib import state
from saint_services.lib.errors import Code, SaintError


class Kept(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = "none"


class Crash(BaseException):
    """The power fails."""


@pytest.fixture(params=["a.json", "a.yaml"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / "deep" / str(request.param)


def store(path: Path, version: int = 1, migrations: Any = None) -> state.StateStore[Kept]:
    return state.StateStore(path, Kept, version, migrations, keeps_last_good=True)


def saved(path: Path, name: str = "precious") -> bytes:
    store(path).save(Kept(name=name))
    return path.read_bytes()


def break_empty(path: Path) -> None:
    path.write_bytes(b"")


def break_garbage(path: Path) -> None:
    path.write_bytes(b"\xff{{")


def break_foreign(path: Path) -> None:
    path.write_text('{"version_of_format": 1, "unknown": 1}')


def break_gone(path: Path) -> None:
    path.unlink()


def break_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


BREAKS = [break_empty, break_garbage, break_foreign, break_gone, break_folder]


@pytest.mark.parametrize("damage", BREAKS)
def test_damaged_file_gives_its_last_good_copy_and_says_so(path: Path, damage: Any) -> None:
    before = saved(path)
    damage(path)
    kept = store(path)

    assert kept.load() == Kept(name="precious")
    assert kept.problem is not None
    assert kept.problem.code is Code.STATE_DAMAGED
    assert "last good copy is in force" in kept.problem.message
    assert path.read_bytes() == before  # the file is restored


@pytest.mark.parametrize("damage", BREAKS)
def test_problem_is_over_once_the_copy_became_the_file(path: Path, damage: Any) -> None:
    saved(path)
    damage(path)
    store(path).load()

    again = store(path)
    assert again.load() == Kept(name="precious")
    assert again.problem is None


def test_damaged_file_is_set_aside_before_the_copy_takes_its_place(path: Path) -> None:
    saved(path)
    path.write_bytes(b"what was left")
    store(path).load()

    assert path.with_name(f"{path.name}.damaged-1").read_bytes() == b"what was left"


@pytest.mark.parametrize("damage", BREAKS)
def test_file_and_copy_damaged_gives_the_default_and_a_problem(path: Path, damage: Any) -> None:
    saved(path)
    damage(path)
    state.last_good(path).write_bytes(b"?")
    kept = store(path)

    assert kept.load() == Kept()
    assert kept.problem is not None
    kept.save(Kept(name="new"))
    assert store(path).load() == Kept(name="new")


def test_good_file_of_a_store_that_had_no_copy_gets_one(path: Path) -> None:
    state.StateStore(path, Kept, 1).save(Kept(name="precious"))
    store(path).load()
    path.unlink()

    assert store(path).load() == Kept(name="precious")


def test_copy_is_refreshed_when_a_crash_left_an_older_one(path: Path) -> None:
    saved(path, "old")
    older = state.last_good(path).read_bytes()
    saved(path, "new")
    state.last_good(path).write_bytes(older)
    store(path).load()
    path.unlink()

    assert store(path).load() == Kept(name="new")


def test_forgotten_value_does_not_come_back_from_its_copy(path: Path) -> None:
    saved(path)
    store(path).forget()

    kept = store(path)
    assert kept.load() == Kept()
    assert kept.problem is None


def test_forget_that_is_cut_off_leaves_no_copy_without_its_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(path)
    real = Path.unlink

    def unlink(self: Path, missing_ok: bool = False) -> None:
        if self == path:
            raise Crash
        real(self, missing_ok=missing_ok)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", unlink)
        with pytest.raises(Crash):
            store(path).forget()

    assert path.exists()
    assert not state.last_good(path).exists()


STEPS = {1: lambda data: data}


def test_older_program_does_not_overwrite_the_copy_of_a_newer_one(path: Path) -> None:
    saved(path, "first")
    store(path, 2, STEPS).save(Kept(name="newer"))
    newer = state.last_good(path).read_bytes()
    older = store(path)
    older.load()
    older.save(Kept(name="stand-in"))

    assert state.last_good(path).read_bytes() == newer
    path.unlink()
    assert store(path, 2, STEPS).load() == Kept(name="stand-in")  # the newer value counts


def test_copy_of_a_newer_version_is_refused_by_a_program_that_has_nothing_else(path: Path) -> None:
    store(path, 2, STEPS).save(Kept(name="newer"))
    path.unlink()

    with pytest.raises(SaintError, match="has version 2"):
        store(path).load()
    assert state.last_good(path).exists()


def test_disk_that_takes_no_copy_saves_all_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(path, "old")
    real = state.write_atomic

    def full(where: Path, data: bytes, mode: int = 0o640) -> None:
        if where.name.endswith(".last-good"):
            raise OSError(28, "No space left on device")
        real(where, data, mode)

    with monkeypatch.context() as patch:
        patch.setattr(state, "write_atomic", full)
        store(path).save(Kept(name="new"))

    assert store(path).load() == Kept(name="new")
    assert state.last_good(path).read_bytes() == path.read_bytes()


def test_read_only_disk_gives_the_copy_all_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(path)
    path.write_bytes(b"?")

    def refuse(*_: Any, **__: Any) -> Any:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "rename", refuse)
    monkeypatch.setattr(state.os, "open", refuse)
    kept = store(path)

    assert kept.load() == Kept(name="precious")
    assert kept.problem is not None


@given(st.lists(st.text(max_size=8), min_size=1, max_size=4), st.binary(max_size=40), st.booleans())
def test_any_one_damaged_file_of_the_two_loses_nothing(
    tmp_path: Path, names: list[str], damage: bytes, is_copy: bool
) -> None:
    where = tmp_path / "r.json"
    for old in tmp_path.iterdir():
        old.unlink()
    for name in names:
        store(where).save(Kept(name=name))
    (state.last_good(where) if is_copy else where).write_bytes(damage)

    assert store(where).load() == Kept(name=names[-1])
