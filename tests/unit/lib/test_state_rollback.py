"""Saved state over updates and rollbacks: no release fails because of what another one wrote, and
no setting is lost, whenever the power fails.
"""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings as limits
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from pydantic import BaseModel, ConfigDict

from saint_services.lib import state
from saint_services.lib.errors import Code, SaintError

pytestmark = pytest.mark.timeout(120)  # thousands of small files on a busy machine


class V1(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = "none"


class V2(BaseModel):
    model_config = ConfigDict(extra="forbid")

    label: str = "none"
    size: int = 0


class V3(V2):
    colour: str = "grey"


STEPS: dict[int, state.Migration] = {
    1: lambda data: {"label": data["name"]},
    2: lambda data: data,
}
PROGRAMS: dict[int, type[BaseModel]] = {1: V1, 2: V2, 3: V3}


def store(path: Path, version: int) -> state.StateStore[Any]:
    return state.StateStore(path, PROGRAMS[version], version, STEPS)


def value(version: int, text: str) -> BaseModel:
    return V1(name=text) if version == 1 else PROGRAMS[version](label=text)


def text(kept: Any) -> str:
    return str(kept.name if isinstance(kept, V1) else kept.label)


@pytest.fixture(params=["a.json", "a.yaml"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / "deep" / str(request.param)


def test_rolled_back_program_goes_on_with_what_it_had(path: Path) -> None:
    store(path, 1).save(V1(name="left arm"))
    new = store(path, 2)
    new.save(V2(label=new.load().label, size=4))
    newer = path.read_bytes()

    old = store(path, 1)
    assert old.load() == V1(name="left arm")
    assert old.problem is None
    old.save(V1(name="tracks"))
    assert store(path, 1).load() == V1(name="tracks")
    assert path.read_bytes() == newer, "what the newer release wrote is not ours"


def test_new_program_that_comes_back_knows_what_was_changed_meanwhile(path: Path) -> None:
    store(path, 1).save(V1(name="left arm"))
    store(path, 2).save(V2(label="left arm", size=4))
    store(path, 1).save(V1(name="tracks"))

    back = store(path, 2)
    assert back.load().label == "tracks"
    back.save(V2(label="head"))
    assert store(path, 2).load().label == "head"


def test_new_program_that_comes_back_to_an_unchanged_state_has_its_own(path: Path) -> None:
    store(path, 1).save(V1(name="left arm"))
    store(path, 2).save(V2(label="left arm", size=4))
    assert store(path, 1).load().name == "left arm"

    assert store(path, 2).load() == V2(label="left arm", size=4)


def test_program_two_versions_back_finds_its_own(path: Path) -> None:
    for version in (1, 2, 3):
        program = store(path, version)
        program.save(value(version, text(program.load()) if version > 1 else "x"))

    assert store(path, 1).load() == V1(name="x")
    assert store(path, 2).load() == V2(label="x")


def test_program_without_a_file_of_its_own_is_refused_as_ever(path: Path) -> None:
    store(path, 3).save(V3(label="x"))
    with pytest.raises(SaintError, match="has version 3, this program reads 2"):
        store(path, 2).load()


def test_program_that_may_begin_with_the_default_goes_on_and_its_words_count(path: Path) -> None:
    store(path, 3).save(V3(label="x"))
    newer = path.read_bytes()
    for word in ("none", "b"):
        old = state.StateStore(path, V2, 2, STEPS, begins_with_default=True)
        assert old.load() == V2(label=word)
        old.save(V2(label="b"))
        assert old.problem is None or old.problem.code is Code.STATE_NEWER
    assert old.problem is None
    assert path.read_bytes() == newer, "what the newer release wrote is not ours"
    assert store(path, 3).load() == V3(label="b")


def test_last_word_counts_when_several_programs_stood_in(path: Path) -> None:
    store(path, 1).save(V1(name="x"))
    store(path, 3).save(V3(label="x"))
    for version, word in ((1, "a"), (2, "b"), (1, "c")):
        program = store(path, version)
        program.load()
        program.save(value(version, word))
        assert store(path, 3).load().label == word
    assert store(path, 2).load().label == "c"


def test_damaged_file_beside_is_set_aside_and_an_older_one_taken(path: Path) -> None:
    for version in (1, 2, 3):
        store(path, version).save(value(version, "x"))
    path.with_name(path.name + ".v2").write_text("{")

    old = store(path, 2)
    assert old.load() == V2(label="x")  # migrated from version 1
    assert old.problem is not None
    assert ".v2.damaged-1" in old.problem.message


def test_what_was_forgotten_does_not_come_back_with_an_older_program(path: Path) -> None:
    store(path, 1).save(V1(name="left arm"))
    store(path, 2).save(V2(label="left arm"))
    store(path, 2).forget()
    assert store(path, 1).load() == V1()
    store(path, 2).save(V2(label="head"))
    with pytest.raises(SaintError):  # better an error than the removed role
        store(path, 1).load()


def test_forgetting_under_a_newer_file_forgets_both(path: Path) -> None:
    store(path, 1).save(V1(name="left arm"))
    store(path, 2).save(V2(label="left arm"))
    store(path, 1).forget()
    assert store(path, 1).load() == V1()
    assert store(path, 2).load() == V2()


class Crash(BaseException):
    """The power fails."""


WRITES = ["first", "second"]
STEPS_OF_A_WRITE = ["open", "write", "fsync", "replace", "sync_directory"]


@pytest.mark.parametrize("which", WRITES)
@pytest.mark.parametrize("step", STEPS_OF_A_WRITE)
def test_power_cut_while_the_format_changes_loses_nothing(
    path: Path, which: str, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(path, 1).save(V1(name="left arm"))
    real = state.write_atomic
    count = 0

    def cut(target: Path, data: bytes, mode: int = 0o640) -> None:
        nonlocal count
        count += 1
        if count < WRITES.index(which) + 1:
            real(target, data, mode)
            return
        if step != "open":
            aside = target.with_name(f".{target.name}.new")
            aside.write_bytes(data[: len(data) // 2] if step == "write" else data)
        if step in ("replace", "sync_directory"):
            aside.replace(target)
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(state, "write_atomic", cut)
        with pytest.raises(Crash):
            store(path, 2).save(V2(label="head"))

    is_done = which == "second" and step in ("replace", "sync_directory")
    assert store(path, 1).load().name == "left arm", "the old release goes on"
    assert store(path, 2).load().label == ("head" if is_done else "left arm")
    assert not list(path.parent.glob("*damaged*"))


def test_save_of_an_earlier_value_after_a_stand_in_is_the_last_word(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    for version, word in ((1, "b"), (2, "c"), (1, "b"), (2, "c")):
        program = store(path, version)
        program.load()
        program.save(value(version, word))
    assert text(store(path, 2).load()) == "c"


class Releases(RuleBasedStateMachine):
    """Releases are installed, save, forget and lose power; the last saved value is found. One that
    finds nothing it can read begins with the default."""

    def __init__(self) -> None:
        super().__init__()
        memory = Path("/dev/shm")  # fsync on a busy disk is slow, and nothing is cut here
        place = memory if memory.is_dir() else None
        self.folder = Path(tempfile.mkdtemp(prefix="saint-state-", dir=place))
        self.path = self.folder / "a.json"
        self.version = 1
        self.known = "none"
        self.readers = {1, 2, 3}  # versions that expect to find a value

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    @rule(version=st.sampled_from([1, 2, 3]))
    def another_release(self, version: int) -> None:
        self.version = version

    def program(self) -> state.StateStore[Any]:
        begins = self.version not in self.readers
        model = PROGRAMS[self.version]
        return state.StateStore(self.path, model, self.version, STEPS, begins_with_default=begins)

    @rule(text=st.sampled_from(["a", "b", "c"]))
    def save(self, text: str) -> None:
        program = self.program()
        program.load()
        is_first = not self.path.exists()
        program.save(value(self.version, text))
        self.known = text
        able = {v for v in (1, 2, 3) if v >= self.version}
        self.readers = able if is_first else self.readers | able

    @rule()
    def forget(self) -> None:
        self.program().forget()
        self.known, self.readers = "none", {1, 2, 3}

    @invariant()
    def last_word_is_known_to_the_release_that_said_it(self) -> None:
        found = text(self.program().load())
        assert found in {self.known, *"abc", "none"}
        assert self.version not in self.readers or found != "none" or self.known == "none"

    @invariant()
    def newer_releases_know_the_last_word(self) -> None:
        newest = store(self.path, 3).load()
        assert text(newest) == self.known


TestReleases = Releases.TestCase
TestReleases.settings = limits(max_examples=20, stateful_step_count=15)
