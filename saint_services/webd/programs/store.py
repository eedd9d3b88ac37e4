"""The folders of programs on the data partition: adding one from an archive, replacing and removing
it. After a power cut tidy() leaves the old program or the new one, whole. Calls block. Not here:
levels (actions), tokens and starts (programs.py).
"""

import contextlib
import os
import shutil
from pathlib import Path

from ...lib.api.programs import ProgramInfo
from ...lib.errors import Code, SaintError
from ...lib.programs import archive, manifest
from ...lib.programs.folders import ProgramFolders
from ...lib.programs.manifest import ProgramManifest
from ...lib.state import write_atomic

MOST_PROGRAMS = 16
RESERVED_BYTES = 1 << 30  # of the data partition, for releases and state
_LARGEST_MANIFEST_BYTES = 64 << 10
_REPLACED = ".old@"  # and the name: a program while its replacement is put in its place


class ProgramStore:
    """All programs; `secrets` has a token for each that is started, readable by webd alone."""

    def __init__(self, folders: ProgramFolders, secrets: Path) -> None:
        self.folders = folders
        self._secrets = secrets

    @property
    def is_possible(self) -> bool:
        """Whether this machine has a place for programs."""
        return self.folders.programs.is_dir()

    def tidy(self) -> None:
        """Restore a program whose replacement was interrupted; remove what else such an upload or
        a removal left."""
        for path in sorted(self.folders.programs.iterdir()) if self.is_possible else ():
            name = path.name.removeprefix(_REPLACED)
            is_former = path.name.startswith(_REPLACED) and manifest.is_name(name)
            if is_former and name not in self.folders.names():
                self._restore(path, name)
            elif path.name.startswith(".") and path != self.folders.started:
                _remove(path)

    def _restore(self, former: Path, name: str) -> None:
        """Put it in its place again; where that fails webd starts all the same, as without it."""
        with contextlib.suppress(OSError, SaintError):
            former.rename(self.folders.programs / name)
            _sync(self.folders.programs)
            if name in self.folders.started_names():  # at boot it was not there to be started
                self.folders.request("start", name)

    def upload_file(self) -> Path:
        """Return where to write an archive. Raises refused without a place for it."""
        if not self.is_possible:
            text = f"this machine has no folder {self.folders.programs}"
            fix = "Programs run on a robot's server only; elsewhere start yours by hand."
            raise SaintError(Code.REFUSED, text, fix=fix)
        return self.folders.programs / ".upload"

    def room_bytes(self) -> int:
        """Return what programs may still fill of the disk."""
        return shutil.disk_usage(self.folders.programs).free - RESERVED_BYTES

    def unpack(self, file: Path) -> ProgramManifest:
        """Unpack an archive beside the programs. Raises SaintError."""
        found = archive.check(file)
        known = self.folders.names()
        if found.name not in known and len(known) >= MOST_PROGRAMS:
            text = f"there are {MOST_PROGRAMS} programs already"
            raise SaintError(Code.REFUSED, text, fix="Remove one first.")
        _remove(self._unpacked)
        archive.unpack(file, self._unpacked)
        return found

    @property
    def _unpacked(self) -> Path:
        return self.folders.programs / ".new"

    def put(self, name: str) -> None:
        """Make what was unpacked the program of that name; a former one is removed."""
        folder, former = self.folders.programs / name, self.folders.programs / (_REPLACED + name)
        if folder.exists():
            _remove(former)
            folder.rename(former)
        self._unpacked.rename(folder)
        _sync(self.folders.programs)
        if former.exists():
            self._discard(former)

    def require(self, name: str) -> None:
        """Raise not_found unless there is such a program, whatever is in its folder."""
        if name not in self.folders.names():
            text = f"there is no program {name}"
            raise SaintError(Code.NOT_FOUND, text, fix="saintctl program list shows all.")

    def known(self, name: str) -> ProgramManifest:
        """Return the description of a program. Raises SaintError."""
        self.require(name)
        path = self.folders.programs / name / manifest.FILE
        try:
            return manifest.parse(path.read_bytes()[:_LARGEST_MANIFEST_BYTES].decode())
        except (OSError, UnicodeDecodeError) as err:
            text = f"{path} cannot be read: {err}"
            raise SaintError(Code.STATE_DAMAGED, text, fix="Add the program again.") from err

    def set_started(self, name: str, secret: str) -> None:
        """Let the program run from now on, with this token."""
        self._secrets.mkdir(mode=0o700, exist_ok=True)
        write_atomic(self._secrets / name, secret.encode() + b"\n", mode=0o600)
        self.folders.started.mkdir(mode=0o755, exist_ok=True)
        write_atomic(self.folders.started / name, b"", mode=0o644)

    def set_stopped(self, name: str) -> None:
        """Let the program not run any more."""
        (self.folders.started / name).unlink(missing_ok=True)
        (self._secrets / name).unlink(missing_ok=True)

    def remove(self, name: str) -> None:
        """Delete the program's folder."""
        self._discard(self.folders.programs / name)

    def _discard(self, folder: Path) -> None:
        """Delete a folder under a name that is never restored: half of it may be left."""
        gone = self.folders.programs / ".gone"
        _remove(gone)
        folder.rename(gone)
        _sync(self.folders.programs)
        _remove(gone)

    def infos(self) -> list[ProgramInfo]:
        """Describe all programs, without the states of their units."""
        started = set(self.folders.started_names())
        return [self._info(name, name in started) for name in self.folders.names()]

    def _info(self, name: str, is_started: bool) -> ProgramInfo:
        info = ProgramInfo(name=name, is_started=is_started)
        try:
            found = self.known(name)
        except SaintError as err:
            return info.model_copy(update={"problem": err.message})
        size = sum(
            path.stat().st_size
            for path in (self.folders.programs / name).rglob("*")
            if path.is_file()
        )
        facts = {"description": found.description, "access": found.access, "size_bytes": size}
        return info.model_copy(update=facts)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
