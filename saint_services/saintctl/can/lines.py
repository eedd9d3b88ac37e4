"""Lines of JSON for CAN frames and the messages in them: those of `saintctl can decode`, `encode`,
`dump` and `send`.
"""

from collections.abc import Mapping
from typing import Any

from ...lib.binary_layout import LayoutError
from ...lib.hw.can.frame import CanFrame
from ...lib.hw.vesc import messages as vesc
from ...lib.wagon import can_frames as wagon


def described(frame: CanFrame) -> dict[str, Any]:
    """Return the line of a frame's message, or of its refusal."""
    try:
        return _vesc_line(frame) if frame.is_extended else _wagon_line(frame)
    except LayoutError as err:
        return refused(frame.id, str(err))


def refused(identifier: int, reason: str) -> dict[str, Any]:
    """Return the line of a frame that is not understood."""
    return {"kind": "refused", "id": identifier, "reason": reason}


def frame_line(frame: CanFrame) -> dict[str, Any]:
    """Return the line of the frame itself."""
    return {"id": frame.id, "extended": frame.is_extended, "hex": frame.data.hex()}


def frame_of(line: Mapping[str, Any]) -> CanFrame:
    """Return the frame of a line that names its message and fields. Raises LayoutError."""
    name = line.get("message")
    if not isinstance(name, str):
        raise LayoutError("message: missing; it names the frame")
    if (row := wagon.BY_NAME.get(name)) is not None:
        return wagon.encode(row.layout.of_values(line))
    command = vesc.BY_NAME.get(name)
    if command is None:
        raise LayoutError(f"message {name[:40]!r} is not known")
    content = command.layout.of_values(line)
    return vesc.encode(vesc.VescMessage(_address(line, content), content))


def _address(line: Mapping[str, Any], content: object) -> int:
    """Return the id in the identifier: of the VESC, or of the receiver of a Pong."""
    key = "to_id" if isinstance(content, vesc.Pong) else "vesc_id"
    if key not in line:
        raise LayoutError(f"{key}: missing")
    value = line[key]
    is_whole = (
        isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1
    )
    if not is_whole or not 0 <= value <= vesc.ALL:
        raise LayoutError(f"{key} must be a whole number from 0 to {vesc.ALL}")
    return int(value)


def _vesc_line(frame: CanFrame) -> dict[str, Any]:
    message = vesc.decode(frame)
    row, content = vesc.row_of(message.content), message.content
    line = {"kind": "vesc", "message": row.name}
    if isinstance(content, vesc.Pong):
        return line | {"vesc_id": content.vesc_id, "to_id": message.id}
    return line | {"vesc_id": message.id} | row.layout.values(content)


def _wagon_line(frame: CanFrame) -> dict[str, Any]:
    if frame.id not in wagon.BY_ID and frame.id >> 8 in vesc.BY_NUMBER:
        name = vesc.BY_NUMBER[frame.id >> 8].name
        raise LayoutError(f"the identifier has 11 bits; {name} of a VESC has 29")
    message = wagon.decode(frame)
    row = wagon.row_of(message)
    return {"kind": "wagon", "message": row.name} | row.layout.values(message)
