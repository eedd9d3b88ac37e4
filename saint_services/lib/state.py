"""What survives a reboot: one file, one pydantic model, one version. A write is whole or not at
all; a damaged file is set aside, a file of a newer version is kept untouched.
Not here: settings that people write (lib/config).

A release may be rolled back after it has written its own, newer format. So the first file of a
newer format leaves the older one beside it, `role.yaml.v1` beside `role.yaml`; a program that meets
a newer file works with the newest one beside it that it can read. What it saves there names the
newer file that it stands for; the newer program, when it is back, takes that as the later word.
Every change of a model, a new field too, is a new version: older programs refuse what they do not
know.

A store that `keeps_last_good` writes each version of its file a second time, `role.yaml.last-good`
beside `role.yaml`, after the file itself. A file that is damaged or gone is replaced by that copy,
and `problem` says so.
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
_INSTEAD_KEY = "instead_of"  # checksum of the newer file that this one stands for
_WORD_KEY = "word"  # counts what was said in its place


class Store(Generic[T]):
    """Keeps one value in one file; YAML when the path ends so, else JSON.

    `migrations[n]` turns the data of version n into that of version n + 1. `problem` tells after
    load() why defaults, or the last good copy, are in force. Calls block: from a coroutine use
    asyncio.to_thread.
    """

    def __init__(
        self,
        path: Path,
        model: type[T],
        version: int,
        migrations: Mapping[int, Migration] | None = None,
        *,
        keeps_last_good: bool = False,
    ) -> None:
        self.path = path
        self.problem: SaintError | None = None
        self._model = model
        self._version = version
        self._migrations = migrations or {}
        self._is_loaded = False
        self._older: bytes | None = None  # the file as an older program left it
        self._newer = ""  # checksum of a newer program's file, which is not ours to write
        self._word = 0
        self._said = 0  # how often the file was written over what a stand-in said
        self._is_first = False  # there is no file yet
        self._copy = last_good(path) if keeps_last_good else None
        self._lock = threading.RLock()  # a slow load must not put an older copy over a newer one

    def load(self) -> T:
        """Read the saved value: the file, else its last good copy, else the default."""
        with self._lock:
            return self._load()

    def save(self, value: T) -> None:
        """Write it whole. Never over a newer version's file."""
        with self._lock:
            self._save(value)

    def _load(self) -> T:
        self.problem, self._older, self._newer = None, None, ""
        self._said = 0
        self._is_loaded = self._is_first = False  # so that save() looks again when this raises
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
            data |= {_INSTEAD_KEY: self._newer, _WORD_KEY: self._word}
            path = self._beside(self._version)
        elif self._said:
            data[_WORD_KEY] = self._said
        try:
            if self._is_first:  # what lies beside no file belongs to one that was forgotten
                self._clear_beside()
            if self._older is not None:
                version = self._parsed(self._older)[0]
                write_atomic(self._beside(version), self._older)
                self._older = None
            encoded = self._encoded(data)
            write_atomic(path, encoded)
        except OSError as err:
            raise SaintError(
                Code.INTERNAL,
                f"{path} cannot be written: {err.strerror}",
                fix="Check that the disk is not full and the folder may be written.",
            ) from err
        if not self._newer:
            self._keep_copy(encoded)

    def forget(self) -> None:
        """Remove it, and what is beside it: an older program must not find it again either."""
        try:
            if self._copy:  # first: a copy without its file would bring it back
                self._copy.unlink(missing_ok=True)
                _sync_directory(self.path.parent)
            self.path.unlink(missing_ok=True)
            self._clear_beside()
            _sync_directory(self.path.parent)
        except FileNotFoundError:
            return  # not even the folder is there
        except OSError as err:
            message = f"{self.path} cannot be removed: {err.strerror}"
            raise SaintError(Code.INTERNAL, message) from err
        self._is_loaded = False

    def _clear_beside(self) -> None:
        for path in self.path.parent.glob(f"{self.path.name}.v*"):
            path.unlink(missing_ok=True)

    def _newest(self) -> T:
        """The file, or one beside it where that one counts; else the last good copy."""
        try:
            raw = self._read(self.path)
            value = self._value_of(raw)
        except FileNotFoundError:
            return self._last_good(f"{self.path} is gone")
        except _DamagedError as err:
            return self._instead_of_damaged(err)
        if not self._newer:
            self._keep_copy(raw)
        return value

    def _instead_of_damaged(self, damage: "_DamagedError") -> T:
        try:
            value = self._last_good(f"{self.path} is damaged ({damage})", is_there=True)
        except FileNotFoundError:
            self._set_aside(self.path, damage)
            return self._model()
        return value

    def _last_good(self, what: str, *, is_there: bool = False) -> T:
        """The copy, which becomes the file again. FileNotFoundError: there is none."""
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
            with contextlib.suppress(SaintError):  # a disk that refuses changes nothing here
                what += f"; kept as {self._renamed(self.path, _DamagedError(what))}"
        with contextlib.suppress(OSError):
            write_atomic(self.path, raw)
        self.problem = SaintError(
            Code.STATE_DAMAGED,
            f"{what}. Its last good copy is in force",
            fix="Check what was changed last. If this comes back, replace the card.",
        )
        return value

    def _keep_copy(self, raw: bytes) -> None:
        """A copy that cannot be written is written after the next load or save."""
        if self._copy is None:
            return
        with contextlib.suppress(OSError):
            with contextlib.suppress(FileNotFoundError):
                if self._copy.read_bytes() == raw:
                    return
            write_atomic(self._copy, raw)

    def _value_of(self, raw: bytes) -> T:
        """What this file says, or one beside it where that one counts."""
        version, data = self._parsed(raw)
        if version > self._version:
            return self._beside_newer(raw, version)
        self._said = self._own_word(raw)
        if (later := self._later_word(raw, version)) is not None:
            self._said += 1  # else the same content would call the stand-in's word the last again
            return later
        value = self._migrated(version, data)
        self._older = raw if version < self._version else None
        return value

    def _beside_newer(self, newer: bytes, newer_version: int) -> T:
        """A newer program was here: the last word that is left for us."""
        words = self._words(newer, newer_version)
        for _, version, raw in words:
            if version > self._version:
                continue
            try:
                value = self._migrated(*self._parsed(raw))
            except _DamagedError as err:
                self._set_aside(self._beside(version), err)
                continue
            self._newer, self._word = _checksum(newer), words[0][0] + 1
            return value
        message = f"{self.path} has version {newer_version}, this program reads {self._version}"
        raise SaintError(Code.STATE_NEWER, message)

    def _own_word(self, raw: bytes) -> int:
        """How often this file was written over a stand-in's word."""
        word = self._decoded(raw).get(_WORD_KEY, 0)
        return word if isinstance(word, int) else 0

    def _later_word(self, raw: bytes, version: int) -> T | None:
        """What an older program saved while it stood in for this very file."""
        for word, _, beside in self._words(raw, version):
            if not word:
                return None
            try:
                value = self._migrated(*self._parsed(beside))
            except _DamagedError:
                continue  # the file itself is there
            self._older = raw if version < self._version else None
            return value
        return None

    def _words(self, newer: bytes, newer_version: int) -> list[tuple[int, int, bytes]]:
        """What lies beside the file: how often it was said over (0: it is older than the file),
        its version, its content. The last word first."""
        found = []
        for version in range(newer_version):
            path = self._beside(version)
            try:
                raw = self._read(path)
                data = self._decoded(raw)
            except FileNotFoundError:
                continue
            except _DamagedError as err:
                self._set_aside(path, err)
                continue
            word = data.get(_WORD_KEY, 0) if data.get(_INSTEAD_KEY) == _checksum(newer) else 0
            found.append((word if isinstance(word, int) else 0, version, raw))
        return sorted(found, reverse=True)

    def _beside(self, version: int) -> Path:
        return self.path.with_name(f"{self.path.name}.v{version}")

    def _read(self, path: Path) -> bytes:
        """FileNotFoundError passes; what else cannot be read is damaged."""
        try:
            return path.read_bytes()
        except FileNotFoundError:
            raise
        except OSError as err:
            raise _DamagedError(str(err)) from err

    def _parsed(self, raw: bytes) -> tuple[int, dict[str, Any]]:
        data = self._decoded(raw)
        version = data.pop(VERSION_KEY, None)
        for key in (_INSTEAD_KEY, _WORD_KEY):
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
            raise _DamagedError(f"version {version} cannot be brought up to date") from err

    def _decoded(self, raw: bytes) -> dict[str, Any]:
        try:
            text = raw.decode()
            if self.path.suffix == ".yaml":
                data = config.read_yaml(text, self.path.name).data
            else:
                data = json.loads(text)
        except (ValueError, RecursionError, SaintError) as err:
            raise _DamagedError("it is cut off or was edited wrongly") from err
        if not isinstance(data, dict):
            raise _DamagedError("it does not hold named values")
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
    """Where the last good copy of a file lies."""
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
    """Replace `path` so that it is entirely old or entirely new whenever power goes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.new")  # one name: leftovers of a crash do not pile up
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
        os.fchmod(descriptor, mode)  # whatever the umask and a leftover's mode
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
