"""Renders the tables of the boards' firmware (image/boards) from saint_services/lib/wagon and the
VESC messages: MicroPython has no dataclasses, enum or typing, so they become tuples and numbers.
"""

from enum import IntEnum
from types import ModuleType
from typing import Any

from saint_services.lib.binary_layout import BinaryLayout, FieldForm
from saint_services.lib.hw.vesc import messages as vesc
from saint_services.lib.wagon import board_link, board_meanings, can_frames, meanings

_HEAD = '''"""Frames and numbers that both boards and the computer share.

Generated: run make gen, which reads saint_services/lib/wagon and lib/hw/vesc/messages.py.

A row is (identifier, struct format, magic bytes, allowed numbers, scales, allowed sizes).
"""
'''
_LINK_NUMBERS = ("BAUD", "START", "OVERHEAD", "HEARTBEAT_LIMIT_MS")
_VESC_NAMES = ("SET_DUTY", "SET_CURRENT", "SET_CURRENT_BRAKE", "STATUS_1", "STATUS_4", "STATUS_5")
_ENUMS = (
    ("MODE", meanings.WagonMode),
    ("STATE", meanings.WagonState),
    ("FLAG", meanings.WagonFlag),
    ("DRIVE_FLAG", meanings.WagonDriveFlag),
    ("FAULT", meanings.WagonFault),
    ("RC_FLAG", board_meanings.BoardRcFlag),
    ("SENSOR", board_meanings.BoardSensorId),
)


def module() -> str:
    """Return the text of image/boards/shared/tables.py."""
    lines = [f"LINK_{name} = {getattr(board_link, name)!r}" for name in _LINK_NUMBERS]
    lines += [f"FULL_SPEED = {can_frames.FULL_SPEED}"]
    lines += [*_numbers(meanings), *_numbers(board_meanings)]
    for prefix, enum in _ENUMS:
        lines += [f"{prefix}_{name} = {int(value)}" for name, value in _members(enum)]
    lines += _crc_table()
    for each in (*board_link.TABLE, *board_meanings.INTERNAL):
        lines += _row(f"LINK_{each.name.upper()}", each.type, each.layout)
    lines += [f"NO_SIGNAL_DBM = {can_frames.NO_SIGNAL_DBM}"]
    for frame in (*can_frames.TABLE, *can_frames.OWN):
        lines += _row(f"CAN_{frame.name}", frame.id, frame.layout)
    for name in _VESC_NAMES:
        lines += _row(f"VESC_{name}", vesc.BY_NAME[name].number, vesc.BY_NAME[name].layout)
    lines += _tuple("LINK_ROWS", "LINK", [row.name for row in board_link.TABLE], "wheels")
    lines += _tuple("HOST_ROWS", "CAN", [r.name for r in can_frames.TABLE if not r.is_telemetry])
    return _HEAD + "\n" + "\n".join(lines) + "\n"


def _members(enum: type[IntEnum] | Any) -> list[tuple[str, int]]:
    return [(name, int(member)) for name, member in enum.__members__.items()]


def _numbers(source: ModuleType) -> list[str]:
    """Return the module's own constants that are numbers."""
    found = vars(source).items()
    return [
        f"{name} = {value!r}"
        for name, value in found
        if name.isupper() and isinstance(value, int | float) and name != "FULL_SPEED"
    ]


def _crc_table() -> list[str]:
    table = [board_link.crc8(bytes((value,))) for value in range(256)]
    lines = ["CRC8 = ("]
    for start in range(0, 256, 16):
        lines.append(f"    {_bytes(bytes(table[start : start + 16]))}")
    return [*lines, ")"]


def _bytes(data: bytes) -> str:
    return 'b"' + "".join(f"{chr(92)}x{byte:02x}" for byte in data) + '"'


def _row(name: str, identifier: int, layout: BinaryLayout[Any]) -> list[str]:
    forms = list(layout.forms.values())
    codes = "".join(f"{form.count if form.count > 1 else ''}{form.code}" for form in forms)
    each = [form for form in forms for _ in range(1 if form.code == "s" else form.count)]
    sizes = tuple(size for size in range(layout.size + 1) if layout.accepts(size))
    parts = (
        str(identifier),
        f'"{layout.order}{codes}"',
        _bytes(layout.constant),
        _text(tuple(_allowed(form) for form in each)),
        _text(tuple(form.scale for form in each)),
        _text(sizes),
    )
    return [f"{name} = ({', '.join(parts)})"]


def _text(values: tuple[Any, ...]) -> str:
    """Return a tuple's text; many equal values as a product, which fits the line."""
    if len(values) > 3 and len(set(values)) == 1:
        return f"({values[0]!r},) * {len(values)}"
    return repr(values)


def _allowed(form: FieldForm) -> tuple[int, int, int] | None:
    """Return least, most and step of a number that the format alone does not limit."""
    if form.is_flag:
        return (0, 1, 1)
    if form.among:
        least, most = min(form.among), max(form.among)
        return (least, most, (most - least) // (len(form.among) - 1))
    if form.least is None and form.most is None:
        return None
    return (*form.limits, 1)


def _tuple(name: str, prefix: str, rows: list[str], *more: str) -> list[str]:
    rows = [f"{prefix}_{each.upper()}" for each in [*rows, *more]]
    return [f"{name} = (", *(f"    {each}," for each in rows), ")"]
