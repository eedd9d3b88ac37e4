"""Reads device trees and says which overlays the firmware lays over one: what a board's Linux gets.
Merging is fdtoverlay's work, which follows the firmware's rules.
"""

import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_MAGIC = 0xD00DFEED
_BEGIN, _END, _PROPERTY, _SKIP, _LAST = 1, 2, 3, 4, 9  # Devicetree Specification 0.4, 5.4.1
_OVERLAY = "dtoverlay="


def overlays(config: str, filters: Iterable[str]) -> list[str]:
    """Return the overlays that config.txt names for a board with the sections `filters`."""
    applies, found = True, []
    for line in (raw.strip() for raw in config.splitlines()):
        if line.startswith("["):
            applies = line.strip("[]") in {"all", *filters}
        elif applies and line.startswith(_OVERLAY):
            found.append(line.removeprefix(_OVERLAY).partition(",")[0])
    return found


@dataclass(frozen=True, slots=True)
class Node:
    """One node: its path and the raw values of its properties."""

    path: str
    values: Mapping[str, bytes]

    @property
    def is_on(self) -> bool:
        return self.text("status") in ("", "okay", "ok")

    def text(self, name: str) -> str:
        """Return the first string of a property; empty without it."""
        return self.values.get(name, b"").split(b"\0")[0].decode()

    def texts(self, name: str) -> list[str]:
        return [part.decode() for part in self.values.get(name, b"").split(b"\0") if part]

    def numbers(self, name: str) -> list[int]:
        """Return a property as 32-bit numbers."""
        value = self.values.get(name, b"")
        return list(struct.unpack(f">{len(value) // 4}I", value))


class DeviceTree:
    """All nodes of a flattened tree by path."""

    def __init__(self, blob: bytes) -> None:
        if int.from_bytes(blob[:4]) != _MAGIC:
            raise ValueError("this is no device tree: it does not begin with d00dfeed")
        self.nodes = {node.path: node for node in _nodes(blob)}
        self._by_handle = {
            number: node for node in self.nodes.values() for number in node.numbers("phandle")
        }

    @classmethod
    def read(cls, path: Path) -> "DeviceTree":
        return cls(path.read_bytes())

    def is_on(self, path: str) -> bool:
        """Return True when the node and all above it are enabled."""
        parts = path.split("/")
        paths = ["/".join(parts[:length]) or "/" for length in range(1, len(parts) + 1)]
        return all(each in self.nodes and self.nodes[each].is_on for each in paths)

    def alias(self, name: str) -> str:
        """Return the path that an alias names, if there is such a node; else an empty text."""
        path = self.nodes["/aliases"].text(name)
        return path if path in self.nodes else ""

    def pins(self, path: str, state: str = "default") -> dict[int, int]:
        """Return the pins of a node's state, each with its function (0 input, 1 output, 4 to 7 ALT0
        to ALT3, 3 ALT4, 2 ALT5); none without such a state."""
        found: dict[int, int] = {}
        node = self.nodes[path]
        names = node.texts("pinctrl-names")
        if state not in names:
            return found
        for handle in node.numbers(f"pinctrl-{names.index(state)}"):
            found |= self._group(self._by_handle[handle])
        return found

    def holders(self) -> dict[int, list[str]]:
        """Return by pin the enabled nodes that hold it. The kernel refuses a second one (pinmux.c,
        pin_request), and its driver does not start."""
        found: dict[int, list[str]] = {}
        for path in self.nodes:
            if self.is_on(path):
                for pin in self.pins(path):
                    found.setdefault(pin, []).append(path)
        return found

    def _group(self, node: Node) -> dict[int, int]:
        """Return pins with functions of one group, in either form that the kernel reads."""
        pins = node.numbers("brcm,pins")
        if pins:
            functions = node.numbers("brcm,function")
            return dict(zip(pins, functions * len(pins), strict=False))
        found: dict[int, int] = {}
        for child in self._children(node.path):
            function = _GENERAL[child.text("function")]
            found |= {int(pin.removeprefix("gpio")): function for pin in child.texts("pins")}
        return found

    def _children(self, path: str) -> list[Node]:
        inside = f"{path}/"
        nodes = [node for name, node in self.nodes.items() if name.startswith(inside)]
        return [self.nodes[path], *nodes] if self.nodes[path].text("function") else nodes


_GENERAL = {"gpio_in": 0, "gpio_out": 1, "alt5": 2, "alt4": 3} | {
    f"alt{number}": 4 + number for number in range(4)
}


def _nodes(blob: bytes) -> Iterator[Node]:
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
            yield Node(*open_nodes.pop())
        elif mark != _SKIP:
            raise ValueError(f"this device tree is damaged: mark {mark} at byte {at - 4}")


def _string(blob: bytes, at: int) -> str:
    return blob[at : blob.index(b"\0", at)].decode()


def _padded(length: int) -> int:
    return (length + 3) & ~3
