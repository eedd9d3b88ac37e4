"""The tool that judges our tests: which changes it makes, and what it calls killed."""

from pathlib import Path

import pytest

from tools.mutation.equivalent import EQUIVALENT
from tools.mutation.mutants import mutants, names
from tools.mutation.runner import judge
from tools.mutation.targets import TARGETS

ROOT = Path(__file__).parents[4]
SOURCE = '''\
"""A docstring stays."""

LIMIT = 3


def small(x: int, flag: bool = False) -> int:
    """So does this one."""
    if x < LIMIT and not flag:
        return -x
    assert x > 0
    return x + 1
'''


def test_each_mutant_is_another_program_with_one_change() -> None:
    made = mutants(SOURCE)
    assert len({mutant.source for mutant in made}) == len(made)
    for mutant in made:
        compile(mutant.source, "mutant", "exec")
        assert '"""A docstring stays."""' in mutant.source
        assert "assert x > 0" in mutant.source


def test_changes_are_those_of_the_kinds_that_there_are() -> None:
    assert [(mutant.line, mutant.what) for mutant in mutants(SOURCE)] == [
        (3, "3 -> 4"),
        (6, "False -> True"),
        (8, "True: if x < LIMIT and (not flag)"),
        (8, "False: if x < LIMIT and (not flag)"),
        (8, "Or: x < LIMIT and (not flag)"),
        (8, "Lt -> LtE: x < LIMIT"),
        (8, "Lt -> GtE: x < LIMIT"),
        (8, "without not: not flag"),
        (9, "without minus: -x"),
        (11, "Sub: x + 1"),
        (11, "1 -> 2"),
    ]


def test_bound_is_not_changed_where_it_makes_no_difference() -> None:
    found = mutants("def f(y, low):\n    return low if y < low else y\n")
    assert [mutant.what for mutant in found if "->" in mutant.what] == ["Lt -> GtE: y < low"]


def test_change_is_named_alone_or_with_its_statement_and_function() -> None:
    source = "def f(x):\n    return x > 0\n\n\ndef g(x):\n    return x > 0\n"
    name = "0 -> 1 in return x > 0"
    for known, count in (("0 -> 1", 2), (name, 2), (f"{name} of g()", 1), (f"{name} of h()", 0)):
        assert sum(each.is_one_of({known}) for each in mutants(source)) == count
        assert (known in names(source)) is (count > 0)


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("def f():\n    return 1\n", "survived"),
        ("def f():\n    return 2\n", "killed"),
        ("def f(:\n", "killed"),
        ("def f():\n    while True:\n        pass\n", "timeout"),
    ],
)
def test_verdict_is_that_of_the_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, verdict: str
) -> None:
    (tmp_path / "judged_module.py").write_text("def f():\n    return 1\n")
    (tmp_path / "test_judged.py").write_text(
        "from judged_module import f\n\n\ndef test_it():\n    assert f() == 1\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    stages = [[str(tmp_path / "test_judged.py"), "--rootdir", str(tmp_path)]]
    limit_s = 3.0 if verdict == "timeout" else 60.0
    assert judge("judged_module", body, stages, limit_s) == verdict


@pytest.mark.parametrize("path", EQUIVALENT)
def test_each_equivalent_change_still_exists(path: str) -> None:
    assert path in TARGETS
    assert EQUIVALENT[path].keys() <= names((ROOT / path).read_text())


def test_all_tests_that_are_to_notice_exist() -> None:
    named = {path for stages in TARGETS.values() for stage in stages for path in stage}
    assert [path for path in named if not (ROOT / path).exists()] == []
