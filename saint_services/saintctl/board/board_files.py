"""The firmware of the wagon's boards as this release carries it: files, version, comparison."""

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

from packaging.version import InvalidVersion, Version

from ...lib.errors import Code, SaintError
from ...lib.machine.computer import version as release
from ...lib.machine.service_manager import Directories

FOLDER: Final = Path("image/boards")  # in the checkout, and below /usr/share/saint
_MARK = 8  # characters of the fingerprint


@cache
def files(board: str) -> dict[str, bytes]:
    """Return the files of a board by their path on it; main.py last. Raises not_found."""
    source = Directories.from_environment().share / FOLDER
    found = {
        f"boards/{part}/{path.name}": path.read_bytes()
        for part in ("shared", board)
        for path in sorted((source / part).glob("*.py"))
    }
    if f"boards/{board}/main.py" not in found:
        text = f"this release has no firmware of the board {board} in {source}"
        raise SaintError(Code.NOT_FOUND, text, fix="Install this release again.")
    start = f'from boards.{board}.main import main\n\nmain("{_version(found)}")\n'
    return found | {"main.py": start.encode()}


def version(board: str) -> str:
    """Return the version that a board with these files reports."""
    found = dict(files(board))
    del found["main.py"]
    return _version(found)


def _version(found: dict[str, bytes]) -> str:
    """Return the release and a fingerprint of the files."""
    digest = hashlib.sha256()
    for name, content in sorted(found.items()):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return f"{release() or '0'} {digest.hexdigest()[:_MARK]}"


def compared(board: str, reported: str) -> str:
    """Return how a reported version compares to this release's, in words."""
    ours = version(board)
    if reported == ours:
        return "current"
    theirs, our_release = (_release(each) for each in (reported, ours))
    if theirs is None or our_release is None:
        return f"unknown; this release has {ours}"
    if theirs < our_release:
        return f"older; this release has {ours}"
    if theirs > our_release:
        return f"newer; this release has {ours}"
    return f"changed; this release has {ours}"


def _release(text: str) -> Version | None:
    try:
        return Version(text.partition(" ")[0])
    except InvalidVersion:
        return None
