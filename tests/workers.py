"""Which of pytest's workers gets which file. The first worker gets those that share a robot, one
after the other, then the other robots; the others get the pages. They meet where nothing is left:
real processes mostly wait and pages mostly compute, and only one robot runs beside the pages.
Not here: how a robot is shared (integration/shared.py).
"""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler.loadfile import LoadFileScheduling
from xdist.workermanage import WorkerController

_ROOT = Path(__file__).parents[1]
_SHARING = "the files that share a robot"
_WANTS_ROBOT = re.compile(r"^from tests\.integration\.robot import .*\bRobot\b", re.MULTILINE)
_HAS_ITS_OWN = re.compile(r"\bchanges_robot\b|^def robot\(", re.MULTILINE)


class FromBothEnds(LoadFileScheduling):  # type: ignore[misc]  # xdist has no types
    """The order is that of `in_order`: the first worker takes from its beginning, others its end.
    Where this takes a file for another kind than it is, the run takes longer, and no more.
    """

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return _SHARING if is_sharing(_ROOT / file) else file

    def _assign_work_unit(self, node: WorkerController) -> None:
        if node is not self.nodes[0]:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)


_known: dict[Path, bool] = {}


def is_sharing(file: Path) -> bool:
    """Whether its tests leave the shared robot as they found it, to the next file's."""
    if file not in _known:
        text = file.read_text(encoding="utf-8")
        _known[file] = bool(_WANTS_ROBOT.search(text)) and not _HAS_ITS_OWN.search(text)
    return _known[file]


def in_order(items: list[pytest.Item]) -> list[pytest.Item]:
    """Robots first, the shared one before all; pages last, the file with most tests last of all."""
    counts = Counter(item.path for item in items)
    sharing = {item.path for item in items if "shared_robot" in getattr(item, "fixturenames", ())}

    def place(item: pytest.Item) -> tuple[Any, ...]:
        if item.get_closest_marker("web"):
            return 3, counts[item.path], item.path
        if item.path not in sharing:
            return 2, -counts[item.path], item.path
        return int(bool(item.get_closest_marker("changes_robot"))), 0, item.path

    return sorted(items, key=place)
