"""Says in words in what two robots differ: roles, parts, limits, pins, devices, names. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..role_config.model import RoleConfig
from .manifest import RobotDescription, RobotRole

_PARTS = {
    "fields": "output",
    "gpio_mapping": "hardware",
    "i2c_devices": "I2C device",
    "spi_devices": "SPI device",
    "serial_devices": "serial device",
    "can_devices": "CAN device",
    "commands": "command",
}
_LONGEST = 60  # of a value


def changes(before: RobotDescription, after: RobotDescription) -> list[str]:
    """Return one sentence for each difference; empty for equal robots."""
    return [
        *_manifest_changes(before, after),
        *_roles(before.roles, after.roles),
    ]


def news(before: RobotDescription, after: RobotDescription, own: RobotDescription) -> list[str]:
    """Return one sentence for each role and part that a template has gained, and that an owner who
    started from it as it was `before` does not have."""
    found = []
    for target, role in after.roles.items():
        if target not in before.roles:
            if target not in own.roles:
                found += list(_roles({}, {target: role}))
        elif target in own.roles:
            found += _new_parts(target, before.roles[target], role, own.roles[target])
    return found


def _new_parts(
    target: str, before: RoleConfig, after: RoleConfig, own: RoleConfig
) -> Iterator[str]:
    for key, word in _PARTS.items():
        for name, entry in getattr(after, key).items():
            if name not in getattr(before, key) and name not in getattr(own, key):
                yield f"{target}.{name}: {word} is new ({_brief(entry.model_dump())})."


def changed_roles(before: RobotDescription, after: RobotDescription) -> set[str]:
    """Return the targets whose configuration differs, also those that one of them lacks."""
    every = {*before.roles, *after.roles}
    return {each for each in every if before.roles.get(each) != after.roles.get(each)}


def _manifest_changes(before: RobotDescription, after: RobotDescription) -> Iterator[str]:
    leave = {"roles"}
    yield from _values(
        "The robot's",
        before.manifest.model_dump(exclude=leave),
        after.manifest.model_dump(exclude=leave),
    )
    entries = {entry.target: entry for entry in before.manifest.roles}
    for entry in after.manifest.roles:
        if was := entries.get(entry.target):
            yield from _values(f"{entry.target}:", _shown_entry(was), _shown_entry(entry))


def _shown_entry(entry: RobotRole) -> dict[str, Any]:
    return entry.model_dump(exclude={"config", "role", "instance", "i2c_addresses"})


def _roles(before: Mapping[str, RoleConfig], after: Mapping[str, RoleConfig]) -> Iterator[str]:
    for target in after:
        if target not in before:
            count = len(after[target].fields)
            yield f"Role {target} is new, with {count} outputs."
        else:
            yield from _role(target, before[target], after[target])
    for target in before:
        if target not in after:
            yield f"Role {target} is removed."


def _role(target: str, before: RoleConfig, after: RoleConfig) -> Iterator[str]:
    was, now = before.model_dump(exclude={"body"}), after.model_dump(exclude={"body"})
    for key, word in _PARTS.items():
        old, new = was.pop(key), now.pop(key)
        for name in new:
            if name not in old:
                yield f"{target}.{name}: {word} is new ({_brief(new[name])})."
            else:
                yield from _values(f"{target}.{name}:", old[name], new[name])
        for name in old:
            if name not in new:
                yield f"{target}.{name}: {word} is removed."
    yield from _values(f"{target}:", was, now)


def _values(what: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for key in {**before, **after}:
        old, new = before.get(key), after.get(key)
        if old == new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _values(f"{what} {key}", old, new)
        else:
            yield f"{what} {key} {_shown(old)} -> {_shown(new)}."


def _brief(entry: Mapping[str, Any]) -> str:
    """Return what distinguishes an entry: its kind, and its place or range."""
    named = ("type", "driver", "kind", "pin", "device", "channel", "address", "limits", "unit")
    parts = [f"{key} {_shown(entry[key])}" for key in named if entry.get(key) not in (None, "", ())]
    return ", ".join(parts[:4])


def _shown(value: object) -> str:
    if value in (None, "", (), [], {}):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple) and all(isinstance(each, int | float) for each in value):
        return " to ".join(f"{each:g}" for each in value) if len(value) == 2 else str(list(value))
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
