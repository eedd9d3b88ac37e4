"""Archives of programs, good and hostile: what is unpacked, and what is refused without a trace."""

import random
import stat
import struct
import zipfile
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from saint_services.lib.programs import archive, manifest
from saint_services.lib.programs.folders import ProgramFolders

GOOD = "name: patrol\ncommand: [python3, main.py]\naccess: drive\n"


def made(path: Path, *entries: tuple[str | zipfile.ZipInfo, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in entries:
            file.writestr(name, text)
    return path


def special(name: str, kind: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (kind | 0o777) << 16
    return entry


@pytest.fixture
def good(tmp_path: Path) -> Path:
    tool = special("tools/run", stat.S_IFREG)
    entries = [("program.yaml", GOOD), ("main.py", "print(1)\n"), (tool, "#!/bin/sh\n")]
    return made(tmp_path / "good.zip", *entries)


def test_program_is_unpacked_readable_by_all(good: Path, tmp_path: Path) -> None:
    found = archive.unpack(good, tmp_path / "patrol")
    assert (found.name, found.access) == ("patrol", "drive")
    assert (tmp_path / "patrol/main.py").read_text() == "print(1)\n"
    modes = {
        path.name: path.stat().st_mode & 0o777
        for path in (tmp_path / "patrol", *(tmp_path / "patrol").rglob("*"))
    }
    assert modes == {
        "patrol": 0o755, "program.yaml": 0o644, "main.py": 0o644, "tools": 0o755, "run": 0o755,
    }  # fmt: skip


BAD_ENTRIES = {
    "outside": ("../evil", "x"),
    "deep outside": ("a/../../evil", "x"),
    "absolute": ("/etc/evil", "x"),
    "windows": ("a\\..\\evil", "x"),
    "link": (special("link", stat.S_IFLNK), "/etc/shadow"),
    "device": (special("device", stat.S_IFCHR), "x"),
    "control character": ("a\nb", "x"),
}


@pytest.mark.parametrize("entry", BAD_ENTRIES.values(), ids=BAD_ENTRIES)
def test_entry_that_leaves_the_folder_is_refused(
    entry: tuple[str | zipfile.ZipInfo, str], tmp_path: Path
) -> None:
    file = made(tmp_path / "bad.zip", ("program.yaml", GOOD), ("main.py", ""), entry)
    with pytest.raises(SaintError):
        archive.unpack(file, tmp_path / "new")
    assert not (tmp_path / "new").exists()
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize(
    "text",
    [
        "", "name: Patrol\n", "name: ../x\n", "name: a\ncommand: []\n", "name: a\nroot: true\n",
        "name: a\ncommand: [/bin/sh, -c, x]\n", "name: a\ncommand: [../x]\n",
        "name: a\naccess: admin\n", "name: a\ncommand: [python3, missing.py]\n",
        'name: a\ndescription: "a\\u0000b"\n', "name: a\ncommand: [missing]\n", "- a\n",
        "name: -a\n",
    ],
)  # fmt: skip
def test_description_that_is_wrong_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(SaintError):
        archive.check(made(tmp_path / "bad.zip", ("program.yaml", text), ("main.py", "")))


def test_archive_without_description_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SaintError, match=r"no program\.yaml"):
        archive.check(made(tmp_path / "bad.zip", ("main.py", "")))


def test_bomb_ends_at_the_limit_whatever_it_says_of_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = made(tmp_path / "bomb.zip", ("program.yaml", GOOD), ("main.py", "0" * 3_000_000))
    monkeypatch.setattr(archive, "LARGEST_PROGRAM_BYTES", 1_000_000)
    with pytest.raises(SaintError, match="larger"):
        archive.check(file)
    raw = file.read_bytes().replace((3_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    file.write_bytes(raw)
    with pytest.raises(SaintError):
        archive.unpack(file, tmp_path / "new")
    assert not (tmp_path / "new").exists()


ENTRY = struct.Struct("<4s4B4H3L5H2L")  # without name, so the smallest
END = struct.Struct("<4s4H2LH")
END_64 = struct.Struct("<4sQ2H2L4Q")
LOCATOR_64 = struct.Struct("<4sLQL")


def listing(count: int) -> bytes:
    """The central directory of an archive that is nothing else."""
    return ENTRY.pack(b"PK\1\2", 20, 3, 20, *(0,) * 15) * count


def end(size: int, comment: bytes = b"") -> bytes:
    return END.pack(b"PK\5\6", 0, 0, 1, 1, size, 0, len(comment)) + comment


def end_64(size: int) -> bytes:
    found = END_64.pack(b"PK\6\6", END_64.size - 12, 20, 20, 0, 0, 1, 1, size, 0)
    return found + LOCATOR_64.pack(b"PK\6\7", 0, size, 1)


LONG = listing(100_000)
LISTINGS = {
    "long": LONG + end(len(LONG)),
    "long by zip64": LONG + end_64(len(LONG)) + end(46),
    "long before a comment": LONG + end(len(LONG), b"PK\5\6"),
    "longer than the file": listing(1) + end(0xFFFFFFFF),
}


@pytest.mark.parametrize("raw", LISTINGS.values(), ids=LISTINGS)
def test_list_of_files_that_is_too_long_is_refused_before_it_is_read(
    raw: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """zipfile reads all of it at once, and webd has 384 MB."""
    (tmp_path / "bad.zip").write_bytes(raw)
    read: list[object] = []
    monkeypatch.setattr(zipfile, "ZipFile", read.append)
    with pytest.raises(SaintError, match=r"zip archive|list of files"):
        archive.check(tmp_path / "bad.zip")
    assert read == []


def test_as_many_files_as_are_possible_are_listed(tmp_path: Path) -> None:
    names = [f"lib/python3.13/site-packages/some_package/module_{n:05}.py" for n in range(19_998)]
    entries = [(name, "") for name in names]
    file = made(tmp_path / "big.zip", ("program.yaml", GOOD), ("main.py", ""), *entries)
    assert archive.check(file).name == "patrol"


@pytest.mark.parametrize("way", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_entry_whose_unpacking_may_need_any_memory_is_refused(way: int, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bad.zip", "w", way) as file:
        file.writestr("program.yaml", GOOD)
        file.writestr("main.py", "print(1)\n")
    with pytest.raises(SaintError, match="compressed"):
        archive.check(tmp_path / "bad.zip")


def test_damaged_archive_is_refused_and_leaves_nothing(good: Path, tmp_path: Path) -> None:
    chance, raw = random.Random(18), good.read_bytes()
    for number in range(200):
        bad = bytearray(raw)
        for _ in range(chance.randrange(1, 8)):
            bad[chance.randrange(len(bad))] = chance.randrange(256)
        file, folder = tmp_path / "bad.zip", tmp_path / f"new{number}"
        file.write_bytes(bad[: chance.randrange(len(bad))] if number % 3 == 0 else bad)
        try:
            archive.unpack(file, folder)
        except SaintError:
            assert not folder.exists()
    assert not any(path.is_symlink() for path in tmp_path.rglob("*"))


@pytest.mark.parametrize("name", ["", "A", "a/b", "a.b", "-a", "a" * 32, "a\n", "ä", "a@b", ".a"])
def test_name_of_another_form_is_none(name: str) -> None:
    assert not manifest.is_name(name)


def test_requests_are_names_of_files_and_nothing_else_counts(tmp_path: Path) -> None:
    folders = ProgramFolders(tmp_path / "programs", tmp_path / "requests")
    folders.requests.mkdir()
    folders.request("start", "patrol")
    folders.request("stop", "lamp")
    folders.request("stop", "patrol")  # the latest counts
    for rubbish in ("start@../x", "reboot@patrol", "x", "start@A"):
        (folders.requests / rubbish.replace("/", "%")).touch()
    assert sorted(folders.take_requests()) == [("stop", "lamp"), ("stop", "patrol")]
    assert folders.take_requests() == []


def test_machine_without_programs_says_what_to_do(tmp_path: Path) -> None:
    folders = ProgramFolders(tmp_path / "none", tmp_path / "none")
    assert folders.names() == []
    with pytest.raises(SaintError) as caught:
        folders.request("start", "patrol")
    assert "by hand" in caught.value.fix
