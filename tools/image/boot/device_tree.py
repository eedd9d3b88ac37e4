"""Reads files of device trees and says which overlays the firmware lays over one: what a board's
Linux gets. Merging is fdtoverlay's work, which follows the firmware's rules.
"""

import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

from saint_services.lib.machine import device_tree
from saint_services.lib.machine.device_tree import TreeNode

_MAGIC = 0xD00DFEED
_BEGIN, _END, _PROPERTY, _SKIP, _LAST = 1, 2, 3, 4, 9  # Devicetree Specification 0.4, 5.4.1
_OVERLAY = "dtoverlay"


def overlays(config: str, filters: Iterable[str]) -> list[str]:
    """Return the overlays that config.txt names for a board with the sections `filters`."""
    named = (value for key, value in _lines(config, filters) if key == _OVERLAY)
    return [value.partition(",")[0] for value in named]


def values(config: str, filters: Iterable[str]) -> dict[str, str]:
    """Return what config.txt sets for a board with the sections `filters`; the last one counts."""
    return dict(_lines(config, filters))


def _lines(config: str, filters: Iterable[str]) -> Iterator[tuple[str, str]]:
    applies, sections = True, {"all", *filters}
    for line in (raw.strip() for raw in config.splitlines()):
        if line.startswith("["):
            applies = line.strip("[]") in sections
        elif applies and "=" in line and not line.startswith("#"):
            key, _, value = line.partition("=")
            yield key, value


class DeviceTree(device_tree.DeviceTree):
    """A flattened tree: the file that the firmware and the kernel's package have."""

    def __init__(self, blob: bytes) -> None:
        if int.from_bytes(blob[:4]) != _MAGIC:
            raise ValueError("this is no device tree: it does not begin with d00dfeed")
        super().__init__(_nodes(blob))

    @classmethod
    def read(cls, path: Path) -> "DeviceTree":
        return cls(path.read_bytes())


def _nodes(blob: bytes) -> Iterator[TreeNode]:
    """Yield every node when it ends; the structure is a flat list of marks."""
    at, strings = struct.unpack_from(">II", blob, 8)
    open_nodes: list[tuple[str, dict[str, bytes]]] = []
    while (mark := int.from_bytes(blob[at : at + 4])) != _LAST:
        at += 4
        if mark == _BEGIN:
            name = _string(blob, at)
            above = open_nodes[-1][0].rstrip("/") if open_nodes else ""
            open_nodes.append((f"{above}/{name}", {}))
            at += _padded(len(name) + 1)
        elif mark == _PROPERTY:
            length, name_at = struct.unpack_from(">II", blob, at)
            open_nodes[-1][1][_string(blob, strings + name_at)] = blob[at + 8 : at + 8 + length]
            at += 8 + _padded(length)
        elif mark == _END:
            yield TreeNode(*open_nodes.pop())
        elif mark != _SKIP:
            raise ValueError(f"this device tree is damaged: mark {mark} at byte {at - 4}")


def _string(blob: bytes, at: int) -> str:
    return blob[at : blob.index(b"\0", at)].decode()


def _padded(length: int) -> int:
    return (length + 3) & ~3
