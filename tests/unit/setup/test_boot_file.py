"""A file of the boot partition is old or new whenever power goes, and what it said is wiped."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from saint_services.setup import boot_file

OLD, NEW = b"secret: open sesame\n", b"secret: (kept)\n"


class PowerCutError(BaseException):
    """Nothing after it happens."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "firmware/saint.yaml"
    path.parent.mkdir()
    path.write_bytes(OLD)
    return path


def before_sync(monkeypatch: pytest.MonkeyPatch, look: Callable[[Path], None]) -> None:
    sync = os.fsync

    def looked_at(descriptor: int) -> None:
        look(Path(f"/proc/self/fd/{descriptor}").readlink())
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", looked_at)


def test_file_is_replaced_and_nothing_is_left_beside(file: Path) -> None:
    boot_file.replace(file, NEW)
    assert file.read_bytes() == NEW
    assert list(file.parent.iterdir()) == [file]


def test_missing_file_is_made(file: Path) -> None:
    file.unlink()
    boot_file.replace(file, NEW)
    assert file.read_bytes() == NEW


@pytest.mark.parametrize("moment", range(5))
def test_power_cut_leaves_the_old_or_the_new(
    file: Path, moment: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = moment

    def cut(_: Path) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise PowerCutError

    with monkeypatch.context() as patch:
        before_sync(patch, cut)
        with pytest.raises(PowerCutError):
            boot_file.replace(file, NEW)
    assert file.read_bytes() in (OLD, NEW)
    boot_file.replace(file, NEW)
    assert file.read_bytes() == NEW


def test_old_text_is_wiped_only_when_the_new_file_is_on_the_card(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = tmp_path / "blocks"  # of the old file, under a name of their own
    blocks.hardlink_to(file)
    seen: list[tuple[str, bool]] = []
    before_sync(
        monkeypatch, lambda path: seen.append((path.name.split()[0], blocks.read_bytes() == OLD))
    )
    boot_file.replace(file, NEW)
    assert seen == [
        (".saint.yaml.new", True),
        ("firmware", True),
        ("firmware", True),
        ("saint.yaml", True),
        ("saint.yaml", False),  # the old one
    ]
    assert blocks.read_bytes() == bytes(len(OLD))


def test_leftover_of_a_power_cut_is_not_touched(file: Path) -> None:
    """On FAT it may be a second name of the file itself."""
    leftover = file.with_name(".saint.yaml.new")
    leftover.hardlink_to(file)
    boot_file.replace(file, NEW)
    assert file.read_bytes() == NEW
    assert leftover.exists()


def test_too_many_leftovers_are_reported(file: Path) -> None:
    for number in range(8):
        file.with_name(f".saint.yaml.new{number or ''}").touch()
    with pytest.raises(OSError, match=r"remove \.saint\.yaml\.new"):
        boot_file.replace(file, NEW)
    assert file.read_bytes() == OLD
