"""New boot files: written beside the chosen ones, chosen by one sector, at no moment a mixture.
What starts is decided by a model of the Pi's firmware, which reads the card as a power cut left it.
"""

import contextlib
import hashlib
import json
import os
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saint_services.setup import adapters, boot_files
from saint_services.setup.boot_files import CHOICE, SECTOR, SUMS, BootFiles
from tools.vm.pi_loader import started

TREE = "bcm2711-rpi-4-b.dtb"
CONFIG = "kernel=u-boot.bin\ninclude boot-files.txt\n"


def make_set(folder: Path, release: str) -> Path:
    """The boot files of a release."""
    contents = {
        "u-boot.bin": f"loader of {release}" * 100,
        TREE: f"tree of {release}",
        "overlays/README": "overlays",
        "overlays/saint-uart.dtbo": f"uart of {release}",
        "settings.txt": f"# of {release}\n",
    }
    for name, text in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / SUMS).write_text(boot_files.sums(folder, [folder / name for name in contents]))
    return folder


@pytest.fixture
def card(tmp_path: Path) -> Path:
    """The boot partition of a card that was flashed with release 1."""
    folder = make_set(tmp_path / "card", "1")
    (folder / "config.txt").write_text(CONFIG)
    (folder / "saint.yaml").write_text("role: server\n")
    (folder / CHOICE).write_bytes(boot_files.choice("", ""))
    return folder


def update(card: Path, release: str) -> str:
    """The release runs, is proven, and brings its files."""
    shipped = card.parent / f"release {release}"
    if not shipped.exists():
        make_set(shipped, release)
    return BootFiles(card, shipped).update()


def loader(card: Path) -> str:
    """Return the release whose loader and tree the Pi starts; never those of two."""
    files = {
        str(path.relative_to(card)): path.read_bytes() for path in card.rglob("*") if path.is_file()
    }
    found = started(files, TREE)
    texts = [found.read(name).decode() for name in ("u-boot.bin", TREE, "overlays/saint-uart.dtbo")]
    releases = {text.split()[-1][-1:] for text in texts}
    assert len(releases) == 1, f"a mixture: {releases}"
    assert texts[0] == f"loader of {releases.copy().pop()}" * 100
    return releases.pop()


def test_flashed_files_start_a_card_that_was_never_updated(card: Path) -> None:
    assert update(card, "1") == ""
    assert loader(card) == "1"


def test_each_release_brings_its_files_in_turn(card: Path) -> None:
    assert update(card, "2") == "wrote and chose a"
    assert loader(card) == "2"
    assert update(card, "2") == ""
    assert update(card, "3") == "wrote and chose b"
    assert loader(card) == "3"
    assert update(card, "4") == "wrote and chose a"
    assert loader(card) == "4"
    assert (card / CHOICE).stat().st_size == SECTOR


def test_older_release_that_runs_again_gets_its_files_without_a_write(card: Path) -> None:
    update(card, "2")
    update(card, "3")
    before = {path: path.stat().st_ino for path in card.rglob("*")}
    assert update(card, "2") == "chose a"
    assert loader(card) == "2"
    assert update(card, "1") == "chose the flashed set"
    assert loader(card) == "1"
    assert {path: path.stat().st_ino for path in card.rglob("*")} == before


def test_damaged_file_of_the_chosen_set_is_written_again_elsewhere(card: Path) -> None:
    update(card, "2")
    (card / "a" / TREE).write_bytes(b"\0" * 40)
    assert update(card, "2") == "wrote and chose b"
    assert loader(card) == "2"


def test_owner_who_removes_the_choice_keeps_the_flashed_files(card: Path) -> None:
    update(card, "2")
    (card / CHOICE).unlink()
    assert loader(card) == "1"
    assert update(card, "3") == ""
    assert loader(card) == "1"


def test_choice_that_was_edited_by_hand_becomes_a_sector_again(card: Path) -> None:
    (card / CHOICE).write_text("os_prefix=a/\r\n")
    assert loader(card) == "1"  # there is no such folder
    assert update(card, "2") == "wrote and chose b"
    assert (card / CHOICE).stat().st_size == SECTOR


def test_settings_of_a_release_come_with_its_files() -> None:
    sector = boot_files.choice("b", "# a comment\n\ndtparam=watchdog=on\n[pi4]\nover_voltage=1\n")
    assert len(sector) == SECTOR
    assert sector.decode().split("\n")[3:7] == [
        "os_prefix=b/",
        "dtparam=watchdog=on",
        "[pi4]",
        "over_voltage=1",
    ]
    assert boot_files.chosen(sector) == "b"


