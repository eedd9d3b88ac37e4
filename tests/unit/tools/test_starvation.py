"""Timed tests are tried again when the computer had no time for them, and only then."""

import pytest

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.timeout(60)  # each runs a pytest of its own

TRIED = """
    import pathlib, pytest
    from tests import starvation

    LOST = iter({lost})
    starvation.withheld_s = lambda: next(LOST)
    tries = pathlib.Path("tries")

    {mark}
    def test_it():
        with tries.open("a") as file:
            file.write("x")
        assert len(tries.read_text()) > {failures}
"""
SLOW_FIXTURE = """@pytest.mark.usefixtures("made")
    def test_it():
        pass

    @pytest.fixture(scope="module")
    def made():"""
FAILS_AT_ITS_END_TOO = """@pytest.mark.usefixtures("made")
    def test_it():
        pass

    @pytest.fixture(scope="session")
    def robot():
        yield
        assert len(tries.read_text()) > 2, "a test left it changed"

    @pytest.fixture(scope="module")
    def made(robot):"""
BUSY, CALM = "[0.0, 1.0] * 9", "[0.0] * 18"
TIMED = "@pytest.mark.timed"


def run(pytester: pytest.Pytester, lost: str, failures: int, mark: str = TIMED) -> tuple[bool, int]:
    """Whether it passed, and how often it ran."""
    return run_text(pytester, TRIED.format(lost=lost, failures=failures, mark=mark))


def run_text(pytester: pytest.Pytester, text: str) -> tuple[bool, int]:
    pytester.makeini("[pytest]\nmarkers = timed")
    pytester.makepyfile(text)
    done = pytester.runpytest_subprocess("-p", "tests.starvation", "-p", "no:hypothesispytest")
    is_reported = "tried again" in done.stdout.str()
    tries = len((pytester.path / "tries").read_text())
    assert is_reported == (tries > 1)
    return done.ret == 0, tries


@pytest.fixture(autouse=True)
def found(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.setenv("PYTHONPATH", str(request.config.rootpath))


def test_failure_on_a_busy_computer_is_tried_again_and_reported(pytester: pytest.Pytester) -> None:
    assert run(pytester, BUSY, failures=2) == (True, 3)


def test_fixture_of_many_tests_is_made_again(pytester: pytest.Pytester) -> None:
    text = TRIED.format(lost=BUSY, failures=2, mark=TIMED).replace("def test_it():", SLOW_FIXTURE)
    assert run_text(pytester, text) == (True, 3)


def test_fixture_that_fails_at_its_end_too_is_made_again(pytester: pytest.Pytester) -> None:
    text = TRIED.format(lost=BUSY, failures=2, mark=TIMED)
    text = text.replace("def test_it():", FAILS_AT_ITS_END_TOO)
    another = "\n    @pytest.mark.usefixtures('robot')\n    def test_other():\n        pass\n"
    assert run_text(pytester, text + another) == (True, 3)


def test_failure_that_lasts_is_a_failure(pytester: pytest.Pytester) -> None:
    assert run(pytester, BUSY, failures=9) == (False, 3)


def test_failure_on_a_calm_computer_is_a_failure_at_once(pytester: pytest.Pytester) -> None:
    assert run(pytester, CALM, failures=1) == (False, 1)


def test_test_without_deadlines_is_never_tried_again(pytester: pytest.Pytester) -> None:
    assert run(pytester, BUSY, failures=1, mark="") == (False, 1)
