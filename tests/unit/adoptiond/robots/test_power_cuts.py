"""A change of the owner's robot on the server: whenever the power goes, the old or the new robot is
in force, and the next change works.
"""

import itertools
import shutil
from pathlib import Path

import pytest

from saint_services.adoptiond.robots.service import RobotService
from saint_services.adoptiond.robots.versions import MOST_VERSIONS
from saint_services.lib.health import Health
from saint_services.lib.robot.source import RobotPlaces, load_robot, template_text
from tests.unit.noded.power_cut import PowerCut, PowerCutError

pytestmark = pytest.mark.slow

MANIFESTS = Path(__file__).resolve().parents[4] / "manifests"
ROVER = template_text(MANIFESTS, "rover")
TEXTS = [ROVER.replace("ROVER-01", name) for name in ("Robi", "Rosa", "Rudi")]
NEW, NEXT = ROVER.replace("ROVER-01", "Neo"), ROVER.replace("ROVER-01", "Nina")
POINTS = 300  # operations on the disk at which the power goes
# How many changes there were before: the first keeps the template too, the 50th removes a version.
BEFORE = (*range(13), MOST_VERSIONS - 2, MOST_VERSIONS - 1, MOST_VERSIONS)


def opened(folder: Path) -> RobotService:
    """The service at its start, without nodes."""
    service = RobotService(RobotPlaces(MANIFESTS, folder, "rover"), Health("adoptiond"))
    service.loaded = service._load()
    return service


def prepared(folder: Path, changes: int) -> None:
    service = opened(folder)
    for number in range(changes):
        service._store(TEXTS[number % 3], "before", "")
        service.loaded = service._load()


def is_stored(service: RobotService, at: int) -> bool:
    """Store a change, and cut the power at an operation on the disk."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        power = PowerCut(monkeypatch, at)
        try:
            service._store(NEW, "after", "")
        except PowerCutError:
            return False
        finally:
            power.left = 10**9
    return True


def check(folder: Path, before: str, *, is_done: bool) -> None:
    found = opened(folder)
    assert found.loaded.text in ((NEW,) if is_done else (before, NEW))
    assert not found.loaded.problem
    assert len(found._versions.all()) == len(found._versions.numbers())  # none is damaged
    assert bool(found._number) == found.loaded.is_own
    found._store(NEXT, "goes on", "")
    assert load_robot(found.places).text == NEXT


def test_power_cut_at_300_points_of_a_change_leaves_the_old_or_the_new_robot(
    tmp_path: Path,
) -> None:
    points = 0
    for changes in BEFORE:
        base = tmp_path / f"{changes}"
        prepared(base, changes)
        for at in itertools.count():
            folder = tmp_path / f"{changes}-{at}"
            if base.exists():
                shutil.copytree(base, folder)
            service = opened(folder)
            is_done = is_stored(service, at)
            check(folder, service.loaded.text, is_done=is_done)
            shutil.rmtree(folder)
            points += 1
            if is_done:
                break
    assert points >= POINTS
