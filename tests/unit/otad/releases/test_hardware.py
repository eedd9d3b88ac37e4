"""Which hardware a release runs on."""

import pytest

from saint_services.otad.releases.hardware import board_revision, is_minimum, unfit


@pytest.mark.parametrize(
    ("reported", "revision"),
    [
        ("c03114", "1.4"),  # Pi 4B
        ("a02082", "1.2"),  # Pi 3B
        ("902120", "1.0"),  # Pi Zero 2 W
        ("1.3", "1.3"),
        ("000e", "None"),  # the old style
        ("00000e", "None"),
        ("pc-q35-8.2", "None"),
        ("", "None"),
    ],
)
def test_revision_of_a_board_is_read_from_its_code(reported: str, revision: str) -> None:
    assert str(board_revision(reported)) == revision


@pytest.mark.parametrize("minimum", ["", "1.0", "0.9"])
@pytest.mark.parametrize("reported", ["", "902120", "pc"])
def test_release_for_every_board_needs_no_known_revision(minimum: str, reported: str) -> None:
    assert unfit("2.0", minimum, reported) == ""


def test_older_and_unknown_boards_are_named() -> None:
    assert unfit("2.0", "1.2", "a02082") == ""
    assert unfit("2.0", "1.2", "c03111").endswith("or newer; this machine has 1.1")
    assert unfit("2.0", "1.2", "").endswith("this machine's is not known")
    assert "cannot read" in unfit("2.0", "new", "c03114")


@pytest.mark.parametrize(("text", "is_one"), [("", 1), ("1.2", 1), ("1", 0), ("1.2 or so", 0)])
def test_minimum_is_a_number_of_two_parts(text: str, is_one: int) -> None:
    assert is_minimum(text) is bool(is_one)
