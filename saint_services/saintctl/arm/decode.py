"""`saintctl arm decode`: prints the packets of a recording of a servo bus."""

import json
from typing import Any, TextIO

from ...lib.hw.bus_servos.dialects import LineProtocol
from ...lib.hw.feetech.dialogue import Dialogue, ServoAnswer
from ...lib.hw.feetech.packets import Code, Packet, PacketFinder, block_of
from ...lib.hw.feetech.registers import Series, register_at
from .. import recordings
from .decode_x import XBusReader

_NAMES = {code.value: code.name.lower() for code in Code}


class BusReader:
    """Describes the packets of a bus, both directions, in the order in which they are read."""

    def __init__(self, series: Series) -> None:
        self._series = series
        self._finder = PacketFinder()
        self._dialogue = Dialogue()

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

    def _described(self, packet: Packet) -> dict[str, Any]:
        answer = self._dialogue.follow(packet)
        return self._status(answer) if answer else self._instruction(packet)

    def _status(self, answer: ServoAnswer) -> dict[str, Any]:
        found, block = answer.status, block_of(answer.instruction)
        line: dict[str, Any] = {"kind": "status", "id": found.id, "error": found.code}
        line["data"] = found.parameters.hex()
        if block and not block.data:
            line |= self._value(block.address, found.parameters)
        return line

    def _instruction(self, packet: Packet) -> dict[str, Any]:
        name = _NAMES.get(packet.code, f"0x{packet.code:02x}")
        line: dict[str, Any] = {"kind": "instruction", "id": packet.id, "instruction": name}
        block = block_of(packet)
        if block is None:  # nothing that has an address, or parameters that do not fit
            has_data = packet.parameters or packet.code not in _NAMES
            return line | ({"data": packet.parameters.hex()} if has_data else {})
        line["address"] = block.address
        if packet.code in (Code.READ, Code.SYNC_READ, Code.SYNC_WRITE):
            line["length"] = block.length
        if packet.code == Code.SYNC_READ:
            line["ids"] = list(block.servos)
        if packet.code == Code.SYNC_WRITE:
            line["data"] = {str(servo): data.hex() for servo, data in block.data.items()}
        elif block.data:
            line["data"] = block.data[packet.id].hex()
            line |= self._value(block.address, block.data[packet.id])
        return line

    def _value(self, address: int, data: bytes) -> dict[str, Any]:
        """Return the number of a single known register."""
        register = register_at(self._series, address, len(data))
        return {"value": register.decode(data, self._series)} if register else {}


def reader_of(protocol: LineProtocol) -> "BusReader | XBusReader":
    """Return what describes the packets of a line."""
    return XBusReader() if protocol is LineProtocol.X else BusReader(Series(protocol))


def arm_decode(protocol: LineProtocol, source: str, out: TextIO) -> int:
    """Write one JSON object per packet and a summary. Return the exit code."""
    reader = reader_of(protocol)
    with recordings.opened(source) as file:
        for data in recordings.chunks(file, source):
            for line in reader.feed(data):
                out.write(json.dumps(line) + "\n")
            if source == "-":
                out.flush()
    for line in (*reader.flush(), reader.summary()):
        out.write(json.dumps(line) + "\n")
    out.flush()
    return 0
