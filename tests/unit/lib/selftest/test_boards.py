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


def test_board_that_needs_raspberry_pi_os_is_none_of_the_image() -> None:
    names = ["raspberrypi,5-model-b", "brcm,bcm2712"]
    found = TABLE.pi_os_board(names)
    assert found and found.name == "Pi 5"
    assert TABLE.pi_os_board(["raspberrypi,4-model-b"]) is None


def test_limits_of_a_pi_5_name_each_function_with_its_reason() -> None:
    limits = TABLE.limits(["raspberrypi,5-model-b", "brcm,bcm2712"])
    assert limits
    assert any("apt updates the system" in each for each in limits.fails)
    assert "pigpiod (it does not know this board's pins)" in limits.fails
    assert any("GPIO14 and GPIO15 (dtparam=uart0" in each for each in limits.works)
    assert len(limits.works) + len(limits.fails) == len(TABLE.raspberry_pi_os.functions)
    older = TABLE.limits(["raspberrypi,4-model-b"])
    assert older and older.name == "Pi 4B"
    assert any(each.startswith("pigpiod") for each in older.works)
    assert TABLE.limits(["raspberrypi,model-b"]) is None


def test_every_board_has_a_name_of_its_own() -> None:
    names = [board.compatible for board in TABLE.boards]
    assert len(set(names)) == len(names) == 8


def test_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(SaintError, match=r"boards\.yaml cannot be read"):
        BoardTable.read(tmp_path)
