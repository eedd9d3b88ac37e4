"""The files of a boot: kernel line, dead-man timer, restart request."""

import os
import re
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from saint_services.lib.update.boot import (
    DEADMAN_S,
    Boot,
    booted_slot,
    deadman_s,
    is_on_trial,
)

ROOT = Path(__file__).resolve().parents[4]


@pytest.mark.parametrize(
    ("line", "slot"),
    [
        ("root=PARTUUID=20240001-03 ro rauc.slot=B panic=5\n", "B"),
        ("rauc.slot=A", "A"),
        ("xrauc.slot=B", ""),
        ("root=/dev/sda1", ""),
        ("", ""),
    ],
)
def test_running_slot_stands_on_the_kernel_line(tmp_path: Path, line: str, slot: str):
    (tmp_path / "cmdline").write_text(line)
    assert booted_slot(tmp_path / "cmdline") == slot


def test_machine_without_a_kernel_line_has_no_slot(tmp_path: Path):
    assert booted_slot(tmp_path / "none") == ""


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("rauc.slot=B saint.deadman=300", 300.0),
        ("rauc.slot=B saint.deadman=300 console=tty1 saint.deadman=3600\n", 3600.0),  # boot.env
        ("rauc.slot=B", DEADMAN_S),
        ("rauc.slot=B saint.deadman=", DEADMAN_S),
        ("rauc.slot=B saint.deadman=0", DEADMAN_S),
        ("rauc.slot=B saint.deadman=600 saint.deadman=10m", DEADMAN_S),
        ("root=/dev/sda1 saint.deadman=300", None),
    ],
)
def test_time_of_the_dead_man_stands_on_the_kernel_line(
    tmp_path: Path, line: str, seconds: float | None
):
    (tmp_path / "cmdline").write_text(line)
    assert deadman_s(tmp_path / "cmdline") == seconds


@pytest.mark.parametrize(
    ("file", "pattern"),
    [
        ("initrd/init", r"^DISK=.* DEADMAN=(\d+)$"),
        ("boot/boot.cmd", r"^setenv bootargs .*saint\.deadman=(\d+) "),
    ],
)
def test_dead_man_of_the_image_is_the_one_that_settings_are_fitted_to(file: str, pattern: str):
    text = (ROOT / "image" / file).read_text("utf-8")
    assert [float(found) for found in re.findall(pattern, text, re.M)] == [DEADMAN_S]


def test_slot_that_the_initrd_does_not_call_proven_is_on_trial(tmp_path: Path):
    line = tmp_path / "cmdline"
    line.write_text("ro rauc.slot=B")
    assert is_on_trial(line, tmp_path)
    (tmp_path / "saint-proven").touch()
    assert not is_on_trial(line, tmp_path)
    assert not is_on_trial(tmp_path / "none", tmp_path / "nowhere")


def test_deadman_reads_that_all_is_good(tmp_path: Path):
    path = tmp_path / "deadman"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert Boot(path, tmp_path).disarm() == ""
        assert os.read(reader, 100) == b"good\n"
    finally:
        os.close(reader)


def test_deadman_that_is_gone_or_never_was_is_no_fault_and_blocks_nobody(tmp_path: Path):
    os.mkfifo(tmp_path / "fifo")  # nobody reads it
    for name in ("fifo", "none"):
        assert Boot(tmp_path / name, tmp_path).disarm() == ""


def test_restart_request_is_one_line_and_whole(tmp_path: Path):
    Boot(tmp_path / "none", tmp_path).restart("update to 1.1\nrm -rf / " + "x" * 1000)
    text = (tmp_path / "request").read_text()
    assert text.startswith("update to 1.1 rm -rf / xxx")
    assert len(text) == 201
    assert text.count("\n") == 1
    assert [p.name for p in tmp_path.iterdir()] == ["request"]


def test_restart_without_anybody_who_would_do_it_is_said(tmp_path: Path):
    with pytest.raises(SaintError, match="request cannot be written: the folder does not exist"):
        Boot(tmp_path / "none", tmp_path / "nowhere").restart("update")


def test_dead_man_that_cannot_be_reached_for_another_reason_is_reported(tmp_path: Path) -> None:
    place = tmp_path / "deadman"
    place.mkdir()
    assert Boot(place, tmp_path).disarm() == f"{place} cannot be written: Is a directory"
