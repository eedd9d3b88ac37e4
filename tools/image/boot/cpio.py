"""Writes the archive format that the kernel unpacks as its first file system (newc). What goes
in is decided in initrd.py."""

import stat

_MAGIC = b"070701"
_TRAILER = "TRAILER!!!"
_ALIGNMENT = 4


class Archive:
    """Entries in the order they are added, all owned by root and without time."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._count = 0

    def folder(self, name: str) -> None:
        """An empty folder; its parent comes first."""
        self._entry(name, stat.S_IFDIR | 0o755)

    def file(self, name: str, content: bytes, mode: int = 0o644) -> None:
        """A regular file."""
        self._entry(name, stat.S_IFREG | mode, content)

    def link(self, name: str, target: str) -> None:
        """A symbolic link."""
        self._entry(name, stat.S_IFLNK | 0o777, target.encode())

    def character_device(self, name: str, major: int, minor: int) -> None:
        """A device node for root alone."""
        self._entry(name, stat.S_IFCHR | 0o600, device=(major, minor))

    def finished(self) -> bytes:
        """The whole archive."""
        return b"".join(self._parts) + _record(0, _TRAILER, 0, b"", (0, 0))

    def _entry(
        self, name: str, mode: int, content: bytes = b"", device: tuple[int, int] = (0, 0)
    ) -> None:
        self._count += 1
        self._parts.append(_record(self._count, name, mode, content, device))


def _record(inode: int, name: str, mode: int, content: bytes, device: tuple[int, int]) -> bytes:
    stored = name.encode() + b"\0"
    owner, links, time, check = 0, 1, 0, 0
    numbers = (
        inode,
        mode,
        owner,
        owner,
        links,
        time,
        len(content),
        0,
        0,
        *device,
        len(stored),
        check,
    )
    head = _MAGIC + b"".join(b"%08X" % number for number in numbers) + stored
    return _padded(head) + _padded(content)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % _ALIGNMENT)
