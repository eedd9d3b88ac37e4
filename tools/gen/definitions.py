"""Reads the interface package and the published ROS 2 definitions into one type store."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rosbags.interfaces import Nodetype
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

PACKAGE = "saint_msgs"
FOREIGN = ("audio_common_msgs",)  # not among those of every ROS 2 installation
_LINE = re.compile(r"^(?P<type>[\w/\[\]<>=]+)\s+(?P<name>[a-z]\w*)\s*(?:#\s*(?P<comment>.*))?$")


@dataclass
class Docs:
    """The comments of one message: the head, and one per field."""

    head: str = ""
    fields: dict[str, str] = field(default_factory=dict)


@dataclass
class Interfaces:
    """All definitions: `store` is rosbags' type store; `docs` and `services` are ours."""

    store: Any
    docs: dict[str, Docs]
    services: list[str]  # "saint_msgs/srv/AdoptNode"
    messages: list[str]  # our own, including the halves of services


def read(package: Path) -> Interfaces:
    """Read the package at `package`, and those of others that robots use, beside it, on top of the
    published ROS 2 Jazzy definitions.
    """
    result = Interfaces(get_typestore(Stores.ROS2_JAZZY), {}, [], [])
    types: dict[str, Any] = {}
    for other in FOREIGN:
        for path in sorted((package.parent / other / "msg").glob("*.msg")):
            name, text = f"{other}/msg/{path.stem}", path.read_text()
            types.update(get_types_from_msg(text, name))
            result.docs[name] = _docs(text)
    for path in sorted((package / "msg").glob("*.msg")):
        _add(result, types, f"{PACKAGE}/msg/{path.stem}", path.read_text())
    for path in sorted((package / "srv").glob("*.srv")):
        name = f"{PACKAGE}/srv/{path.stem}"
        request, _, response = path.read_text().partition("---\n")
        _add(result, types, f"{name}_Request", request)
        _add(result, types, f"{name}_Response", response)
        types[f"{name}_Event"] = _event(name)
        types[name] = _service(name)
        result.services.append(name)
    result.store.register(types)
    _char_is_uint8(result.store)
    return result


def _add(result: Interfaces, types: dict[str, Any], name: str, text: str) -> None:
    # rosbags reads .msg files only: the half of a service is parsed as one, under its own name.
    (fields,) = get_types_from_msg(text, name.replace("/srv/", "/msg/")).values()
    types[name] = fields
    result.docs[name] = _docs(text)
    result.messages.append(name)


def _docs(text: str) -> Docs:
    docs, head = Docs(), []
    for line in text.splitlines():
        if line.startswith("#") and not docs.fields:
            head.append(line.lstrip("# "))
        elif match := _LINE.match(line.strip()):
            docs.fields[match["name"]] = match["comment"] or ""
    docs.head = " ".join(head)
    return docs


def _event(name: str) -> Any:
    """Return the introspection message of a service (REP 2012)."""

    def at_most_one(half: str) -> Any:
        return Nodetype.SEQUENCE, ((Nodetype.NAME, f"{name}_{half}"), 1)

    info = (Nodetype.NAME, "service_msgs/msg/ServiceEventInfo")
    return [], [
        ("info", info), ("request", at_most_one("Request")), ("response", at_most_one("Response"))
    ]  # fmt: skip


def _char_is_uint8(store: Any) -> None:
    """Replace char by uint8: rosidl does so in .msg files before it hashes, rosbags does not."""
    gid = (Nodetype.ARRAY, ((Nodetype.BASE, ("uint8", 0)), 16))
    char = (Nodetype.ARRAY, ((Nodetype.BASE, ("char", 0)), 16))
    for name in ("service_msgs/msg/ServiceEventInfo", "rmw_dds_common/msg/Gid"):
        consts, fields = store.fielddefs[name]
        changed = [(field, gid if kind == char else kind) for field, kind in fields]
        store.fielddefs[name] = (consts, changed)


def _service(name: str) -> Any:
    """Return a service as the struct of its three messages, which its type hash covers (REP
    2016).
    """
    parts = ("Request", "Response", "Event")
    fields = [(f"{p.lower()}_message", (Nodetype.NAME, f"{name}_{p}")) for p in parts]
    return [], fields


def closure(store: Any, names: list[str]) -> list[str]:
    """Return `names` and every message type that they contain, dependencies first."""
    found: list[str] = []

    def visit(name: str) -> None:
        if name in found:
            return
        for _, kind in store.fielddefs[name][1]:
            if (inner := nested(kind)) is not None:
                visit(inner)
        found.append(name)

    for name in names:
        visit(name)
    return found


def nested(kind: Any) -> str | None:
    """Return the message type inside a field's kind, if any."""
    if kind[0] in (Nodetype.ARRAY, Nodetype.SEQUENCE):
        kind = kind[1][0]
    return kind[1] if kind[0] == Nodetype.NAME else None
