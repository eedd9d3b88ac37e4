"""The folders of programs after webd has ended in the middle of a change."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from saint_services.lib.programs.folders import ProgramFolders
from saint_services.webd.programs.store import ProgramStore
from tests.web.fakes import programs


class Ended(BaseException):
    """webd is killed, or the power is cut."""


@pytest.fixture
def store(tmp_path: Path) -> ProgramStore:
    """With a program that is to run."""
    folders = ProgramFolders(tmp_path / "programs", tmp_path / "requests")
    folders.started.mkdir(parents=True)
    folders.requests.mkdir()
    store = ProgramStore(folders, tmp_path / "secrets")
    add(store, "old")
    store.set_started("patrol", "secret")
    return store


def add(store: ProgramStore, text: str) -> None:
    file = programs.archive(store.upload_file(), "name: patrol\n", main=text)
    store.put(store.unpack(file).name)
    file.unlink()


def found(store: ProgramStore) -> str:
    """The program after webd has started again; nothing else is left."""
    store.tidy()
    names = {path.name for path in store.folders.programs.iterdir()} - {".started"}
    assert names <= {"patrol"}, names
    main = store.folders.programs / "patrol/main.py"
    return main.read_text() if names else ""


@pytest.fixture
def end_after(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The number in it: renames that still take place; the next one ends webd."""
    left: list[int] = []
    rename = Path.rename

    def counted(self: Path, target: Path) -> Path:
        if left:
            if left[0] == 0:
                raise Ended
            left[0] -= 1
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", counted)
    yield left
    left.clear()


@pytest.mark.parametrize(("renames", "left"), [(0, "old"), (1, "old"), (2, "new")])
def test_replacement_that_ends_half_way_leaves_the_old_program_or_the_new_one(
    store: ProgramStore, end_after: list[int], renames: int, left: str
) -> None:
    end_after.append(renames)
    with pytest.raises(Ended):
        add(store, "new")
    end_after.clear()
    assert found(store) == left


def test_program_that_is_restored_is_started_if_it_is_to_run(
    store: ProgramStore, end_after: list[int]
) -> None:
    """At boot it was not there, so it was not started then."""
    end_after.append(1)
    with pytest.raises(Ended):
        add(store, "new")
    end_after.clear()
    store.tidy()
    assert store.folders.take_requests() == [("start", "patrol")]
    store.tidy()
    assert store.folders.take_requests() == []


def test_removal_that_ends_half_way_does_not_bring_a_program_back(
    store: ProgramStore, end_after: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    add(store, "new")

    def end(*_: object, **__: object) -> None:
        raise Ended

    monkeypatch.setattr("shutil.rmtree", end)
    with pytest.raises(Ended):
        store.remove("patrol")
    monkeypatch.undo()
    assert found(store) == ""


def test_replacement_leaves_nothing_behind(store: ProgramStore) -> None:
    add(store, "new")
    names = {path.name for path in store.folders.programs.iterdir()}
    assert names == {".started", "patrol"}
    assert found(store) == "new"
