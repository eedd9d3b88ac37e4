"""The file of the latch: in place, on a full disk, torn, damaged, gone."""

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.routerd.estop import latch_file
from saint_services.routerd.estop.latch_file import LARGEST_BYTES, SLOT_BYTES, LatchFile


@pytest.fixture
def file(tmp_path: Path) -> LatchFile:
    made = LatchFile(tmp_path)
    made.write(b"first")
    return made


def test_newest_record_counts(file: LatchFile) -> None:
    for number in range(5):
        file.write(b"%d" % number)
        content = file.read()
        assert (content.payload, content.problem) == (b"%d" % number, "")


def test_file_is_overwritten_in_place_with_all_its_blocks(file: LatchFile) -> None:
    before = file.path.stat()
    for _ in range(3):
        file.write(b"x" * LARGEST_BYTES)
    after = file.path.stat()
    assert (after.st_ino, after.st_size) == (before.st_ino, 2 * SLOT_BYTES)
    assert before.st_blocks * 512 >= 2 * SLOT_BYTES


def test_record_that_is_too_large_is_refused_and_the_old_one_stays(file: LatchFile) -> None:
    with pytest.raises(SaintError, match="does not fit"):
        file.write(b"x" * (LARGEST_BYTES + 1))
    assert file.read().payload == b"first"


@pytest.mark.parametrize("slot", [0, 1])
@pytest.mark.parametrize("offset", [0, 8, 16, 20, 52, 56])  # each part of a record
def test_one_damaged_byte_is_noticed_beside_the_other_record(
    file: LatchFile, slot: int, offset: int
) -> None:
    raw = bytearray(file.path.read_bytes())
    raw[slot * SLOT_BYTES + offset] ^= 1
    file.path.write_bytes(raw)
    content = file.read()
    assert content.payload == b"first"
    assert "damaged" in content.problem


@pytest.mark.parametrize("size", [0, 1, SLOT_BYTES, SLOT_BYTES + 60])
def test_cut_off_file_is_a_problem_and_is_made_whole_by_the_next_write(
    file: LatchFile, size: int
) -> None:
    os.truncate(file.path, size)
    assert file.read().problem
    file.write(b"second")
    assert (file.read().payload, file.read().problem) == (b"second", "")


def test_both_records_damaged_is_nothing_to_go_by(file: LatchFile) -> None:
    file.path.write_bytes(bytes(2 * SLOT_BYTES))
    assert file.read().payload is None and "damaged" in file.read().problem


def test_missing_file_differs_from_a_damaged_one(file: LatchFile) -> None:
    file.path.unlink()
    with pytest.raises(FileNotFoundError):
        file.read()
    file.write(b"again")
    assert file.read().payload == b"again"


def test_folder_in_its_place_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / latch_file.NAME).mkdir()
    assert LatchFile(tmp_path).read().problem
    with pytest.raises(SaintError) as caught:
        LatchFile(tmp_path).write(b"x")
    assert caught.value.code is Code.INTERNAL


def test_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    elsewhere = LatchFile(tmp_path / "elsewhere")
    elsewhere.write(b"open")
    (tmp_path / latch_file.NAME).symlink_to(elsewhere.path)
    assert LatchFile(tmp_path).read().problem


@pytest.mark.parametrize("done", range(0, 60, 7))
def test_write_torn_anywhere_is_never_the_old_state_without_a_problem(
    file: LatchFile, monkeypatch: pytest.MonkeyPatch, done: int
) -> None:
    """A power cut after some bytes."""

    def torn(descriptor: int, data: bytes, offset: int) -> int:
        if done:
            real(descriptor, bytes(data[:done]), offset)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    real = os.pwrite
    monkeypatch.setattr(os, "pwrite", torn)
    with pytest.raises(SaintError, match="Input/output error"):
        file.write(b"second record")
    monkeypatch.undo()
    content = file.read()
    assert (content.problem != "") == (done > 15)  # from the sequence on the bytes differ


def test_disk_that_lies_is_found_by_reading_back(
    file: LatchFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "pwrite", lambda _, data, __: len(data))
    with pytest.raises(SaintError, match="reads back with other contents"):
        file.write(b"second")


