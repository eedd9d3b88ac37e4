"""What survives a reboot: one file, one pydantic model, one version. A write is whole or not at
all; a damaged file is set aside, a file of a newer version is kept untouched.
Not here: settings that people write (lib/config.py).
"""

import contextlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from . import config, validation
from .errors import Code, SaintError

T = TypeVar("T", bound=BaseModel)
Migration = Callable[[dict[str, Any]], dict[str, Any]]

VERSION_KEY = "version_of_format"


class Store(Generic[T]):
    """Keeps one value in one file; YAML when the path ends so, else JSON.

    `migrations[n]` turns the data of version n into that of version n + 1. `problem` tells after
    load() why defaults are in force. Calls block: from a coroutine use asyncio.to_thread.
    """

    def __init__(
        self,
        path: Path,
        model: type[T],
        version: int,
        migrations: Mapping[int, Migration] | None = None,
    ) -> None:
        self.path = path
        self.problem: SaintError | None = None
        self._model = model
        self._version = version
        self._migrations = migrations or {}
        self._is_loaded = False

    def load(self) -> T:
        """The saved value; the default when there is none or it cannot be read."""
        self.problem = None
        try:
            value = self._read()
        except FileNotFoundError:
            value = self._model()
        except (_DamagedError, OSError) as err:
            self._set_aside(err)
            value = self._model()
        self._is_loaded = True
        return value

    def save(self, value: T) -> None:
        """Write it whole. Never over a newer version's file."""
        if not self._is_loaded:
            self.load()
        data = {VERSION_KEY: self._version, **value.model_dump(mode="json", by_alias=True)}
        try:
            write_atomic(self.path, self._encoded(data))
        except OSError as err:
            raise SaintError(
                Code.INTERNAL,
                f"{self.path} cannot be written: {err.strerror}",
                fix="Check that the disk is not full and the folder may be written.",
            ) from err

    def _read(self) -> T:
        data = self._decoded(self.path.read_bytes())
        version = data.pop(VERSION_KEY, None)
        if not isinstance(version, int) or isinstance(version, bool) or version < 0:
            raise _DamagedError(f"{VERSION_KEY} is {validation.shown(version)}")
        if version > self._version:
            self._is_loaded = False  # so that save() looks again, and refuses
            message = f"{self.path} has version {version}, this program reads {self._version}"
            raise SaintError(Code.STATE_NEWER, message)
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

    def _set_aside(self, reason: Exception) -> None:
        aside = _free_name(self.path)
        try:
            self.path.rename(aside)
        except OSError as err:
            message = f"{self.path} ({reason}) cannot be set aside: {err.strerror}"
            raise SaintError(Code.STATE_DAMAGED, message, fix="Check the disk.") from err
        self.problem = SaintError(Code.STATE_DAMAGED, f"{reason}; kept as {aside}")


class _DamagedError(Exception):
    """The file is not what was saved."""


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
