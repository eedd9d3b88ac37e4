"""Saved state: entirely old or entirely new; newer files are kept, damaged ones set aside."""

import json
import os
import stat
from collections.abc import Callable
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
    counts: dict[str, int] = {}


class Crash(BaseException):
    """The power fails: nothing runs after it, not even our own cleanup."""


@pytest.fixture(params=["a.json", "a.yaml"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / "deep" / str(request.param)


def store(path: Path, version: int = 1, **migrations: Any) -> state.StateStore[Kept]:
    return state.StateStore(path, Kept, version, migrations.get("migrations"))


def test_first_start_gives_the_default_without_a_problem(path: Path) -> None:
    kept = store(path)

    assert kept.load() == Kept()
    assert kept.problem is None
    assert not path.exists()


def test_saved_value_comes_back(path: Path) -> None:
    value = Kept(name="Köpfchen\nno: 1", counts={"a": -1})
    store(path).save(value)

    assert store(path).load() == value
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(path.parent.iterdir()) == [path]


def test_file_has_its_version(path: Path) -> None:
    store(path, version=7).save(Kept())

    assert "version_of_format" in path.read_text()
    assert "7" in path.read_text()


def test_older_version_is_migrated_step_by_step(path: Path) -> None:
    state.StateStore(path, _Old, 1).save(_Old(title="x"))
    steps: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {
        1: lambda data: {"label": data["title"]},
        2: lambda data: {"name": data["label"] + "!"},
    }

    assert store(path, 3, migrations=steps).load() == Kept(name="x!")


class _Old(BaseModel):
    title: str = ""


def test_newer_version_is_refused_and_never_overwritten(path: Path) -> None:
    store(path, version=2).save(Kept(name="future"))
    before = path.read_bytes()

    for act in (lambda s: s.load(), lambda s: s.save(Kept())):
        old = store(path, version=1)
        with pytest.raises(SaintError, match="has version 2, this program reads 1") as caught:
            act(old)
        assert caught.value.code is Code.STATE_NEWER
        with pytest.raises(SaintError):  # also on the next attempt
            old.save(Kept())
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"[1]",
        b"{}",
        b'{"version_of_format": true}',
        b'{"version_of_format": "1"}',
        b'{"version_of_format": -1}',
        b'{"version_of_format": 0}',  # no migration
        b'{"version_of_format": 1, "name": 3}',
        b'{"version_of_format": 1, "what": "?"}',
        b'{"version_of_format": 1, "name": "cut of',
        b"[" * 100_000,
    ],
)
def test_damaged_file_is_set_aside_and_reported(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    kept = store(path)

    assert kept.load() == Kept()
    assert kept.problem is not None
    assert kept.problem.code is Code.STATE_DAMAGED
    aside = path.with_name(path.name + ".damaged-1")
    assert str(aside) in kept.problem.message
    assert aside.read_bytes() == content
    kept.save(Kept(name="new"))
    assert aside.read_bytes() == content


def test_second_damaged_file_does_not_replace_the_first(path: Path) -> None:
    path.parent.mkdir()
    for content in (b"one", b"two"):
        path.write_bytes(content)
        store(path).load()

    names = [path.with_name(f"{path.name}.damaged-{n}") for n in (1, 2)]
    assert [each.read_bytes() for each in names] == [b"one", b"two"]


def test_failing_migration_keeps_the_file(path: Path) -> None:
    store(path, 1).save(Kept(name="precious"))

    kept = store(path, 2, migrations={1: lambda data: data["not there"]})
    assert kept.load() == Kept()
    assert kept.problem is not None
    assert b"precious" in path.with_name(path.name + ".damaged-1").read_bytes()


def test_problem_is_over_after_a_good_load(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"?")
    kept = store(path)
    kept.load()
    kept.save(Kept())

    kept.load()
    assert kept.problem is None


def test_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SaintError, match="cannot be"):
        store(tmp_path / "file" / "a.json").save(Kept())


STEPS = ["open", "fchmod", "write", "fsync", "close", "replace", "sync_directory"]


def fail_at(step: str, error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make one step of a write fail, after its effect where that is the worse case."""

    def failing(*_: Any, **__: Any) -> Any:
        raise error

    if step == "replace":
        monkeypatch.setattr(Path, "replace", failing)
    elif step == "sync_directory":
        monkeypatch.setattr(state, "_sync_directory", failing)
    elif step == "write":
        real = os.write

        def half(descriptor: int, data: memoryview) -> int:
            real(descriptor, data[: len(data) // 2])
            raise error

        monkeypatch.setattr(state.os, "write", half)
    elif step == "close":
        real_close = os.close

        def closing(descriptor: int) -> None:
            real_close(descriptor)
            raise error

        monkeypatch.setattr(state.os, "close", closing)
    else:
        monkeypatch.setattr(state.os, step, failing)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), Crash()], ids=str)
def test_write_that_fails_at_any_step_leaves_old_or_new(
    step: str, error: BaseException, path: Path
) -> None:
    store(path).save(Kept(name="old"))

    with pytest.MonkeyPatch.context() as patch:
        fail_at(step, error, patch)
        with pytest.raises((SaintError, Crash)):
            store(path).save(Kept(name="new" * 100))

    again = store(path)
    value = again.load()
    assert again.problem is None
    assert value.name == ("new" * 100 if step == "sync_directory" else "old")
    again.save(Kept(name="later"))  # leftovers of the crash do no harm
    assert store(path).load().name == "later"
    assert not list(path.parent.glob("*.damaged*"))


def test_short_writes_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(state.os, "write", lambda fd, data: real(fd, data[:3]))

    state.write_atomic(tmp_path / "a", b"0123456789")
    assert (tmp_path / "a").read_bytes() == b"0123456789"


def test_data_is_on_disk_before_the_name_and_the_name_before_return(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    real_sync, real_replace = os.fsync, Path.replace

    def sync(descriptor: int) -> None:
        order.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        real_sync(descriptor)

    def replace(self: Path, target: Path) -> Path:
        order.append("rename")
        return real_replace(self, target)

    monkeypatch.setattr(state.os, "fsync", sync)
    monkeypatch.setattr(Path, "replace", replace)
    state.write_atomic(tmp_path / "a", b"x")

    assert order == ["file", "rename", "folder"]


def test_leftover_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("mine")
    (tmp_path / ".a.new").symlink_to(target)

    with pytest.raises(OSError, match="symbolic"):
        state.write_atomic(tmp_path / "a", b"x")
    assert target.read_text() == "mine"


@given(st.binary(max_size=80))
def test_random_content_never_raises_and_is_kept(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "r.json"
    for old in tmp_path.iterdir():
        old.unlink()
    path.write_bytes(data)
    kept = store(path)

    kept.load()
    assert kept.problem is not None
    assert path.with_name("r.json.damaged-1").read_bytes() == data


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(JSON, JSON)
def test_random_data_never_raises(tmp_path: Path, name: object, counts: object) -> None:
    path = tmp_path / "r.json"
    data = {"version_of_format": 1, "name": name, "counts": counts}
    path.write_text(json.dumps(data))
    kept = store(path)

    value = kept.load()
    assert kept.problem or value.name == name


@given(st.text(max_size=30), st.dictionaries(st.text(max_size=5), st.integers(), max_size=4))
def test_any_value_round_trips(tmp_path: Path, name: str, counts: dict[str, int]) -> None:
    for file in ("r.json", "r.yaml"):
        value = Kept(name=name, counts=counts)
        store(tmp_path / file).save(value)
        again = store(tmp_path / file)
        assert again.load() == value, again.problem
