"""The table of boards that the image ships for its self-test."""

from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from saint_services.lib.selftest.boards import BoardTable
from tests.unit.lib.selftest.conftest import REPOSITORY

TABLE = BoardTable.read(REPOSITORY)


def test_board_is_found_by_any_of_its_names() -> None:
    found = TABLE.board(["raspberrypi,4-compute-module-io", "raspberrypi,4-compute-module"])
    assert found and found.name == "CM4"
    assert TABLE.board(["raspberrypi,5-model-b", "brcm,bcm2712"]) is None


def test_every_board_has_a_name_of_its_own() -> None:
    names = [board.compatible for board in TABLE.boards]
    assert len(set(names)) == len(names) == 8


def test_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(SaintError, match=r"boards\.yaml cannot be read"):
        BoardTable.read(tmp_path)
