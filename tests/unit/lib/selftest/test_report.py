"""The report file: everything that was found, nothing that names this very machine."""

from pathlib import Path

from saint_services.lib.hw import Board
from saint_services.lib.selftest.report import reported
from saint_services.lib.selftest.result import failed, in_order, passed
from tests.unit.lib.selftest.conftest import Tested
from tools.sim.kernel_files import CARD_SERIAL, MAC, SERIAL_NUMBER

SECRETS = (SERIAL_NUMBER, MAC, CARD_SERIAL, "0123456789abcdef0123456789abcdef", "pi_10000000")


def test_report_names_no_machine_even_if_a_check_did(root: Path) -> None:
    said = f"Camera {SERIAL_NUMBER.upper()} at {MAC} on pi_10000000a1b2c3d4, card {CARD_SERIAL}."
    checks = [failed("camera", said, f"Look at {MAC}.")]
    report = reported(root, "1.2.3", "2026-01-01T00:00:00+00:00", checks, {"pi_10000000a1b2c3d4"})
    whole = report.model_dump_json().lower()
    assert [secret for secret in SECRETS if secret.lower() in whole] == []
    assert "(left out)" in report.document


def test_report_of_a_whole_board_names_board_release_and_every_check(
    tested: Tested, board: Board
) -> None:
    found = tested()
    report = reported(board.root(), "1.2.3", "2026-01-01T00:00:00+00:00", found.values(), ())
    assert report.machine == "Raspberry Pi 4 Model B Rev 1.5"
    for check in found.values():
        assert check.title in report.document
    assert "16 pass, 0 fail, 2 not connected, 3 skipped" in report.document
    assert [secret for secret in SECRETS if secret in report.document] == []
    assert max(map(len, report.document.splitlines())) <= 96


def test_later_result_of_a_check_replaces_the_earlier() -> None:
    first, second = passed("card", "one"), failed("card", "two", "three")
    assert in_order([first, passed("board", "x"), second]) == [passed("board", "x"), second]
