"""Where a robot names its parts outside of their own entries: the one table that validation,
renaming and removal use. It reads a role's configuration, as a model or as the text's document.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

OUTPUTS, HARDWARE = "fields", "gpio_mapping"
DEVICES = ("i2c_devices", "spi_devices", "serial_devices", "can_devices")
GROUPS = (OUTPUTS, HARDWARE, *DEVICES)  # a part has an entry in each that it needs


@dataclass(frozen=True, slots=True)
class PartReference:
    """A place that names parts. `path` leads to it, over every entry at a `*`; the name is the
    value there, each item of a list, or each key of a mapping.
    """

    path: str
    groups: tuple[str, ...]  # one of them has the part
    goes_with_it: bool = False  # removed with the part; every other place keeps the part
    may_be_unknown: bool = False  # a name without a part means nothing


# Of a role's configuration.
REFERENCES = (
    PartReference("gpio_mapping.*.device", DEVICES),
    PartReference("gpio_mapping.*.current_device", ("i2c_devices",)),
    PartReference("collision_limits.*.when", (OUTPUTS,)),
    PartReference("collision_limits.*.then", (OUTPUTS,)),
    PartReference("overrides", (HARDWARE,)),
    PartReference("reset_button", (HARDWARE,)),
    PartReference("grip.field", (OUTPUTS,)),
    PartReference("grip.current_device", ("i2c_devices",)),
    PartReference("lead.shares", (HARDWARE,), goes_with_it=True, may_be_unknown=True),
    PartReference("lead.clutch.joint", (HARDWARE,)),
    PartReference("lead.clutch.button", (HARDWARE,)),
)
# Of the role in the robot, around its configuration; the figure and the chips are checked there.
OF_THE_ROLE = (
    PartReference("joints", (OUTPUTS, HARDWARE), goes_with_it=True),
    PartReference("i2c_addresses", ("i2c_devices",), goes_with_it=True),
)


@dataclass(frozen=True, slots=True)
class NamedAt:
    """One name at its place: "collision_limits[0].when.pan", in `holder` at `key`."""

    place: str
    name: str
    reference: PartReference
    holder: Any
    key: str | int


def named_parts(config: object, table: Sequence[PartReference] = REFERENCES) -> Iterator[NamedAt]:
    """Yield every name of a part in a configuration, or in what is around it."""
    for reference in table:
        *steps, last = reference.path.split(".")
        for place, holder in _reached(config, steps, ""):
            yield from _names(reference, holder, last, f"{place}{last}")


def unknown_part(config: object) -> str:
    """Return which name in a configuration is that of no part, in a sentence that begins with its
    place; empty when all are parts.
    """
    for each in named_parts(config):
        groups = each.reference.groups
        if each.reference.may_be_unknown:
            continue
        if not any(each.name in _keys(_child(config, group)) for group in groups):
            return f"{each.place} names {each.name!r}, which is not in {' or '.join(groups)}"
    return ""


def _reached(node: object, steps: Sequence[str], place: str) -> Iterator[tuple[str, object]]:
    """Yield what the steps lead to, with its place."""
    if not steps:
        yield place, node
        return
    group = _child(node, steps[0])
    if len(steps) == 1 or steps[1] != "*":
        if group is not None:
            yield from _reached(group, steps[1:], f"{place}{steps[0]}.")
        return
    for key in _keys(group):
        at = f"[{key}]" if isinstance(key, int) else f".{key}"
        yield from _reached(_item(group, key), steps[2:], f"{place}{steps[0]}{at}.")


def _names(reference: PartReference, holder: object, last: str, place: str) -> Iterator[NamedAt]:
    found = _child(holder, last)
    if isinstance(found, str):
        if found:
            yield NamedAt(place, found, reference, holder, last)
    elif isinstance(found, Mapping):
        for name in found:
            yield NamedAt(f"{place}.{name}", str(name), reference, found, str(name))
    elif isinstance(found, Sequence):
        for index, name in enumerate(found):
            yield NamedAt(f"{place}[{index}]", str(name), reference, found, index)


def _child(node: object, name: str) -> object:
    return node.get(name) if isinstance(node, Mapping) else getattr(node, name, None)


def _keys(group: object) -> list[str | int]:
    if isinstance(group, Mapping):
        return list(group)
    return list(range(len(group))) if isinstance(group, Sequence) else []


def _item(group: object, key: str | int) -> object:
    if isinstance(group, Mapping):
        return group[key]
    return group[key] if isinstance(group, Sequence) and isinstance(key, int) else None