def test_settings_that_do_not_fit_into_a_sector_are_refused() -> None:
    with pytest.raises(ValueError, match=r"settings\.txt is \d+ bytes too long for one sector"):
        boot_files.choice("a", "dtparam=watchdog=on\n" * 30)


@pytest.mark.parametrize(
    "line", ["../config.txt", "a/../../x", "/etc/passwd", "overlays/../saint.yaml", "x y", ""]
)
def test_list_that_leads_out_of_the_set_is_refused(card: Path, line: str) -> None:
    shipped = make_set(card.parent / "release 2", "2")
    (shipped / SUMS).write_text(f"{hashlib.sha256(b'').hexdigest()}  {line}\n")
    with pytest.raises(ValueError, match="names no file"):
        update(card, "2")
    assert loader(card) == "1"


def test_full_boot_partition_is_named_and_left_as_it_is(
    card: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = os.statvfs(card)
    full = os.statvfs_result((*found[:4], 1, *found[5:]))
    monkeypatch.setattr(os, "statvfs", lambda _: full)
    with pytest.raises(OSError, match="remove files of your own"):
        update(card, "2")
    assert loader(card) == "1"


@pytest.mark.parametrize(
    "fault", [subprocess.CalledProcessError(32, "mount"), subprocess.TimeoutExpired("mount", 30)]
)
def test_card_that_refuses_to_be_written_fails_no_unit(
    card: Path, root: Path, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    """A failed unit would lead a release back in the hour after its trial."""

    def refuse(_: list[str]) -> None:
        raise fault

    places = adapters.SetupPaths(root)
    shutil.copytree(card, places.firmware, dirs_exist_ok=True)
    make_set(root / boot_files.SHIPPED, "2")
    places.report.write_text('{"problems": []}')
    monkeypatch.setattr(adapters, "SetupPaths", lambda: places)
    monkeypatch.setattr(adapters, "_run", refuse)
    monkeypatch.setattr(os.path, "ismount", lambda _: True)
    assert boot_files.main() == 0
    (problem,) = json.loads(places.report.read_text())["problems"]
    assert "stay those of an older release" in problem
    assert loader(places.firmware) == "1"


def test_files_that_read_back_otherwise_are_not_chosen(
    card: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = boot_files._put

    def worn(path: Path, data: bytes) -> None:
        real(path, bytes(len(data)) if path.name == TREE else data)

    monkeypatch.setattr(boot_files, "_put", worn)
    with pytest.raises(OSError, match="do not read back"):
        update(card, "2")
    assert loader(card) == "1"


class PowerCutError(Exception):
    """The power goes."""


@pytest.fixture(autouse=True)
def _in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here waits for a disk."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@contextlib.contextmanager
def cut(step: int, share: float) -> Iterator[None]:
    """Power goes at this system call that changes the card; of a write, a part is on it."""
    left = step
    names = ("mkdir", "unlink", "rmdir", "pwrite", "fsync")
    real: dict[str, Callable[..., Any]] = {name: getattr(os, name) for name in names}

    def counted(name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise PowerCutError
            return real[name](*arguments, **options)

        return call

    put = boot_files._put

    def torn(path: Path, data: bytes) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            path.write_bytes(data[: int(len(data) * share)])
            raise PowerCutError
        put(path, data)

    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            patch.setattr(os, name, counted(name))
        patch.setattr(boot_files, "_put", torn)
        yield


@settings(max_examples=60)
@given(seed=st.integers(0, 1 << 32))
def test_every_power_cut_leaves_one_whole_set_and_the_next_boot_completes(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    chance = random.Random(seed)
    folder = tmp_path_factory.mktemp("cut")
    card = make_set(folder / "card", "1")
    (card / "config.txt").write_text(CONFIG)
    (card / CHOICE).write_bytes(boot_files.choice("", ""))
    for release in "234":
        make_set(folder / f"release {release}", release)
    now = "1"
    for release in ("2", "3", "2", "4"):
        for _ in range(chance.randrange(4)):
            with contextlib.suppress(PowerCutError), cut(chance.randrange(50), chance.random()):
                update(card, release)
            assert loader(card) in (now, release)
        update(card, release)
        assert loader(card) == release
        now = release
    shutil.rmtree(folder)
