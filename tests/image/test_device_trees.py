"""The card has the device tree of every board and every overlay that config.txt names for it; they
merge. What the result must say needs no card: tests/unit/tools/image/test_device_trees.py.
"""

from pathlib import Path

import pytest

from saint_services.lib.selftest.boards import SupportedBoard
from tests.image.artefacts import Artefacts
from tests.image.pi_board import merged_tree
from tools.image.boot.boards import Boards
from tools.image.boot.device_tree import DeviceTree
from tools.vm.disk import Card
from tools.vm.programs import Programs


@pytest.mark.parametrize("board", Boards.read().boards, ids=lambda board: board.tree)
def test_overlays_of_the_card_merge_with_its_trees(
    artefacts: Artefacts, tmp_path: Path, board: SupportedBoard
) -> None:
    card = Card(artefacts.disk, Programs.find())
    tree = DeviceTree.read(merged_tree(card, board, tmp_path))
    assert [pin for pin, paths in tree.holders().items() if len(paths) > 1] == []
    assert tree.is_on("/soc/serial@7e201000")
