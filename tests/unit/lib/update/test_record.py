"""update.json over its versions."""

import json
from pathlib import Path

from saint_services.lib.api.firmware import UpdateVerdict
from saint_services.lib.update.record import LastRun, UpdatePhase, UpdateRecord, store

# As version 1 wrote it, in the middle of an update.
SAMPLE_1 = {
    "version_of_format": 1,
    "pending": {
        "kind": "install", "phase": "switched", "version": "0.2.0", "checksum_sha256": "ab",
        "from_version": "0.1.0", "from_slot": "A", "to_slot": "B", "attempt": 1,
        "activations": 3, "restarts": 1,
        "before": {"failed_units": ["role head"], "role_answered": False, "server_answers": True},
        "reason": "", "log_excerpt": "",
    },
    "last": {
        "version": "0.1.9", "attempt": 2, "verdict": "rolled_back", "reason": "r",
        "log_excerpt": "",
    },
    "bad": [{"version": "0.1.9", "checksum_sha256": "cd"}],
    "slots": {"A": "0.1.0"},
    "must_download": False,
}  # fmt: skip

SAMPLE_2 = SAMPLE_1 | {
    "version_of_format": 2,
    "pending": SAMPLE_1["pending"] | {"cuts": 2},  # type: ignore[operator]
    "last_run": {"answered": ["role head"], "silent": ["the server"]},
    "watched": {
        "kind": "install", "version": "0.1.9", "checksum_sha256": "cd", "slot": "B",
        "back_version": "0.1.0", "back_slot": "A", "attempt": 1,
        "before": {"failed_units": [], "role_answered": True, "server_answers": True},
        "left_s": 1200.0,
    },
}  # fmt: skip


def test_record_of_version_1_is_read(tmp_path: Path) -> None:
    (tmp_path / "update.json").write_text(json.dumps(SAMPLE_1))
    found = store(tmp_path).load()
    assert found.pending and found.pending.phase is UpdatePhase.SWITCHED
    assert found.pending.cuts == 0
    assert found.last.verdict is UpdateVerdict.ROLLED_BACK
    assert (found.last_run, found.watched) == (LastRun(), None)


def test_record_of_a_newer_format_alone_begins_with_an_empty_one(tmp_path: Path) -> None:
    """A card that began with a newer release was led back to this one: nothing is beside it."""
    text = '{"version_of_format": 99, "pending": {"to_slot": "B"}}'
    (tmp_path / "update.json").write_text(text)
    found = store(tmp_path)
    assert found.load() == UpdateRecord()
    found.save(UpdateRecord(slots={"A": "0.1.0"}))
    assert store(tmp_path).load().slots == {"A": "0.1.0"}
    assert (tmp_path / "update.json").read_text() == text


def test_record_of_version_2_is_read(tmp_path: Path) -> None:
    (tmp_path / "update.json").write_text(json.dumps(SAMPLE_2))
    found = store(tmp_path).load()
    assert found.pending and found.pending.cuts == 2
    assert found.pending.before.answered is None, "all but what failed is judged"
    assert found.watched and found.watched.left_s == 1200.0
