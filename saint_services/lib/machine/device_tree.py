"""Reads device trees: which parts of a board are on, with which pins. The running kernel's tree is
read here. Not here: files of trees and what the firmware lays over them (tools/image/boot).
"""

import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

RUNNING = "sys/firmware/devicetree/base"  # below the root of the file system
# A Pi 4's tree has 500 nodes with 3,000 properties; what a kernel reports has a bound.
_MOST_NODES = 4000
_LONGEST = 4096  # bytes of a property
_SECRET = "serial-number"


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One node: its path and the raw values of its properties."""

    path: str
    values: Mapping[str, bytes]

    @property
    def is_on(self) -> bool:
        return self.text("status") in ("", "okay", "ok")

    def text(self, name: str) -> str:
        """Return the first string of a property; empty without it."""
        return self.values.get(name, b"").split(b"\0")[0].decode(errors="replace")

    def texts(self, name: str) -> list[str]:
        parts = self.values.get(name, b"").split(b"\0")
        return [part.decode(errors="replace") for part in parts if part]

    def numbers(self, name: str) -> list[int]:
        """Return a property as 32-bit numbers."""
        value = self.values.get(name, b"")
        return [number for (number,) in struct.iter_unpack(">I", value[: len(value) // 4 * 4])]


class DeviceTree:
    """All nodes of a tree by path."""

    def __init__(self, nodes: Iterable[TreeNode]) -> None:
        self.nodes = {node.path: node for node in nodes}
        self._by_handle = {
            number: node for node in self.nodes.values() for number in node.numbers("phandle")
        }

    @classmethod
    def running(cls, root: Path) -> "DeviceTree":
        """Read the tree of the running kernel; without nodes where there is none. Blocks."""
        return cls(_folders(root / RUNNING))

    def is_on(self, path: str) -> bool:
        """Return True when the node and all above it are enabled."""
        parts = path.split("/")
        paths = ["/".join(parts[:length]) or "/" for length in range(1, len(parts) + 1)]
        return all(each in self.nodes and self.nodes[each].is_on for each in paths)

    def alias(self, name: str) -> str:
        """Return the path that an alias names, if there is such a node; else an empty text."""
        path = self.nodes["/aliases"].text(name) if "/aliases" in self.nodes else ""
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
            if group := self._by_handle.get(handle):
                found |= self._group(group)
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

    def _group(self, node: TreeNode) -> dict[int, int]:
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

    def _children(self, path: str) -> list[TreeNode]:
        inside = f"{path}/"
        nodes = [node for name, node in self.nodes.items() if name.startswith(inside)]
        return [self.nodes[path], *nodes] if self.nodes[path].text("function") else nodes


_GENERAL = {"gpio_in": 0, "gpio_out": 1, "alt5": 2, "alt4": 3} | {
    f"alt{number}": 4 + number for number in range(4)
}


def _folders(folder: Path) -> Iterator[TreeNode]:
    """Yield every node below a folder: a node is a folder, a property a file."""
    waiting = [("/", folder)]
    for _ in range(_MOST_NODES):
        if not waiting:
            return
        path, place = waiting.pop()
        try:
            entries = sorted(place.iterdir())
        except OSError:
            continue
        inside = [entry for entry in entries if entry.is_dir() and not entry.is_symlink()]
        waiting += [(f"{path.rstrip('/')}/{entry.name}", entry) for entry in inside]
        names = {entry.name for entry in inside} | {_SECRET}
        files = (entry for entry in entries if entry.name not in names)
        yield TreeNode(path, {entry.name: _value(entry) for entry in files})


def _value(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_LONGEST)
    except OSError:
        return b""
