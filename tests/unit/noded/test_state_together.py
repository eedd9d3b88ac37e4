"""Roles of one node whose configurations change together: whenever the power goes, the node has the
old robot or the new one, never a part of each.
"""

import itertools
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from saint_services.lib import config as settings
from saint_services.lib.robot.manifest import RobotManifest, read_role
from saint_services.lib.role_config.model import RoleConfig
from saint_services.noded.lifecycle.model import Assignment, RoleId
from saint_services.noded.state import NodeFiles
from tests.unit.noded.power_cut import PowerCut, PowerCutError

MANIFESTS = Path(__file__).parents[3] / "manifests"
UPPER = settings.load(RobotManifest, MANIFESTS / "robots" / "saint_two.yaml", required=True)
OLD = [Assignment(*read_role(MANIFESTS, entry), "SAINT-01", "10.0.0.1") for entry in UPPER.roles]
POINTS = 300  # operations on the disk at which the power goes, over all changes of this file


def newer(held: Assignment, version: str = "2.0.0") -> Assignment:
    text = held.text.replace('version: "1.0.0"', f'version: "{version}"')
    text = text.replace("version: 1.0.0", f'version: "{version}"')
    return Assignment(settings.parse(RoleConfig, text, "role"), text, "SAINT-01", "10.0.0.1")


NEW = [newer(each) for each in OLD]


def adopted(directory: Path, roles: list[Assignment]) -> NodeFiles:
    files = NodeFiles(directory)
    for each in roles:
        files.store(each)
    return files


def cut(work: Callable[[], object], at: int) -> bool:
    """Cut the power at an operation on the disk; returns whether the work was done before."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        power = PowerCut(monkeypatch, at)
        try:
            work()
        except PowerCutError:
            return False
        finally:
            power.left = 10**9
    return True


def versions(directory: Path) -> set[str]:
    loaded = NodeFiles(directory).load_roles()
    assert not loaded.is_incomplete
    assert [each.problem for each in loaded.roles] == [""] * len(loaded.roles)
    return {each.held.config.version for each in loaded.roles if each.held}


CHANGES = [range(5), range(1, 5), (0, 2, 4), (1, 3)]


def test_power_cut_at_300_points_leaves_the_old_or_the_new_robot(tmp_path: Path) -> None:
    points = 0
    for number, changed in enumerate(CHANGES):
        before = tmp_path / str(number)
        adopted(before, [OLD[index] for index in changed])
        wanted = [NEW[index] for index in changed]
        for at in itertools.count():
            directory = tmp_path / f"{number}-{at}"
            shutil.copytree(before, directory)
            is_done = cut(lambda d=directory, w=wanted: NodeFiles(d).store_together(w), at)
            found = versions(directory)
            assert found in ({"1.0.0"}, {"2.0.0"})
            points += 1
            if is_done:
                assert found == {"2.0.0"}
                break
    assert points >= POINTS


def interrupted(directory: Path, roles: int, *, written: str = "") -> None:
    """Cut the power once the change of the first so many roles is noted, and in this file."""
    files = adopted(directory, OLD[:roles])
    for at in itertools.count():
        cut(lambda: files.store_together(NEW[:roles]), at)
        if (directory / "next_roles.json").exists() and (
            not written or b"2.0.0" in (directory / written).read_bytes()
        ):
            return


def test_power_cut_while_the_next_start_completes_a_change_leaves_the_new_robot(
    tmp_path: Path,
) -> None:
    before = tmp_path / "interrupted"
    interrupted(before, 3, written="role_config.yaml")
    for at in itertools.count():
        directory = tmp_path / str(at)
        shutil.copytree(before, directory)
        is_done = cut(lambda d=directory: NodeFiles(d).load_roles(), at)
        assert versions(directory) == {"2.0.0"}
        assert not (directory / "next_roles.json").exists()
        if is_done:
            return


def test_full_disk_at_the_next_start_keeps_the_new_robot_in_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(tmp_path, 2)

    def full(*_: object, **__: object) -> int:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(os, "write", full)
    assert {
        each.held.config.version for each in NodeFiles(tmp_path).load_roles().roles if each.held
    } == {"2.0.0"}
    monkeypatch.undo()
    assert versions(tmp_path) == {"2.0.0"}


def test_adoption_after_an_interrupted_change_counts(tmp_path: Path) -> None:
    interrupted(tmp_path, 2)
    NodeFiles(tmp_path).store(newer(OLD[0], "3.0.0"))
    assert versions(tmp_path) == {"3.0.0", "2.0.0"}


def test_role_that_was_reset_does_not_come_back(tmp_path: Path) -> None:
    interrupted(tmp_path, 2)
    NodeFiles(tmp_path).forget(OLD[1].wanted)
    roles = NodeFiles(tmp_path).load_roles().roles
    assert [each.wanted for each in roles] == [RoleId("head")]
