"""The display driver against a model of its frame memory; the font."""

from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.displays import font
from saint_services.lib.hw.displays.ssd1306 import COLUMNS, PAGES, Ssd1306
from tools.sim.board import SimBoard, chip_file
from tools.sim.chips.outputs import ChipFault, Ssd1306Chip
from tools.sim.observe import read_display, set_chip_answers

EVERYTHING = "".join(map(chr, range(32, 127)))


@pytest.fixture
def board(tmp_path: Path) -> SimBoard:
    return SimBoard(tmp_path)


def test_display_is_on_and_empty_after_opening(board: SimBoard, tmp_path: Path) -> None:
    Ssd1306(board.i2c(1), 0x3C, "display")
    assert read_display(tmp_path).lines == ("",) * 8


def test_text_appears_row_by_row(board: SimBoard, tmp_path: Path) -> None:
    display = Ssd1306(board.i2c(1), 0x3C, "display")
    display.show(["first", "", "third"])
    assert read_display(tmp_path).lines == ("first", "", "third", "", "", "", "", "")


def test_every_character_of_the_font_reads_back(board: SimBoard, tmp_path: Path) -> None:
    display = Ssd1306(board.i2c(1), 0x3C, "display")
    rows = [EVERYTHING[start : start + COLUMNS] for start in range(0, len(EVERYTHING), COLUMNS)]
    display.show(rows)
    assert read_display(tmp_path).lines[: len(rows)] == tuple(row.rstrip() for row in rows)


def test_all_glyphs_differ_and_fit() -> None:
    glyphs = [font.text_row(character, 6) for character in EVERYTHING]
    assert len(set(glyphs)) == 95
    assert all(glyph[5] == 0 and max(glyph) < 128 for glyph in glyphs)


def test_glyph_is_drawn_with_the_top_row_in_the_lowest_bit() -> None:
    assert font.text_row("T", 6) == bytes((0x01, 0x01, 0x7F, 0x01, 0x01, 0x00))


def test_what_the_font_lacks_is_a_question_mark() -> None:
    assert font.text_row("ä\n", 12) == font.text_row("??", 12)


def test_too_much_text_is_cut(board: SimBoard, tmp_path: Path) -> None:
    Ssd1306(board.i2c(1), 0x3C, "display").show(["x" * 100] * 20)
    assert read_display(tmp_path).lines == ("x" * 21,) * PAGES


def test_only_changed_pages_are_sent(board: SimBoard) -> None:
    bus = board.i2c(1)
    display = Ssd1306(bus, 0x3C, "display")
    display.show(["one", "two"])
    sent: list[bytes] = []
    bus.write = lambda address, data: sent.append(data)  # type: ignore[method-assign]
    display.show(["one", "two"])
    assert sent == []
    display.show(["one", "2"])
    assert [data[0] for data in sent] == [0x00, 0x40]
    assert sent[0] == bytes((0x00, 0x21, 0, 127, 0x22, 1, 1))
    assert len(sent[1]) == 129


def test_show_can_be_bounded_to_one_page_at_a_time(board: SimBoard, tmp_path: Path) -> None:
    display = Ssd1306(board.i2c(1), 0x3C, "display")
    display.show(["a", "b"], 1)
    assert read_display(tmp_path).lines[:2] == ("a", "")
    assert not display.is_shown
    display.show(["a", "b"], 1)
    assert display.is_shown


def test_failed_page_is_sent_again(board: SimBoard, tmp_path: Path) -> None:
    display = Ssd1306(board.i2c(1), 0x3C, "display")
    set_chip_answers(tmp_path, 1, 0x3C, False, "ssd1306")
    with pytest.raises(OSError, match="no acknowledge"):
        display.show(["a"])
    set_chip_answers(tmp_path, 1, 0x3C, True, "ssd1306")
    display.show(["a"])
    assert read_display(tmp_path).lines[0] == "a"


def test_display_that_was_unplugged_shows_everything_again(board: SimBoard, tmp_path: Path) -> None:
    display = Ssd1306(board.i2c(1), 0x3C, "display")
    display.show(["first", "second"])
    chip = Ssd1306Chip(tmp_path / chip_file(1, 0x3C))
    chip.set_fault(ChipFault.UNPLUGGED)
    with pytest.raises(OSError, match="no acknowledge"):
        display.show(["first", "other"])
    chip.set_fault(ChipFault.NONE)
    assert read_display(tmp_path).lines[0] == ""  # after power it is off
    display.show(["first", "other"])
    assert read_display(tmp_path).lines[:2] == ("first", "other")
    chip.close()


def test_missing_display_is_named(board: SimBoard) -> None:
    with pytest.raises(SaintError, match="display: no SSD1306 answers at I2C address 0x3d") as err:
        Ssd1306(board.i2c(1), 0x3D, "display")
    assert err.value.code is Code.HARDWARE_MISSING


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (ChipFault.UNPLUGGED, "no acknowledge"),
        (ChipFault.DEAF, "no acknowledge"),
        (ChipFault.STUCK, "held low"),
    ],
)
def test_display_on_a_bad_bus_is_an_error_at_its_opening_and_at_work(
    board: SimBoard, tmp_path: Path, fault: ChipFault, words: str
) -> None:
    display = Ssd1306(board.i2c(1), 0x3C, "display")
    chip = Ssd1306Chip(tmp_path / chip_file(1, 0x3C))
    chip.set_fault(fault)
    with pytest.raises(OSError, match=words):
        display.show(["a"])
    with pytest.raises(SaintError, match="display: no SSD1306 answers"):
        Ssd1306(board.i2c(1), 0x3C, "display")
    chip.set_fault(ChipFault.NONE)
    display.show(["a"])
    assert read_display(tmp_path).lines[0] == "a"
    chip.close()


def test_dark_display_shows_nothing(board: SimBoard, tmp_path: Path) -> None:
    display = Ssd1306(board.i2c(1), 0x3C, "display")
    display.show(["text"])
    display.off()
    assert read_display(tmp_path).lines == ("",) * 8
