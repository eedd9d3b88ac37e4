"""Edits a robot's text by parts: adds, changes, renames and removes them, and keeps the owner's
comments and order. Not here: whether the result is sound (lib/robot/source.py).
"""

import io
from collections.abc import Mapping, Sequence
from typing import Any

from ...lib.api.robot import PartEdit, RemovePart
from ...lib.errors import Code, SaintError
from ...lib.robot.manifest import RobotDescription
from ...lib.role_config.model import RoleConfig
from ...lib.role_config.part_defaults import command_for, hardware_defaults, output_defaults
from ...lib.role_config.references import (
    DEVICES,
    GROUPS,
    HARDWARE,
    OF_THE_ROLE,
    OUTPUTS,
    NamedAt,
    named_parts,
)
from ...lib.role_config.sound import ALSA_DEVICE, SOUND_KINDS

_WIDE = 4096  # a line of the owner's is never wrapped


def with_parts(text: str, robot: RobotDescription, wanted: Sequence[PartEdit]) -> str:
    """Return the text with parts added, changed or renamed. Raises not_found, request_invalid."""
    names = [each.full_name for each in wanted]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise SaintError(Code.REQUEST_INVALID, f"the request names {twice} more than once")
    document = document_of(text)
    for each in wanted:
        _set_part(document, robot, each)
    return text_of(document)


def _set_part(document: Any, robot: RobotDescription, wanted: PartEdit) -> None:
    config = _config_of(document, robot, wanted.target)
    target, name = wanted.target, wanted.name
    is_new = not any(name in config.get(key, {}) for key in GROUPS)
    if not (wanted.output or wanted.hardware or wanted.rename):
        raise SaintError(Code.REQUEST_INVALID, f"the request changes nothing of {target}.{name}")
    if wanted.hardware.get("driver") in SOUND_KINDS or (is_new and name in config.get("sound", {})):
        _set_sound(config, wanted)
        return
    output, hardware = dict(wanted.output), dict(wanted.hardware)
    if is_new:
        kind = str(hardware.get("type", ""))
        hardware = hardware_defaults(kind) | hardware
        if defaults := output_defaults(kind, output.get("kind")):
            command, topic = command_for(robot.roles[target])
            config.setdefault("commands", {}).setdefault(command, topic)
            output = {"command": command, "path": name} | defaults | output
    if output:
        _merge(config.setdefault(OUTPUTS, {}), name, output)
    if hardware:
        _merge(config.setdefault(_group_of(config, name, hardware), {}), name, hardware)
    if wanted.rename and wanted.rename != name:
        _rename(document, config, robot.roles[target], name, wanted.rename)


def _set_sound(config: Any, wanted: PartEdit) -> None:
    """Set the device of a microphone or loudspeaker. Raises request_invalid, conflict."""
    name, unknown = wanted.name, {*wanted.hardware} - {"driver", ALSA_DEVICE}
    if wanted.hardware.get("driver", name) != name or wanted.rename not in ("", name):
        text = f"{wanted.target} has one microphone and one loudspeaker, named like that"
        raise SaintError(Code.REQUEST_INVALID, text)
    if wanted.output or unknown:
        text = f"a {name} has only an {ALSA_DEVICE}, as `arecord -L` lists them: plughw:1,0"
        raise SaintError(Code.REQUEST_INVALID, text)
    if any(name in config.get(key, {}) for key in GROUPS):
        raise SaintError(Code.CONFLICT, f"{wanted.target} already has a part {name!r}")
    device = str(wanted.hardware.get(ALSA_DEVICE) or "")
    if not device:
        raise SaintError(Code.REQUEST_INVALID, f"the {name} needs an {ALSA_DEVICE}: plughw:1,0")
    config.setdefault("sound", {})[name] = device


def without_part(text: str, robot: RobotDescription, wanted: RemovePart) -> str:
    """Return the text without a part. Raises not_found."""
    document = document_of(text)
    config = _config_of(document, robot, wanted.target)
    groups = [key for key in GROUPS if wanted.name in config.get(key, {})]
    sound = config.get("sound", {})
    if not groups and wanted.name in sound:
        del sound[wanted.name]
        if not sound:
            del config["sound"]
        return text_of(document)
    if not groups:
        names = sorted({*config.get(OUTPUTS, {}), *config.get(HARDWARE, {}), *sound})
        message = f"{wanted.target} has no part {wanted.name!r}"
        raise SaintError(Code.NOT_FOUND, message, fix=f"Its parts: {', '.join(names)}.")
    _release(document, config, wanted.target, wanted.name, groups)
    for key in groups:
        del config[key][wanted.name]
    return text_of(document)


