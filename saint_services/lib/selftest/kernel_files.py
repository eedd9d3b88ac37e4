"""Reads small files of the kernel and lists its folders. An unreadable file is empty: what is not
there is a fact, not an error. Blocks.
"""

from pathlib import Path

_LONGEST = 65_536


def text(path: Path) -> str:
    """Return the content without spaces at its ends; empty when it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(_LONGEST).decode(errors="replace").strip("\0\n\t ")
    except OSError:
        return ""


def number(path: Path) -> int | None:
    """Return a decimal or hexadecimal (0x) number; None without one."""
    try:
        return int(text(path), 0)
    except ValueError:
        return None


def entries(folder: Path, pattern: str = "*") -> list[Path]:
    """Return what is in a folder, sorted; nothing when it is not there."""
    try:
        return sorted(folder.glob(pattern))
    except OSError:
        return []


def link_name(path: Path) -> str:
    """Return the last part of where a link leads; empty when it is no link."""
    try:
        return path.readlink().name
    except OSError:
        return ""
