"""Stores state that survives a reboot: one file, one pydantic model, one version per store. A write
is atomic; a damaged file is set aside, a file of a newer version is never changed. Not here:
settings that users write (lib/config).

A release may be rolled back after it has written its own, newer format. So the first file of a
newer format keeps the older one as a fallback, `role.yaml.v1` beside `role.yaml`; an older program
that meets a newer file works with the newest fallback that it can read. Without one it refuses, or
`begins_with_default`, where that is better than no value. What it saves there names the newer file
that it replaces; the newer program, when it runs again, uses that as the newer value. Every change
of a model, including a new field, is a new version: older programs reject unknown fields.

A store that `keeps_last_good` writes each version of its file a second time, `role.yaml.last-good`,
after the file itself. A damaged or missing file is replaced by that copy, and `problem` says so.
"""

import contextlib
import hashlib
import json
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from . import config
from .config import validation
from .errors import Code, SaintError

T = TypeVar("T", bound=BaseModel)
Migration = Callable[[dict[str, Any]], dict[str, Any]]

VERSION_KEY = "version_of_format"
_FALLBACK_OF_KEY = "instead_of"  # checksum of the newer file that this one replaces
_REVISION_KEY = "fallback_revision"  # counts values saved in place of that file


class StateStore(Generic[T]):
    """Stores one value in one file: YAML if the path ends so, else JSON.

    `migrations[n]` turns the data of version n into that of version n + 1. After load(), `problem`
    says why defaults, or the last good copy, are in force. Calls block: use asyncio.to_thread in
    coroutines.
    """

    def __init__(
        self,
        path: Path,
        model: type[T],
        version: int,
        migrations: Mapping[int, Migration] | None = None,
        *,
        keeps_last_good: bool = False,
        begins_with_default: bool = False,
    ) -> None:
        self.path = path
        self.problem: SaintError | None = None
        self._model = model
        self._version = version
        self._migrations = migrations or {}
        self._begins_with_default = begins_with_default
        self._is_loaded = False
        self._older: bytes | None = None  # content of a file of an older version
        self._newer = ""  # checksum of a newer version's file, which must not be changed
        self._fallback_revision = 0
        self._revision = 0  # how often the file replaced a newer fallback
        self._is_first = False  # the file does not exist yet
        self._copy = last_good(path) if keeps_last_good else None
        self._lock = threading.RLock()  # a slow load must not replace a newer copy by an older one

    def load(self) -> T:
        """Load the value: from the file, else its last good copy, else the default."""
        with self._lock:
            return self._load()

    def save(self, value: T) -> None:
        """Save the value atomically; never overwrites the file of a newer version."""
        with self._lock:
            self._save(value)

    def _load(self) -> T:
        self.problem, self._older, self._newer = None, None, ""
        self._revision = 0
        self._is_loaded = self._is_first = False  # so that save() loads again if this raises
        try:
            value = self._newest()
        except FileNotFoundError:
            value = self._model()
            self._is_first = True
        self._is_loaded = True
        return value

    def _save(self, value: T) -> None:
        if not self._is_loaded:
            self._load()
        data = {VERSION_KEY: self._version, **value.model_dump(mode="json", by_alias=True)}
        path = self.path
        if self._newer:
            data |= {_FALLBACK_OF_KEY: self._newer, _REVISION_KEY: self._fallback_revision}
            path = self._fallback_path(self._version)
        elif self._revision:
            data[_REVISION_KEY] = self._revision
        try:
            if self._is_first:  # fallbacks without a file are left over from a deleted one
                self._remove_fallbacks()
            if self._older is not None:
                version = self._parsed(self._older)[0]
                write_atomic(self._fallback_path(version), self._older)
                self._older = None
            encoded = self._encoded(data)
            write_atomic(path, encoded)
        except OSError as err:
            raise SaintError(
                Code.INTERNAL,
                f"{path} cannot be written: {err.strerror}",
                fix="Check that the disk is not full and the folder is writable.",
            ) from err
        if not self._newer:
            self._keep_copy(encoded)

    def forget(self) -> None:
        """Delete the file, its copy and its fallbacks, so that an older program does not find it
        either.
        """
        try:
            if self._copy:  # first: a copy without its file would restore it
                self._copy.unlink(missing_ok=True)
                _sync_directory(self.path.parent)
            self.path.unlink(missing_ok=True)
            self._remove_fallbacks()
            _sync_directory(self.path.parent)
        except FileNotFoundError:
            return  # the folder does not exist
        except OSError as err:
            message = f"{self.path} cannot be removed: {err.strerror}"
            raise SaintError(Code.INTERNAL, message) from err
        self._is_loaded = False

    def _remove_fallbacks(self) -> None:
        for path in self.path.parent.glob(f"{self.path.name}.v*"):
            path.unlink(missing_ok=True)

    def _newest(self) -> T:
        """Load the file, or a fallback that is newer; else the last good copy."""
        try:
            raw = self._read(self.path)
            value = self._value_of(raw)
        except FileNotFoundError:
            return self._last_good(f"{self.path} is missing")
        except _DamagedError as err:
            return self._replace_damaged(err)
        if not self._newer:
            self._keep_copy(raw)
        return value

    def _replace_damaged(self, damage: "_DamagedError") -> T:
        try:
            value = self._last_good(f"{self.path} is damaged ({damage})", is_there=True)
        except FileNotFoundError:
            self._set_aside(self.path, damage)
            return self._model()
        return value

    def _last_good(self, what: str, *, is_there: bool = False) -> T:
        """Load the last good copy and restore the file from it. Raises FileNotFoundError without
        one.
        """
        if self._copy is None:
            raise FileNotFoundError(self.path)
        try:
            raw = self._read(self._copy)
            value = self._value_of(raw)
        except _DamagedError as err:
            self._set_aside(self._copy, err)
            if is_there:
                raise FileNotFoundError(self._copy) from err
            return self._model()
        if is_there:
            with contextlib.suppress(SaintError):  # a failing disk changes nothing here
                what += f"; kept as {self._renamed(self.path, _DamagedError(what))}"
        with contextlib.suppress(OSError):
            write_atomic(self.path, raw)
        self.problem = SaintError(
            Code.STATE_DAMAGED,
            f"{what}. The last good copy is in force",
            fix="Check the last changes. If this happens again, replace the card.",
        )
        return value

    def _keep_copy(self, raw: bytes) -> None:
        """Write the last good copy; if that fails, the next load or save tries again."""
        if self._copy is None:
            return
        with contextlib.suppress(OSError):
            with contextlib.suppress(FileNotFoundError):
                if self._copy.read_bytes() == raw:
                    return
            write_atomic(self._copy, raw)

    def _value_of(self, raw: bytes) -> T:
        """Return the value of the file, or of a fallback that is newer."""
        version, data = self._parsed(raw)
        if version > self._version:
            return self._from_fallback(raw, version)
        self._revision = self._own_revision(raw)
        if (later := self._newer_fallback(raw, version)) is not None:
            self._revision += 1  # changes the checksum: the fallback no longer refers to it
            return later
        value = self._migrated(version, data)
        self._older = raw if version < self._version else None
        return value

    def _from_fallback(self, newer: bytes, newer_version: int) -> T:
        """Return the newest readable fallback of a newer program's file."""
        fallbacks = self._fallbacks(newer, newer_version)
        for _, version, raw in fallbacks:
            if version > self._version:
                continue
            try:
                value = self._migrated(*self._parsed(raw))
            except _DamagedError as err:
                self._set_aside(self._fallback_path(version), err)
                continue
            self._newer, self._fallback_revision = _checksum(newer), fallbacks[0][0] + 1
            return value
        message = f"{self.path} has version {newer_version}, this program reads {self._version}"
        if not self._begins_with_default:
            raise SaintError(Code.STATE_NEWER, message)
        self.problem = SaintError(Code.STATE_NEWER, f"{message}. It begins without what is in it")
        self._newer = _checksum(newer)
        self._fallback_revision = 1 + max((revision for revision, _, _ in fallbacks), default=0)
        return self._model()

    def _own_revision(self, raw: bytes) -> int:
        """Return how often this file replaced a newer fallback."""
        revision = self._decoded(raw).get(_REVISION_KEY, 0)
        return revision if isinstance(revision, int) else 0

    def _newer_fallback(self, raw: bytes, version: int) -> T | None:
        """Return what an older program saved while it used a fallback of exactly this file."""
        for revision, _, beside in self._fallbacks(raw, version):
            if not revision:
                return None
            try:
                value = self._migrated(*self._parsed(beside))
            except _DamagedError:
                continue  # use the file itself
            self._older = raw if version < self._version else None
            return value
        return None

    def _fallbacks(self, newer: bytes, newer_version: int) -> list[tuple[int, int, bytes]]:
        """Return revision (0: older than the file), version and content of each fallback, newest
        first.
        """
        found = []
        for version in range(newer_version):
            path = self._fallback_path(version)
            try:
                raw = self._read(path)
                data = self._decoded(raw)
            except FileNotFoundError:
                continue
            except _DamagedError as err:
                self._set_aside(path, err)
                continue
            revision = (
                data.get(_REVISION_KEY, 0) if data.get(_FALLBACK_OF_KEY) == _checksum(newer) else 0
            )
            found.append((revision if isinstance(revision, int) else 0, version, raw))
        return sorted(found, reverse=True)

    def _fallback_path(self, version: int) -> Path:
        return self.path.with_name(f"{self.path.name}.v{version}")

    def _read(self, path: Path) -> bytes:
        """Read a file; FileNotFoundError passes, any other failure counts as damage."""
        try:
            return path.read_bytes()
        except FileNotFoundError:
            raise
        except OSError as err:
            raise _DamagedError(str(err)) from err

    def _parsed(self, raw: bytes) -> tuple[int, dict[str, Any]]:
        data = self._decoded(raw)
        version = data.pop(VERSION_KEY, None)
        for key in (_FALLBACK_OF_KEY, _REVISION_KEY):
            data.pop(key, None)
        if not isinstance(version, int) or isinstance(version, bool) or version < 0:
            raise _DamagedError(f"{VERSION_KEY} is {validation.shown(version)}")
        return version, data

    def _migrated(self, version: int, data: dict[str, Any]) -> T:
        try:
            for step in range(version, self._version):
                data = self._migrations[step](data)
            return self._model.model_validate(data)
        except ValidationError as err:
            raise _DamagedError(str(validation.faults(err, self._model, data)[0])) from err
        except (LookupError, TypeError, ValueError, AttributeError) as err:
            raise _DamagedError(f"version {version} cannot be migrated") from err

    def _decoded(self, raw: bytes) -> dict[str, Any]:
        try:
            text = raw.decode()
            if self.path.suffix == ".yaml":
                data = config.read_yaml(text, self.path.name).data
            else:
                data = json.loads(text)
        except (ValueError, RecursionError, SaintError) as err:
            raise _DamagedError("it is truncated or was edited incorrectly") from err
        if not isinstance(data, dict):
            raise _DamagedError("it does not contain named values")
        return data

    def _encoded(self, data: dict[str, Any]) -> bytes:
        if self.path.suffix == ".yaml":
            return config.write_yaml(data).encode()
        return json.dumps(data, indent=1, ensure_ascii=False).encode() + b"\n"

    def _set_aside(self, path: Path, reason: Exception) -> None:
        aside = self._renamed(path, reason)
        self.problem = SaintError(Code.STATE_DAMAGED, f"{reason}; kept as {aside}")

    def _renamed(self, path: Path, reason: Exception) -> Path:
        aside = _free_name(path)
        try:
            path.rename(aside)
        except OSError as err:
            message = f"{path} ({reason}) cannot be set aside: {err.strerror}"
            raise SaintError(Code.STATE_DAMAGED, message, fix="Check the disk.") from err
        return aside


def last_good(path: Path) -> Path:
    """Return the path of a file's last good copy."""
    return path.with_name(f"{path.name}.last-good")


class _DamagedError(Exception):
    """The file is not what was saved."""


def _checksum(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def _free_name(path: Path) -> Path:
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return aside


def write_atomic(path: Path, data: bytes, mode: int = 0o640) -> None:
    """Replace the file so that it is entirely old or entirely new after a power cut."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(
        f".{path.name}.new"
    )  # one name, so that leftovers of crashes do not accumulate
    try:
        _write_synced(aside, data, mode)
        aside.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            aside.unlink()
        raise
    _sync_directory(path.parent)


def _write_synced(path: Path, data: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, mode)
    try:
        os.fchmod(descriptor, mode)  # independent of umask and the mode of a leftover
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
