"""Renders message classes: one module per ROS package."""

from typing import Any

from rosbags.interfaces import Nodetype

from .definitions import Docs, Interfaces, closure, nested

HEAD = '"""{title}\n\nWritten by `make gen` from manifests/; do not edit.\n"""\n'
_ZERO = {"bool": "False", "float32": "0.0", "float64": "0.0", "string": '""'}
_TYPE = {"bool": "bool", "float32": "float", "float64": "float", "string": "str"}


def modules(interfaces: Interfaces, wanted: list[str]) -> dict[str, str]:
    """Return source text by module name, e.g. "geometry_msgs"."""
    names = closure(interfaces.store, wanted)
    packages = sorted({name.split("/")[0] for name in names})
    return {package: _module(interfaces, package, names) for package in packages}


def class_name(name: str) -> str:
    """Return the class of a type: "saint_msgs/msg/EStop" -> "EStop"."""
    return name.rsplit("/", 1)[1]


def _module(interfaces: Interfaces, package: str, names: list[str]) -> str:
    own = [name for name in names if name.split("/")[0] == package]
    inner = {
        found
        for name in own
        for _, kind in interfaces.store.fielddefs[name][1]
        if (found := nested(kind)) is not None and found.split("/")[0] != package
    }
    text = HEAD.format(title=f"Messages of the ROS 2 package {package}.")
    text += "\nfrom collections.abc import Sequence\n"
    text += "from typing import Any, ClassVar\n\nfrom ..bus import cdr\n"
    text += "from ..bus.message import MessageBase\n"
    for other in sorted({name.split("/")[0] for name in inner}):
        classes = sorted(class_name(n) for n in inner if n.split("/")[0] == other)
        text += f"from .{other} import {', '.join(classes)}\n"
    return text + "".join(_message(interfaces, name) for name in own)


def _message(interfaces: Interfaces, name: str) -> str:
    docs = interfaces.docs.get(name, Docs())
    fields = interfaces.store.fielddefs[name][1]
    lines = [f"\n\nclass {class_name(name)}(MessageBase):"]
    lines.append(f'    """{docs.head or name}"""\n')
    slots = _tuple([f'"{field}"' for field, _ in fields])
    lines.append(f"    __slots__ = {slots}")
    lines.append(f'    TYPE: ClassVar[str] = "{name}"')
    lines.append(f'    HASH: ClassVar[str] = "{interfaces.store.hash_rihs01(name)}"')
    kinds = [f'("{field}", {_kind(kind)})' for field, kind in fields]
    lines.append(f"    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = {_tuple(kinds)}")
    if fields:
        lines += ["", "    def __init__(", "        self,"]
        lines += [_parameter(field, kind, docs.fields.get(field, "")) for field, kind in fields]
        lines.append("    ) -> None:")
        lines += [_assignment(field, kind) for field, kind in fields]
    return "\n".join(lines) + "\n"


def _tuple(elements: list[str]) -> str:
    return f"({', '.join(elements)}{',' * (len(elements) == 1)})"


def _parameter(field: str, kind: Any, comment: str) -> str:
    annotation, default = _annotation(kind), _default(kind)
    if default is None:  # made for each message: it may be changed
        annotation, default = f"{annotation} | None", "None"
    suffix = f"  # {comment}" if comment else ""
    return f"        {field}: {annotation} = {default},{suffix}"


def _assignment(field: str, kind: Any) -> str:
    if _default(kind) is None:
        return f"        self.{field} = {class_name(kind[1])}() if {field} is None else {field}"
    return f"        self.{field} = {field}"


def _kind(kind: Any) -> str:
    node, rest = kind
    if node == Nodetype.NAME:
        return class_name(rest)
    if node == Nodetype.BASE:
        return f'"{_primitive(rest[0])}"'
    name = "cdr.Array" if node == Nodetype.ARRAY else "cdr.Sequence"
    return f"{name}({_kind(rest[0])}, {rest[1]})"


def _primitive(name: str) -> str:
    return {"octet": "uint8", "byte": "uint8", "char": "uint8"}.get(name, name)


def _annotation(kind: Any) -> str:
    node, rest = kind
    if node == Nodetype.NAME:
        return class_name(rest)
    if node == Nodetype.BASE:
        return _TYPE.get(rest[0], "int")
    if rest[0] == (Nodetype.BASE, ("uint8", 0)):
        return "bytes"
    return f"Sequence[{_annotation(rest[0])}]"


def _default(kind: Any) -> str | None:
    """Return the default as source text; None for a message."""
    node, rest = kind
    if node == Nodetype.NAME:
        return None
    if node == Nodetype.BASE:
        return _ZERO.get(rest[0], "0")
    if node == Nodetype.SEQUENCE:
        return 'b""' if _annotation(kind) == "bytes" else "()"
    if _annotation(kind) == "bytes":
        return f"bytes({rest[1]})"
    return f"({_default(rest[0])},) * {rest[1]}"