def test_broken_block_of_one_record_is_gone_round(
    file: LatchFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(descriptor: int, data: bytes, offset: int) -> int:
        if offset < SLOT_BYTES:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(descriptor, data, offset)

    real = os.pwrite
    monkeypatch.setattr(os, "pwrite", broken)
    for number in range(4):
        file.write(b"%d" % number)
        assert file.read().payload == b"%d" % number


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount an empty file system of 400 KiB."""
    where = tmp_path / "disk"
    where.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(where)]
    if subprocess.run(command, capture_output=True, timeout=20).returncode:
        pytest.skip("mounting a small file system needs root")
    yield where
    subprocess.run(["umount", "--lazy", str(where)], check=True, timeout=20)


def fill(disk: Path) -> None:
    """Fill the disk to its last byte."""
    with (disk / "filler").open("wb", buffering=0) as filler, pytest.raises(OSError):
        while True:
            filler.write(bytes(4096))


def test_full_disk_stores_all_the_same(small_disk: Path) -> None:
    file = LatchFile(small_disk)
    file.write(b"open")
    fill(small_disk)
    for number in range(4):
        file.write(b"stopped %d" % number * 1000)
        assert file.read().payload == b"stopped %d" % number * 1000


def test_disk_that_was_full_from_the_start_is_an_error_and_leaves_nothing(small_disk: Path) -> None:
    fill(small_disk)
    with pytest.raises(SaintError, match="No space left"):
        LatchFile(small_disk).write(b"open")
    assert [each.name for each in small_disk.iterdir()] == ["filler"]


WRITER = """
import sys
from pathlib import Path
from saint_services.routerd.estop.latch_file import LatchFile
file = LatchFile(Path(sys.argv[1]))
number = 0
while True:
    number += 1
    file.write(str(number).encode() * 2000)
    print(number, flush=True)
"""


def test_killed_writer_leaves_what_it_has_confirmed_or_a_problem(tmp_path: Path) -> None:
    for round_ in range(5):
        command = [sys.executable, "-c", WRITER, str(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout
            for _ in range(3 + round_):
                confirmed = int(writer.stdout.readline())
            writer.kill()
            confirmed = max([confirmed, *map(int, writer.stdout.read().split())])
        content = LatchFile(tmp_path).read()
        sound = {str(number).encode() * 2000 for number in (confirmed, confirmed + 1)}
        assert content.problem or content.payload in sound


def test_file_has_two_records_of_64_kib_whose_blocks_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allocated: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "posix_fallocate", lambda _, at, size: allocated.append((at, size)))
    before = os.umask(0)
    try:
        file = LatchFile(tmp_path / "a" / "b")
        file.write(b"x" * 65_484)
        file.path.unlink()
        file.write(b"x")  # into a folder that is there
    finally:
        os.umask(before)
    assert allocated == [(0, 131_072)] * 2
    assert file.path.stat().st_size == 131_072
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o640
    with pytest.raises(SaintError):
        file.write(b"x" * 65_485)
    assert file.read().payload == b"x"


def test_largest_record_is_read_back(file: LatchFile) -> None:
    file.write(b"x" * 65_484)
    assert file.read().payload == b"x" * 65_484


def watched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the operations on the disk in order; repeated ones once."""
    events: list[str] = []

    def watch(name: str) -> None:
        real = getattr(os, name)

        def call(*given: Any, **named: Any) -> Any:
            if events[-1:] != [name]:
                events.append(name)
            return real(*given, **named)

        monkeypatch.setattr(os, name, call)

    for name in ("pread", "pwrite", "fsync", "fdatasync", "replace", "posix_fadvise"):
        watch(name)
    return events


def test_new_file_is_on_the_disk_and_checked_before_it_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = watched(monkeypatch)
    LatchFile(tmp_path).write(b"first")
    assert events == ["pwrite", "fsync", "posix_fadvise", "pread", "replace", "fsync"]


def test_record_is_on_the_disk_and_checked_before_it_counts(
    file: LatchFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = watched(monkeypatch)
    file.write(b"second")
    assert events == ["pread", "pwrite", "fdatasync", "posix_fadvise", "pread"]


def test_disk_that_reads_in_parts_is_read_whole(
    file: LatchFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.pread
    monkeypatch.setattr(os, "pread", lambda fd, size, at: real(fd, min(size, 40_000), at))
    assert (file.read().payload, file.read().problem) == (b"first", "")
    file.write(b"second")
    assert (file.read().payload, file.read().problem) == (b"second", "")
