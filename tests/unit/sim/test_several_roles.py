"""Several roles on one simulated board, each in a process of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from saint_services.lib.robot import manifest
from tests.unit.role.role_rig import load_role
from tools.sim import breaking, wiring
from tools.sim.board import SimBoard
from tools.sim.bodies.observer import BodyObserver
from tools.sim.faults import Fault, Faults

MANIFESTS = Path(__file__).parents[3] / "manifests"
UPPER = manifest.load(MANIFESTS, "saint_two").roles
LEFT, RIGHT, HEAD = UPPER["arms.left"], UPPER["arms.right"], UPPER["head"]


@pytest.fixture
def boards(tmp_path: Path) -> Iterator[list[SimBoard]]:
    """Both arms and the head are on it."""
    opened = [SimBoard(tmp_path) for _ in range(3)]
    for board, role in zip(opened, (LEFT, RIGHT, HEAD), strict=True):
        board.prepare(role)
    yield opened
    for board in opened:
        board.close()


def names(observer: BodyObserver) -> list[str]:
    plant = observer.observe()
    observer.close()
    return [joint.name for joint in plant.joints] if plant else []


def test_each_role_has_its_bodies(tmp_path: Path, boards: list[SimBoard]) -> None:
    assert [role.target for role in wiring.roles(tmp_path)] == ["arms.left", "arms.right", "head"]
    assert names(BodyObserver(tmp_path, role="head"))[:3] == ["pan", "tilt", "roll"]
    assert len(names(BodyObserver(tmp_path, role="arms.right"))) == 7
    assert names(BodyObserver(tmp_path, role="tracks")) == []


def test_fault_of_a_name_that_both_arms_have_needs_the_arm(
    tmp_path: Path, boards: list[SimBoard]
) -> None:
    with pytest.raises(SaintError, match="no device has the name joint_0"):
        breaking.break_device(tmp_path, "joint_0", "stall")
    breaking.break_device(tmp_path, "arms.left.joint_0", "stall")
    breaking.break_device(tmp_path, "arms.right.servos", "unplug")
    breaking.break_device(tmp_path, "pan", "unplug")
    felt = {role.target: set(Faults(tmp_path, role.target).read()) for role in (LEFT, RIGHT)}
    assert "joint_0" in felt["arms.left"]
    assert "joint_0" not in felt["arms.right"]
    assert breaking.broken(tmp_path) == {
        "arms.left.joint_0": "stall", "pan": "unplug", "arms.right.servos": "unplug",
    }  # fmt: skip
    assert breaking.clear(tmp_path) == ["arms.left.joint_0", "pan", "arms.right.servos"]
    assert breaking.broken(tmp_path) == {}


def test_supply_is_that_of_the_whole_board(tmp_path: Path, boards: list[SimBoard]) -> None:
    Faults(tmp_path).set("supply", Fault.BROWN_OUT, 4.0)
    for role in (LEFT, HEAD):
        observer = BodyObserver(tmp_path, role=role.target)
        plant = observer.observe()
        assert plant
        assert plant.supply_v == 4.0
        observer.close()


def test_role_that_needs_the_same_takes_the_place_of_another(
    tmp_path: Path, boards: list[SimBoard]
) -> None:
    wiring.store(tmp_path, load_role("tracks"))  # wants the pins of pan and tilt
    assert [role.target for role in wiring.roles(tmp_path)] == ["arms.left", "arms.right", "tracks"]
