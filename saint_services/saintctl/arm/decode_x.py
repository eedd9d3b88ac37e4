"""Describes the packets of a recording of a Dynamixel bus, protocol 2.0."""

from typing import Any

from ...lib.hw.bus_servos.port import RegisterBlock
from ...lib.hw.dynamixel.packets import (
    ALERT,
    BROADCAST,
    Order,
    XPacket,
    XPacketFinder,
    XRefusal,
    block_of,
)
from ...lib.hw.dynamixel.registers import x_register_at

_NAMES = {order.value: order.name.lower() for order in Order}
_ERRORS = {each.value: each.name.lower() for each in XRefusal}
_READS = (Order.READ, Order.SYNC_READ)


class XBusReader:
    """Describes the packets of a bus, both directions, in the order in which they are read."""

    def __init__(self) -> None:
        self._finder = XPacketFinder()
        self._requested: RegisterBlock | None = None  # by the newest instruction, if it reads

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        """Return the lines of the packets that are complete."""
        return [self._described(packet) for packet in self._finder.feed(data)]

    def flush(self) -> list[dict[str, Any]]:
        """Return the lines of what is left at the end."""
        return [self._described(packet) for packet in self._finder.flush()]

    def summary(self) -> dict[str, Any]:
        """Return the last line."""
        return {
            "kind": "summary",
            "frames": self._finder.frames,
            "rejected": self._finder.rejected,
            "discarded_bytes": self._finder.discarded_bytes,
        }

    def _described(self, packet: XPacket) -> dict[str, Any]:
        return self._status(packet) if packet.code == Order.STATUS else self._instruction(packet)

    def _status(self, packet: XPacket) -> dict[str, Any]:
        error, data = packet.parameters[:1], packet.parameters[1:]
        code = error[0] if error else 0
        line: dict[str, Any] = {"kind": "status", "id": packet.id, "error": code}
        if number := code & ~ALERT:
            line["refused"] = _ERRORS.get(number, str(number))
        line["alert"] = bool(code & ALERT)
        line["data"] = data.hex()
        block = self._requested
        if block and len(data) == block.length and packet.id in block.servos:
            line |= _value(block.address, data)
        return line

    def _instruction(self, packet: XPacket) -> dict[str, Any]:
        name = _NAMES.get(packet.code, f"0x{packet.code:02x}")
        line: dict[str, Any] = {"kind": "instruction", "id": packet.id, "instruction": name}
        block = block_of(packet)
        self._requested = block if packet.code in _READS else None
        if block is None:  # nothing that has an address, or parameters that do not fit
            return line | ({"data": packet.parameters.hex()} if packet.parameters else {})
        line |= {"address": block.address, "length": block.length}
        if packet.id == BROADCAST:
            line["ids"] = list(block.servos)
        if packet.code == Order.SYNC_WRITE:
            line["data"] = {str(servo): data.hex() for servo, data in block.data.items()}
        elif block.data:
            line["data"] = block.data[packet.id].hex()
            line |= _value(block.address, block.data[packet.id])
        return line


def _value(address: int, data: bytes) -> dict[str, Any]:
    """Return the number of a single known register."""
    register = x_register_at(address, len(data))
    return {"value": register.decode(data)} if register else {}