def document_of(text: str) -> Any:
    """Return a text as a document to edit, which keeps comments and order."""
    return _yaml().load(text)


def _config_of(document: Any, robot: RobotDescription, target: str) -> Any:
    """Return the configuration of a role inside of a document. Raises not_found."""
    if target not in robot.roles:
        known = ", ".join(robot.roles)
        raise SaintError(
            Code.NOT_FOUND, f"the robot has no role {target!r}", fix=f"Roles: {known}."
        )
    return entry_of(document, target)["config"]


def entry_of(document: Any, target: str) -> Any:
    """Return the entry of a role. Raises not_found."""
    role, _, instance = target.partition(".")
    for entry in document["roles"]:
        if (entry["role"], entry.get("instance", "")) == (role, instance):
            return entry
    raise SaintError(Code.NOT_FOUND, f"the robot has no role {target!r}")


def _group_of(config: Any, name: str, hardware: Mapping[str, object]) -> str:
    """Return the group of a part's hardware: where it is, or where what is named belongs."""
    for key in (HARDWARE, *DEVICES):
        if name in config.get(key, {}):
            return key
    if "driver" not in hardware:
        return HARDWARE
    if hardware["driver"] == "vesc":
        return "can_devices"
    if "port" in hardware:
        return "serial_devices"
    return "spi_devices" if "select" in hardware else "i2c_devices"


def _merge(group: Any, name: str, settings: Mapping[str, object]) -> None:
    from ruamel.yaml.comments import CommentedMap

    entry = group.get(name)
    if entry is None:
        entry = group[name] = CommentedMap()
        entry.fa.set_flow_style()
    for key, value in settings.items():
        if value is None or value == "":
            entry.pop(key, None)
        else:
            entry[key] = _in_line(value)


def _in_line(value: object) -> object:
    """Return a list that is written in one line; everything else as it is."""
    from ruamel.yaml.comments import CommentedSeq

    if not isinstance(value, list):
        return value
    found = CommentedSeq(value)
    found.fa.set_flow_style()
    return found


def _named(document: Any, config: Any, target: str, name: str, groups: list[str]) -> list[NamedAt]:
    """Return the places outside of its own entries that name a part of these groups."""
    entry = entry_of(document, target)
    found = [*named_parts(config), *named_parts(entry, OF_THE_ROLE)]
    named = [each for each in found if each.name == name]
    return [each for each in named if not {*groups}.isdisjoint(each.reference.groups)]


def _release(document: Any, config: Any, target: str, name: str, groups: list[str]) -> None:
    """Remove a part from the places that go with it. Raises refused where another needs it."""
    named = _named(document, config, target, name, groups)
    if needed := [each.place for each in named if not each.reference.goes_with_it]:
        text = f"{target}.{name} cannot be removed: {' and '.join(needed)} of {target} names it"
        raise SaintError(Code.REFUSED, text, fix="Remove it there first, in the robot's text.")
    for each in reversed(named):  # of a list the last first
        del each.holder[each.key]


def _rename(document: Any, config: Any, role: RoleConfig, old: str, new: str) -> None:
    """Rename a part wherever the robot names it; order and comments stay."""
    target = role.target
    groups = [key for key in GROUPS if old in config.get(key, {})]
    if any(new in config[key] for key in groups):
        raise SaintError(Code.CONFLICT, f"{target} already has a part {new!r}")
    _say_defaults(config, role, old)
    for each in _named(document, config, target, old, groups):
        if each.key == old:
            _renamed_key(each.holder, old, new)
        else:
            each.holder[each.key] = new
    for key in groups:
        _renamed_key(config[key], old, new)
    if OUTPUTS in groups and config[OUTPUTS][new].get("path") == old:
        config[OUTPUTS][new]["path"] = new


def _say_defaults(config: Any, role: RoleConfig, name: str) -> None:
    """Write a part's name where the role means it without its being written."""
    written = {each.place for each in named_parts(config)}
    for each in named_parts(role):
        if each.name != name or each.place in written:
            continue
        *steps, last = each.reference.path.split(".")
        holder = config
        for step in steps:
            holder = holder[step]
        holder[last] = [*each.holder] if isinstance(each.key, int) else name


def _renamed_key(group: Any, old: str, new: str) -> None:
    place = list(group).index(old)
    value = group.pop(old)
    group.insert(place, new, value)


def _yaml() -> Any:
    from ruamel.yaml import YAML  # needed for edits only: 4 MB

    found = YAML()
    found.preserve_quotes = True
    found.width = _WIDE
    found.indent(mapping=2, sequence=4, offset=2)
    return found


def text_of(document: Any) -> str:
    """Return the text of an edited document."""
    out = io.StringIO()
    _yaml().dump(document, out)
    return out.getvalue()
