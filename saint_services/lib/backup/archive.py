"""Reads and writes the file of a backup: a zip with manifest.json, which names every other file
with its size and checksum, and <daemon>/<section>.json. Reading trusts no field of the file;
nothing is ever unpacked to a disk. Pure. Not here: whether the content fits this robot (each
daemon).
"""

import hashlib
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from ..api.backup import (
    LARGEST_FILE_BYTES,
    BackupContent,
    BackupInfo,
    BackupManifest,
    DaemonBackup,
    FileSum,
    SectionData,
)
from ..errors import Code, SaintError

FORMAT = 1
LARGEST_BYTES = LARGEST_FILE_BYTES
_MOST_FILES = 200
_LARGEST_FILE_BYTES = 1 << 20
_LARGEST_TOTAL_BYTES = 8 << 20
_MANIFEST = "manifest.json"
_NAME = re.compile(r"([a-z][a-z0-9-]{0,31})/([a-z][a-z0-9-]{0,31})\.json", re.ASCII)
_READABLE = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1
# All exceptions of zipfile for damaged or malicious files.
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError),
    *(ValueError, OverflowError, IndexError, KeyError, AttributeError, struct.error),
)
_DATE = (1980, 1, 1, 0, 0, 0)  # the same content gives the same file

_KEY_OUTSIDE = (
    "The server's key to its nodes: with another key each node must be reset by its button. "
    "A backup with a passphrase holds it, sealed."
)
OUTSIDE = (
    _KEY_OUTSIDE,
    "Releases: upload them again.",
    "Settings of the machines (saint.yaml: network, Wi-Fi, ssh keys) and of daemons (/etc/saint).",
    "The owner's programs: add them again.",
    "Links to other robots, passwords of TURN and LiveKit: enter them again.",
    "The certificate of https: turn encryption on again, install the new one on each device.",
    "LiveLink recordings, logs, the activity.",
    "Plain passwords and tokens: only the data to check them is included.",
)


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a backup."""

    manifest: BackupManifest
    daemons: dict[str, DaemonBackup]


def pack(daemons: Mapping[str, DaemonBackup], *, robot: str, version: str, created: str) -> bytes:
    """Return the file."""
    files = {
        f"{daemon}/{name}.json": json.dumps(
            section.model_dump(mode="json"), ensure_ascii=False, sort_keys=True
        ).encode()
        for daemon, backup in sorted(daemons.items())
        for name, section in sorted(backup.sections.items())
    }
    sums = {
        name: FileSum(bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
        for name, data in files.items()
    }
    manifest = BackupManifest(
        format=FORMAT,
        robot=robot,
        version=version,
        created=created,
        files=sums,
        outside=[each for each in OUTSIDE if each is not _KEY_OUTSIDE or not _has_key(daemons)],
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in {_MANIFEST: manifest.model_dump_json(indent=1).encode(), **files}.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def unpack(raw: bytes) -> Content:
    """Return the content when every file is present and unchanged. Raises request_invalid."""
    if len(raw) > LARGEST_BYTES:
        text = f"the file has {len(raw)} bytes, a backup has at most {LARGEST_BYTES}"
        raise SaintError(Code.TOO_LARGE, text, fix="Choose the file that was saved as a backup.")
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            return _read(archive)
    except _BROKEN as err:
        text = "the file is not a backup, or it is damaged"
        raise _invalid(text) from err


def _read(archive: zipfile.ZipFile) -> Content:
    members = archive.infolist()
    if len(members) > _MOST_FILES:
        raise _invalid(f"the backup holds {len(members)} files, at most {_MOST_FILES} are possible")
    by_name = {member.filename: member for member in members}
    if len(by_name) != len(members):
        raise _invalid("the backup holds two files of the same name")
    if _MANIFEST not in by_name:
        raise _invalid(f"the file is not a backup of a robot: it holds no {_MANIFEST}")
    manifest = _manifest(_bytes(archive, by_name.pop(_MANIFEST)))
    if unlisted := by_name.keys() - manifest.files.keys():
        raise _invalid(f"{min(unlisted)[:80]!r} is not in the backup's own list")
    if missing := manifest.files.keys() - by_name.keys():
        raise _invalid(f"{min(missing)[:80]!r} is missing in the backup")
    total = 0
    sections: dict[str, dict[str, SectionData]] = {}
    for name, expected in manifest.files.items():
        data = _bytes(archive, by_name[name])
        total += len(data)
        if total > _LARGEST_TOTAL_BYTES:
            raise _invalid("the backup is far too large when it is unpacked")
        if FileSum(bytes=len(data), sha256=hashlib.sha256(data).hexdigest()) != expected:
            raise _invalid(f"{name} was changed after it was saved (its checksum differs)")
        daemon, section = _parts(name)
        sections.setdefault(daemon, {})[section] = _section(name, data)
    daemons = {daemon: DaemonBackup(sections=found) for daemon, found in sections.items()}
    return Content(manifest, daemons)


def _bytes(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Read a member, without trusting the size in its header."""
    if member.flag_bits & _ENCRYPTED or member.compress_type not in _READABLE:
        raise _invalid(f"{member.filename[:80]!r} is compressed in a way that backups do not use")
    with archive.open(member) as file:
        data = file.read(_LARGEST_FILE_BYTES + 1)
    if len(data) > _LARGEST_FILE_BYTES:
        raise _invalid(f"{member.filename[:80]!r} is far too large when it is unpacked")
    return data


def _manifest(raw: bytes) -> BackupManifest:
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError) as err:
        raise _invalid(f"{_MANIFEST} is not readable") from err
    version = data.get("format") if isinstance(data, dict) else None
    if isinstance(version, int) and version > FORMAT:
        raise SaintError(
            Code.STATE_NEWER,
            f"the backup was written by a newer release ({str(data.get('version'))[:40]})",
            fix="Update this robot first, then restore.",
        )
    try:
        return BackupManifest.model_validate(data)
    except ValidationError as err:
        raise _invalid(f"{_MANIFEST} is not readable") from err


def _parts(name: str) -> tuple[str, str]:
    match = _NAME.fullmatch(name)
    if match is None:
        raise _invalid(f"{name[:80]!r} is not a valid file name in a backup")
    return match[1], match[2]


def _section(name: str, data: bytes) -> SectionData:
    try:
        return SectionData.model_validate_json(data)
    except ValidationError as err:
        raise _invalid(f"{name} is not readable") from err


def info(content: Content, notes: list[str]) -> BackupInfo:
    """Return the description for users."""
    manifest = content.manifest
    contents = [
        BackupContent(
            daemon=daemon,
            section=name,
            entries=_entries(section),
            bytes=manifest.files[f"{daemon}/{name}.json"].bytes,
        )
        for daemon, backup in sorted(content.daemons.items())
        for name, section in sorted(backup.sections.items())
    ]
    return BackupInfo(
        robot=manifest.robot,
        version=manifest.version,
        created=manifest.created,
        contents=contents,
        outside=manifest.outside,
        notes=notes,
    )


def _entries(section: SectionData) -> int:
    """Return the number of entries: of the longest list or group."""
    sizes = [len(value) for value in section.data.values() if isinstance(value, list | dict)]
    return max(sizes, default=0)


def _has_key(daemons: Mapping[str, DaemonBackup]) -> bool:
    return "adoptiond" in daemons and "key" in daemons["adoptiond"].sections


def _invalid(text: str) -> SaintError:
    fix = "Choose a file that was saved as a backup of a robot."
    return SaintError(Code.REQUEST_INVALID, text, fix=fix)
