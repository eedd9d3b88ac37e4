"""The measurement of the card leaves nothing behind, and says why it could not be made."""

from pathlib import Path

import pytest

from saint_services.lib.selftest import card_facts
from saint_services.lib.selftest.card_facts import measure


def test_measurement_gives_all_numbers_and_removes_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(card_facts, "SIZE_BYTES", 2 << 20)
    found = measure(tmp_path)
    assert found.problem == ""
    assert min(found.write_mbps, found.read_mbps, found.slowest_ms) > 0.0
    assert list(tmp_path.iterdir()) == []


def test_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    assert "No such file" in measure(tmp_path / "gone").problem


def test_full_card_is_not_filled_further(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_facts, "_LEAST_FREE_BYTES", 1 << 60)
    assert measure(tmp_path).problem == "less than 128 MB are free"
