"""The owner's figures on the data partition: one zip each, by its checksum, with a last good copy.
A robot's text names its figure by that checksum, so a change of both is one: the text. adoptiond
writes them; every daemon of the server reads the one in force. Calls block.
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import Code, SaintError
from ...state import last_good, write_atomic

if TYPE_CHECKING:
    from .archive import FigureFiles

_READABLE = 0o644  # routerd and webd read figures; they hold no secrets
_IN_TEXT = re.compile(r"^figure:\s*[\"']?([0-9a-f]{16})\b", re.MULTILINE)
_NAME = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class StoredFigure:
    """A figure as stored; `problem` says why it is the copy."""

    files: "FigureFiles"
    problem: str = ""


class FigureStore:
    """The files of the owner's figures."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, digest: str) -> StoredFigure:
        """Read a figure, or its last good copy. Raises config_missing or config_invalid."""
        path = self._path(digest)
        try:
            return StoredFigure(_read(path, digest))
        except SaintError as err:
            try:
                found = StoredFigure(_read(last_good(path), digest))
            except SaintError:
                raise err from None
            return replace(found, problem=f"{err.message}. Its last good copy is shown")

    def add(self, files: "FigureFiles") -> str:
        """Store a figure that was checked; return its checksum. Raises internal."""
        path, data = self._path(files.digest), files.packed()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.folder.chmod(0o755)
            write_atomic(path, data, _READABLE)
            write_atomic(last_good(path), data, _READABLE)
        except OSError as err:
            what, fix = f"{path} cannot be written: {err.strerror}", "Check that the disk has room."
            raise SaintError(Code.INTERNAL, what, fix=fix) from err
        return files.digest

    def digests(self) -> list[str]:
        """Return what is stored, oldest first."""
        try:
            found = sorted(self.folder.glob("*.zip"), key=lambda path: path.stat().st_mtime)
        except OSError:
            return []
        return [path.stem for path in found if _NAME.fullmatch(path.stem)]

    def forget(self, digest: str) -> None:
        """Delete a figure and its copy."""
        for path in (self._path(digest), last_good(self._path(digest))):
            path.unlink(missing_ok=True)

    def forget_all(self) -> None:
        """Delete every figure."""
        for digest in self.digests():
            self.forget(digest)

    def _path(self, digest: str) -> Path:
        if not _NAME.fullmatch(digest):
            raise SaintError(Code.CONFIG_INVALID, f"{digest[:40]!r} is no checksum of a figure")
        return self.folder / f"{digest}.zip"


def named_figures(text: str) -> list[str]:
    """Return the figures that a robot's text names."""
    return _IN_TEXT.findall(text)


def _read(path: Path, digest: str) -> "FigureFiles":
    from .archive import MOST_STORED_BYTES, opened  # zipfile: few robots have such a figure

    name = f"figure {digest}"
    try:
        with path.open("rb") as file:
            data = file.read(MOST_STORED_BYTES + 1)
    except OSError as err:
        text = f"{name} is not stored on this robot"
        raise SaintError(Code.CONFIG_MISSING, text, fix="Upload it again.") from err
    try:
        found = opened(data)
    except SaintError as err:
        raise SaintError(Code.CONFIG_INVALID, f"{name} is damaged: {err.message}") from err
    if found.digest != digest:
        raise SaintError(Code.CONFIG_INVALID, f"{name} is damaged: its content has changed")
    return found
