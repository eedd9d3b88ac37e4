"""Machines for the image tests. They boot once per session; tests that change one load a snapshot.

Nothing here is collected by `pytest tests`: booting takes minutes and needs a built image. Run
them with `make test-image`.
"""

import os
from collections.abc import Iterator
from typing import Any

import pytest

from tests.image import stages
from tests.image.artefacts import FOLDER, Artefacts
from tests.image.forge import Forge
from tests.image.inputs import EarlierPasses
from tests.image.report import Report
from tests.image.rig import Pair, Rig
from tests.image.robot import Robot
from tools.vm.settings import PATIENCE

CHOSEN = os.environ.get("SAINT_IMAGE_TESTS", "")
collect_ignore_glob = [] if CHOSEN else ["test_*.py"]

_RIG = pytest.StashKey[Rig]()
_REPORT = pytest.StashKey[Report]()
_EARLIER = EarlierPasses() if CHOSEN else None


def pytest_configure(config: pytest.Config) -> None:
    if CHOSEN:
        (FOLDER / "failures.txt").unlink(missing_ok=True)
    config.addinivalue_line("markers", "image_all: only with `make test-image ARGS=--all`")


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "leave out what passed here before with the same image, helpers and file of tests"
    parser.addoption("--resume", action="store_true", help=text)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--resume", default=False) and _EARLIER is not None:
        left_out = [item for item in items if _EARLIER.has(item.nodeid)]
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)
    for item in items:
        if not item.path.is_relative_to(os.path.dirname(__file__)):  # noqa: PTH120
            continue
        # An emulated machine that hangs says so by the wait that fails; this is the last resort.
        item.add_marker(pytest.mark.timeout(1800 * PATIENCE))
        if CHOSEN != "all" and item.get_closest_marker("image_all"):
            item.add_marker(pytest.mark.skip(reason='long: make test-image ARGS="--all"'))


@pytest.fixture(scope="session")
def artefacts() -> Artefacts:
    found = Artefacts.find()
    if found is None:
        pytest.skip("no image and bundle in build/image: make bundle")
    return found


@pytest.fixture(scope="session")
def rig(artefacts: Artefacts, pytestconfig: pytest.Config) -> Iterator[Rig]:
    made = pytestconfig.stash[_RIG] = Rig(artefacts)
    yield made
    made.close()


@pytest.fixture(scope="session")
def report(pytestconfig: pytest.Config) -> Report:
    made = pytestconfig.stash[_REPORT] = Report(FOLDER / "report.json")
    return made


@pytest.fixture(scope="session")
def fresh(rig: Rig) -> Pair:
    """A server and a node on one cable, booted from fresh cards."""
    return stages.boot(rig)


@pytest.fixture(scope="session")
def adopted(rig: Rig, fresh: Pair, report: Report) -> Robot:
    """The node is the robot's head. Tests that use this leave it as it was."""
    return stages.adopt(rig, fresh, report)


@pytest.fixture(scope="session")
def node_reboot(adopted: Robot, report: Report) -> stages.Reboot:
    """The adopted node was switched off and on once."""
    return stages.reboot_node(adopted, report)


@pytest.fixture
def robot(adopted: Robot) -> Robot:
    """The same, to be changed at will: the next test gets a fresh one."""
    stages.restore(adopted.pair, stages.ADOPTED)
    return adopted


@pytest.fixture(scope="session")
def updated(rig: Rig, adopted: Robot, forge: Forge, report: Report) -> Robot:
    """Both machines run their first update. Tests that use this leave it as it was."""
    return stages.update(rig, adopted, forge, report)


@pytest.fixture
def newer_robot(updated: Robot) -> Robot:
    """The same, to be changed at will."""
    stages.restore(updated.pair, stages.UPDATED)
    return updated


@pytest.fixture(scope="session")
def offered(rig: Rig, updated: Robot, forge: Forge) -> Robot:
    """The server runs a release that it offers to the node, which is off."""
    return stages.offer(rig, updated, forge)


@pytest.fixture
def offered_robot(offered: Robot) -> Robot:
    """The same, to be changed at will."""
    stages.restore(offered.pair, stages.OFFERED)
    return offered


@pytest.fixture(scope="session")
def forge(rig: Rig) -> Forge:
    return Forge(rig.artefacts, rig.folder / "bundles")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """A failure shows the machines' last messages."""
    result = yield
    rig = item.config.stash.get(_RIG, None)
    if result.failed and rig is not None:
        for host in rig.hosts:
            if host.machine.is_on:
                result.sections.append((host.machine.hardware.name, host.machine.last_words()))
    return result


@pytest.hookimpl(trylast=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """A run takes hours: what passed and what failed is written down at once, not at its end."""
    if _EARLIER is not None and report.passed and report.when == "call":
        _EARLIER.add(report.nodeid)
    if CHOSEN and report.failed and (text := report.longreprtext):
        FOLDER.mkdir(parents=True, exist_ok=True)
        file = FOLDER / "failures.txt"
        with file.open("a") as out:
            out.write(f"==== {report.nodeid} ({report.when})\n{text}\n")
            out.writelines(f"{name}\n{words}\n" for name, words in report.sections)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    report = config.stash.get(_REPORT, None)
    if report is not None and report.measured:
        terminalreporter.section("measured in virtual machines (TCG, no hardware virtualisation)")
        for line in report.lines():
            terminalreporter.line(line)
        terminalreporter.line(f"kept in {report.path}")
