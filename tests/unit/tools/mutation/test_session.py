"""Many mutants of one module, judged by tests that are collected once."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tools.mutation.session import judge_all
from tools.mutation.swap import swap

SOURCE = """\
LIMIT = 3


def table():
    return [LIMIT] * 2


TABLE = table()


class Counter:
    MOST = 2

    def __init__(self):
        self.count = 0

    def add(self, more=1):
        self.count += more

    @property
    def is_full(self):
        return self.count >= self.MOST


class Other(Counter):
    def __init__(self):
        super().__init__()
"""
TESTS = """\
from swapped_module import TABLE as COPY, Counter, Other, table


def test_new_one_is_empty():
    assert not Other().is_full


def test_two_are_full():
    counter = Other()
    counter.add()
    counter.add()
    assert counter.is_full


def test_table():
    assert table() == [3, 3]
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "swapped_module.py").write_text(SOURCE)
    (tmp_path / "test_swapped.py").write_text(TESTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def changed(before: str, after: str) -> str:
    assert before in SOURCE
    return SOURCE.replace(before, after)


def test_each_mutant_is_judged_and_what_noticed_it_is_named(place: Path) -> None:
    sources = [
        SOURCE,
        changed("self.count = 0", "self.count = 2"),
        changed("self.count += more", "self.count -= more"),
        changed("self.count >= self.MOST", "self.count >= 2"),
        changed("more=1", "more=0"),
        changed("MOST = 2", "MOST = 3"),
        changed("LIMIT = 3", "LIMIT = 4"),
        changed("return [LIMIT] * 2", "while True: pass"),
        changed("TABLE = table()", "TABLE = tabel()"),
        SOURCE,
    ]
    tests = [str(place / "test_swapped.py"), "--rootdir", str(place)]
    found = list(judge_all("swapped_module", sources, tests))
    assert [verdict for verdict, _ in found] == [
        "survived", "killed", "killed", "survived", "killed", "killed", "killed", "timeout",
        "killed", "survived",
    ]  # fmt: skip
    assert [name.split("::")[-1] for _, name in found if name] == [
        "test_new_one_is_empty", *("test_two_are_full",) * 3, "test_table",
    ]  # fmt: skip


@pytest.fixture
def module() -> Iterator[ModuleType]:
    found = ModuleType("tests.swapped_here")
    exec(SOURCE, found.__dict__)
    sys.modules[found.__name__] = found
    yield found
    del sys.modules[found.__name__]


def test_objects_that_are_there_follow_the_mutant(module: ModuleType) -> None:
    counter = module.Counter()
    assert swap(module, changed("self.count += more", "self.count -= more"))
    counter.add()
    assert counter.count == -1


def test_constant_that_another_module_has_copied_is_not_swapped(module: ModuleType) -> None:
    user = ModuleType("tests.user_of_swapped")
    user.LIMIT = 3  # type: ignore[attr-defined] - as `from ... import LIMIT` does
    sys.modules[user.__name__] = user
    try:
        assert not swap(module, changed("LIMIT = 3", "LIMIT = 4"))
        assert module.LIMIT == 3
        assert swap(module, changed("self.count = 0", "self.count = 1"))
    finally:
        del sys.modules[user.__name__]
