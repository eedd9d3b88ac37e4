"""The latch after a start: stored, in doubt, lost, and at the first start."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.routerd.estop.latch import (
    LONGEST_REASON,
    LONGEST_SOURCE,
    MOST_PRESSES,
    Latch,
    cleared,
    raised,
    unseen,
)
from saint_services.routerd.estop.latch_file import LARGEST_BYTES, LatchFile
from saint_services.routerd.estop.latch_start import MARKER, after_start, leave_marker
from saint_services.routerd.state import decode_latch, encode_latch

NOW = 1_790_000_000  # wall time


def saved(folder: Path, latch: Latch) -> Latch:
    LatchFile(folder).write(encode_latch(latch))
    return latch


@pytest.mark.parametrize("exists", [False, True])
def test_first_start_begins_not_stopped(tmp_path: Path, exists: bool) -> None:
    start = after_start(tmp_path if exists else tmp_path / "none", NOW)
    assert start.latch == Latch(generation=NOW)
    assert start.doubt == ""


def test_stored_latch_is_as_it_was(tmp_path: Path) -> None:
    stopped = raised(raised(Latch(generation=7), "A", "r"), "B", "child in front")
    for latch in (stopped, cleared(stopped, "A")):
        saved(tmp_path, latch)
        assert replace(after_start(tmp_path, NOW).latch, ahead=0) == latch


def test_generation_after_a_start_leaves_room_for_presses_that_were_not_stored(
    tmp_path: Path,
) -> None:
    saved(tmp_path, Latch(generation=7))
    latch = after_start(tmp_path, NOW).latch
    assert (latch.active, latch.generation) == (False, 7)  # a higher one would release roles
    assert [raised(latch, "A", "").generation, cleared(latch, "A").generation] == [1008, 1008]
    assert raised(raised(latch, "A", ""), "B", "").generation == 1009


def test_clear_that_saw_a_press_which_was_lost_does_not_fit_another(tmp_path: Path) -> None:
    before = saved(tmp_path, Latch(generation=7))
    seen = raised(before, "A", "published, then the power went").generation
    after = raised(after_start(tmp_path, NOW).latch, "B", "child in front")
    assert "child in front" in unseen(after, seen)


@pytest.mark.parametrize("trace", [MARKER, "routes.yaml", "presets", "estop.json"])
def test_missing_latch_of_a_robot_that_has_run_means_stopped(tmp_path: Path, trace: str) -> None:
    (tmp_path / trace).write_text("x")
    start = after_start(tmp_path, NOW)
    assert start.latch.active
    assert f"has run before ({trace} is there)" in start.latch.reason


@pytest.mark.parametrize("content", [b"", b"{", bytes(131_072), b"x" * 131_072])
def test_unreadable_latch_means_stopped_though_nothing_else_is_there(
    tmp_path: Path, content: bytes
) -> None:
    LatchFile(tmp_path).path.write_bytes(content)
    start = after_start(tmp_path, NOW)
    assert start.latch.active and start.doubt


def test_damage_of_one_record_means_stopped_and_keeps_the_presses(tmp_path: Path) -> None:
    latch = raised(Latch(generation=7), "A", "child in front")
    for each in (latch, cleared(latch, "A")):
        file = LatchFile(tmp_path)
        saved(tmp_path, each)
        raw = bytearray(file.path.read_bytes())
        raw[60] ^= 1
        file.path.write_bytes(raw)
        start = after_start(tmp_path, NOW)
        assert start.latch.active
        assert start.latch.generation > latch.generation
        assert start.latch.presses[: len(each.presses)] == each.presses


def test_record_of_a_newer_program_means_stopped(tmp_path: Path) -> None:
    newer = json.loads(encode_latch(Latch())) | {"version_of_format": 2}
    LatchFile(tmp_path).write(json.dumps(newer).encode())
    start = after_start(tmp_path, NOW)
    assert start.latch.active and "version 2" in start.doubt


@pytest.mark.parametrize(
    "record", [b"", b"[]", b"null", b"{}", b'{"version_of_format": 1, "x": 1}']
)
def test_record_that_is_none_is_refused(record: bytes) -> None:
    with pytest.raises(SaintError) as caught:
        decode_latch(record)
    assert caught.value.code in (Code.STATE_DAMAGED, Code.STATE_NEWER)


def test_stored_sample_of_version_1_is_read() -> None:
    record = (
        b'{"version_of_format": 1, "active": true, "source": "A", "reason": "r", "generation": 8,'
        b' "presses": [{"source": "A", "reason": "r", "since": "then", "generation": 8}],'
        b' "more": 2}'
    )
    latch = decode_latch(record)
    assert (latch.active, latch.generation, latch.more) == (True, 8, 2)
    assert [(each.source, each.since) for each in latch.presses] == [("A", "then")]
    assert encode_latch(latch) == record


@pytest.mark.parametrize("letter", ["x", "\N{FIRE}", "\x00", "\ud800"])
def test_longest_presses_fit_into_a_record(letter: str) -> None:
    latch = Latch(generation=2**62)
    for _ in range(3 * MOST_PRESSES):
        latch = raised(latch, letter * 2 * LONGEST_SOURCE, letter * 2 * LONGEST_REASON)
    latch = replace(latch, presses=tuple(replace(p, since="x" * 25) for p in latch.presses))
    assert len(encode_latch(latch)) <= LARGEST_BYTES
    assert decode_latch(encode_latch(latch)).generation == latch.generation


def test_lost_latch_begins_above_the_marked_generation_when_the_clock_is_wrong(
    tmp_path: Path,
) -> None:
    leave_marker(tmp_path, Latch(generation=NOW + 500))
    os.utime(tmp_path / MARKER, (0, 0))
    assert after_start(tmp_path, 100).latch.generation > NOW + 500


def test_lost_latch_begins_above_the_time_of_what_else_is_there(tmp_path: Path) -> None:
    (tmp_path / "routes.yaml").write_text("x")
    os.utime(tmp_path / "routes.yaml", (NOW, NOW))
    assert after_start(tmp_path, 100).latch.generation > NOW


def test_marker_that_cannot_be_read_or_written_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / MARKER).write_bytes(b"\xff" * 100)
    assert after_start(tmp_path, NOW).latch.active
    (tmp_path / "file").write_text("")
    leave_marker(tmp_path / "file", Latch(generation=NOW))


def test_lost_latch_begins_a_million_above_what_roles_may_remember(tmp_path: Path) -> None:
    leave_marker(tmp_path, Latch(generation=NOW + 500_000_000))
    start = after_start(tmp_path, 5)
    # The press itself is one more.
    assert start.latch.generation == NOW + 500_000_000 + 1_000_000 + 1


def test_marker_that_was_damaged_does_not_take_all_generations(tmp_path: Path) -> None:
    (tmp_path / MARKER).write_bytes(b"9" * 40)
    assert after_start(tmp_path, NOW).latch.generation == 2**62 + 1_000_000 + 1
    (tmp_path / MARKER).write_bytes(b"no number")
    latch = after_start(tmp_path, NOW + 500_000_000).latch
    assert latch.generation == NOW + 500_000_000 + 1_000_000 + 1


def test_doubt_names_three_files_at_most(tmp_path: Path) -> None:
    for name in "dcba":
        (tmp_path / name).touch()
    assert "(a, b, c is there)" in after_start(tmp_path, NOW).doubt


def test_damaged_latch_is_called_damaged(tmp_path: Path) -> None:
    saved(tmp_path, Latch(generation=7))
    LatchFile(tmp_path).path.write_bytes(b"x" * 131_072)
    start = after_start(tmp_path, NOW)
    assert start.latch.active
    assert start.doubt.endswith("is damaged")


def test_doubt_of_one_start_after_the_other_is_one_press(tmp_path: Path) -> None:
    saved(tmp_path, Latch(generation=7))
    with LatchFile(tmp_path).path.open("r+b") as file:
        file.write(b"x")  # one of the two records
    first = after_start(tmp_path, NOW).latch
    file_of_both = LatchFile(tmp_path)
    file_of_both.write(encode_latch(first))
    file_of_both.write(encode_latch(first))
    with file_of_both.path.open("r+b") as file:
        file.write(b"x")
    second = after_start(tmp_path, NOW).latch
    assert second.active
    assert len(second.presses) == 1


def test_presses_of_two_starts_that_stored_nothing_have_different_generations(
    tmp_path: Path,
) -> None:
    """A page may show a press that the power cut kept from the disk. Clearing that one must not fit
    a press after the next start.
    """
    LatchFile(tmp_path).write(encode_latch(Latch(generation=NOW)))
    pressed = []
    for _ in range(3):
        begun = after_start(tmp_path, 100).latch
        leave_marker(tmp_path, begun)
        pressed.append(raised(begun, "A", "page").generation)
    assert pressed == sorted(set(pressed))
