"""Checks the archive of a program and unpacks it: a zip whose every byte comes from outside. Paths
stay in the folder, links are refused, sizes are counted while they are written. Calls block. Not
here: making an archive (saintctl/program/pack.py).
"""

import os
import shutil
import stat
import struct
import zipfile
import zlib
from pathlib import Path

from ..errors import Code, SaintError
from . import manifest
from .manifest import ProgramManifest

LARGEST_ARCHIVE_BYTES = 256 << 20
LARGEST_PROGRAM_BYTES = 512 << 20  # numpy is 60 MB, OpenCV 150 MB
MOST_FILES = 20_000
# zipfile reads the list of files whole, and takes eight times its bytes, before anything of it can
# be counted. 20,000 files with long names have 2.5 MB.
_LARGEST_LIST_BYTES = 4 << 20
_END = struct.Struct("<4s4H2LH")  # APPNOTE 4.3.16, end of central directory record
_END_MARK, _END_64_MARK, _END_64_BYTES = b"PK\5\6", b"PK\6\7", 20
_LARGEST_MANIFEST_BYTES = 64 << 10
_CHUNK_BYTES = 1 << 20
_FIX = "Make the archive with saintctl program pack."


def check(file: Path) -> ProgramManifest:
    """Return the description in an archive. Raises SaintError for one that is refused."""
    with _opened(file) as archive:
        return _checked(archive)


def unpack(file: Path, folder: Path) -> ProgramManifest:
    """Unpack the archive into a new folder, readable by all users. Raises SaintError, and leaves
    nothing behind then.
    """
    with _opened(file) as archive:
        found = _checked(archive)
        try:
            folder.mkdir(mode=0o755)
            folder.chmod(0o755)
            _write_all(archive, folder)
        except (OSError, SaintError, *_BROKEN) as err:
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(err, SaintError):
                raise
            raise _refused(f"unpacking failed: {err}") from err
    return found


# What zipfile raises for bytes that are no zip, or one of a kind that it does not read.
_BROKEN = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error),
    *(NotImplementedError, EOFError, RuntimeError, ValueError),
)


def _opened(file: Path) -> zipfile.ZipFile:
    try:
        _check_list(file)
        return zipfile.ZipFile(file)
    except (OSError, *_BROKEN) as err:
        raise _refused(f"this is no zip archive: {err}") from err


def _check_list(file: Path) -> None:
    """Refuse an archive whose list of files is too long to be read. It must end with the plain
    record of that list, so that zipfile finds no other one: no comment, no zip64.
    """
    with file.open("rb") as opened:
        opened.seek(max(0, file.stat().st_size - _END_64_BYTES - _END.size))
        tail = opened.read()
    end = tail[-_END.size :]
    if len(end) < _END.size or not end.startswith(_END_MARK) or not end.endswith(b"\0\0"):
        raise _refused("this is no zip archive, or one with a comment")
    if tail.startswith(_END_64_MARK):
        raise _refused("this is a zip archive of the large kind (zip64)")
    size = _END.unpack(end)[5]
    if size > _LARGEST_LIST_BYTES:
        limit = f"{_LARGEST_LIST_BYTES >> 20} MB is the limit"
        raise _refused(f"the archive's list of files has {size >> 20} MB; {limit}")


def _checked(archive: zipfile.ZipFile) -> ProgramManifest:
    entries = archive.infolist()
    if len(entries) > MOST_FILES:
        raise _refused(f"the archive has {len(entries)} files; {MOST_FILES} is the limit")
    names: set[str] = set()
    for entry in entries:
        _check_entry(entry, names)
        names.add(entry.filename)
    if sum(entry.file_size for entry in entries) > LARGEST_PROGRAM_BYTES:
        raise _refused(f"the program is larger than {LARGEST_PROGRAM_BYTES >> 20} MB")
    found = manifest.parse(_manifest_text(archive))
    if found.main_file and found.main_file not in names:
        raise _refused(f"{manifest.FILE} starts {found.main_file}, which is not in the archive")
    return found


def _check_entry(entry: zipfile.ZipInfo, names: set[str]) -> None:
    name, mode = entry.filename, entry.external_attr >> 16
    if not manifest.is_inside(name) or len(name) > 512:
        raise _refused(f"the archive has a file outside of its folder: {name[:80]!r}")
    if name in names:
        raise _refused(f"the archive has {name[:80]!r} twice")
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise _refused(f"{name[:80]!r} is a link or a device")
    if entry.flag_bits & 0x1:
        raise _refused(f"{name[:80]!r} is encrypted")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # Unpacking LZMA takes as much memory as the archive names.
        raise _refused(f"{name[:80]!r} is compressed in an unusual way")


def _manifest_text(archive: zipfile.ZipFile) -> str:
    try:
        with archive.open(manifest.FILE) as file:
            raw = file.read(_LARGEST_MANIFEST_BYTES + 1)
    except KeyError as err:
        raise _refused(f"the archive has no {manifest.FILE}") from err
    except (OSError, *_BROKEN) as err:
        raise _refused(f"{manifest.FILE} cannot be unpacked: {err}") from err
    if len(raw) > _LARGEST_MANIFEST_BYTES:
        raise _refused(f"{manifest.FILE} is longer than {_LARGEST_MANIFEST_BYTES} bytes")
    try:
        return raw.decode()
    except UnicodeDecodeError as err:
        raise _refused(f"{manifest.FILE} is not UTF-8 text") from err


def _write_all(archive: zipfile.ZipFile, folder: Path) -> None:
    left = LARGEST_PROGRAM_BYTES  # an entry may be longer than it says
    for entry in archive.infolist():
        path = folder / entry.filename
        if entry.is_dir():
            _make(path)
            continue
        _make(path.parent)
        with archive.open(entry) as source, path.open("xb") as target:
            while chunk := source.read(_CHUNK_BYTES):
                left -= len(chunk)
                if left < 0:
                    raise _refused(f"the program is larger than {LARGEST_PROGRAM_BYTES >> 20} MB")
                target.write(chunk)
        path.chmod(0o755 if (entry.external_attr >> 16) & 0o100 else 0o644)
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)
    os.sync()  # whole before it gets its name: power may fail


def _make(folder: Path) -> None:
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)


def _refused(text: str) -> SaintError:
    return SaintError(Code.REQUEST_INVALID, text, fix=_FIX)
