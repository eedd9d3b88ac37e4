"""Machines for the image tests. They boot once per session; tests that change one load a snapshot.

Nothing here is collected by `pytest tests`: booting takes minutes and needs a built image. Run
them with `make test-image`.
"""

import os
import time
from collections.abc import Iterator
from typing import Any

import pytest

from saint_services.lib.api.adoption import NodeState
from tests.image.artefacts import FOLDER, Artefacts
from tests.image.forge import Forge
from tests.image.report import Report
from tests.image.rig import HTTP, SAINT, SSH, Pair, Rig
from tests.image.robot import CLAIM, Robot
from tools.vm.machine import Machine

CHOSEN = os.environ.get("SAINT_IMAGE_TESTS", "")
collect_ignore_glob = [] if CHOSEN else ["test_*.py"]

ADOPTED = "adopted"  # the snapshot most tests start from
_RIG = pytest.StashKey[Rig]()
_REPORT = pytest.StashKey[Report]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "image_all: only with `make test-image ARGS=--all`")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if not item.path.is_relative_to(os.path.dirname(__file__)):  # noqa: PTH120
            continue
        # An emulated machine that hangs says so by the wait that fails; this is the last resort.
        item.add_marker(pytest.mark.timeout(1800))
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
    cable = rig.cable("cable")
    server = rig.host(
        "server",
        rig.card("server", "server", claim=CLAIM),
        links=(cable,),
        doors=(SSH, HTTP, SAINT),
    )
    node = rig.host("node", rig.card("node", "node"), links=(cable.turned(),))
    pair = Pair(server, node)
    if rig.kept.is_file():
        wake(pair, ADOPTED)
        return pair
    for host in pair.both():
        host.machine.start()
    for host in pair.both():
        host.machine.wait_up()
    return pair


@pytest.fixture(scope="session")
def adopted(rig: Rig, fresh: Pair, report: Report) -> Robot:
    """The node has the head's role, given with saintctl over ssh. Left as it was by who uses it."""
    robot = Robot(fresh)
    if rig.kept.is_file():
        robot.node_id = rig.kept.read_text()
        return robot
    began = time.monotonic()
    found = robot.wait_node("a node is discovered", lambda n: bool(n.node_id), 600)
    robot.node_id = found.node_id
    said = robot.saintctl("node", "adopt", found.node_id, "head", "--name", "Image test")
    assert said.code == 0, said.text
    robot.wait_node("active", lambda n: n.state is NodeState.ACTIVE, 300)
    report.number("discovery, adoption, ACTIVE (TCG)", time.monotonic() - began, "s")
    for host in fresh.both():
        host.sh("sync")
    keep(fresh, ADOPTED)
    rig.kept.write_text(robot.node_id)
    return robot


@pytest.fixture
def robot(adopted: Robot) -> Robot:
    """A robot that is adopted and idle, to be changed at will: the next test gets a fresh one."""
    go_back(adopted.pair, ADOPTED)
    return adopted


def keep(pair: Pair, tag: str) -> None:
    """A snapshot of both at the same moment, or the one would wait for what the other forgot."""
    for step in (Machine.pause, lambda m: m.save(tag), Machine.resume):
        for host in pair.both():
            step(host.machine)


def wake(pair: Pair, tag: str) -> None:
    """Switch both on in the state of a snapshot of an earlier run."""
    for host in pair.both():
        host.machine.start(paused=True, snapshot=tag)
    for host in pair.both():
        host.machine.resume()


def go_back(pair: Pair, tag: str) -> None:
    """Both machines are again what they were."""
    for step in (Machine.pause, lambda m: m.load(tag), Machine.resume):
        for host in pair.both():
            step(host.machine)
    for host in pair.both():
        host.machine.shell.follow()
        if host.ssh is not None:
            host.ssh.close()


@pytest.fixture(scope="session")
def forge(rig: Rig) -> Forge:
    return Forge(rig.artefacts, rig.folder / "bundles")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """A failure tells what the machines said last."""
    result = yield
    rig = item.config.stash.get(_RIG, None)
    if result.failed and rig is not None:
        for host in rig.hosts:
            if host.machine.is_on:
                result.sections.append((host.machine.hardware.name, host.machine.last_words()))
    return result


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    report = config.stash.get(_REPORT, None)
    if report is not None and report.measured:
        terminalreporter.section("measured in virtual machines (TCG, no hardware virtualisation)")
        for line in report.lines():
            terminalreporter.line(line)
        terminalreporter.line(f"kept in {report.path}")
