"""Serves CAN adapters on a serial line with the text protocol of Lawicel, such as a CANable with
slcan firmware.

Firmware differs in what it acknowledges, so no reply is waited for; a refusal counts as an error.
No adapter reports bus-off this way. Source: Lawicel CANUSB manual, version 1.0.
"""

import time
from collections.abc import Callable
from typing import Final

from ...errors import Code
from ..ports import ByteStream
from .frame import CanFrame
from .port import CanState, fault

BIT_RATES: Final = {
    10_000: b"S0", 20_000: b"S1", 50_000: b"S2", 100_000: b"S3", 125_000: b"S4", 250_000: b"S5",
    500_000: b"S6", 800_000: b"S7", 1_000_000: b"S8",
}  # fmt: skip
BAUD: Final = 115_200  # of the line; a USB adapter ignores it
_OK, _REFUSAL = b"\r", b"\a"
_LONGEST = 32  # T, 8 digits, length, 16 digits, 4 of a time stamp
_QUIET: Final = b"zZVvNFEA"  # replies that are no frames
_WIDTHS: Final = {b"t": (3, False), b"T": (8, True)}
_HEX: Final = frozenset(b"0123456789abcdefABCDEF")


def written(frame: CanFrame) -> bytes:
    """Return the text that sends a frame."""
    identifier = f"T{frame.id:08X}" if frame.is_extended else f"t{frame.id:03X}"
    return f"{identifier}{len(frame.data)}{frame.data.hex().upper()}\r".encode()


def frame_of(line: bytes, t_ns: int = 0) -> CanFrame | None:
    """Return the frame of a line without its end, perhaps with a time stamp; None for no frame."""
    width, is_extended = _WIDTHS.get(line[:1], (0, False))
    body = line[1:]
    if not width or not _HEX.issuperset(body) or len(body) < width + 1:
        return None
    size, data = body[width] - ord("0"), body[width + 1 :]
    if not 0 <= size <= 8 or len(data) not in (2 * size, 2 * size + 4):
        return None
    try:
        content = bytes.fromhex(data[: 2 * size].decode())
        return CanFrame(int(body[:width], 16), content, is_extended, t_ns)
    except ValueError:
        return None


class SlcanParser:
    """Finds frames in the text of an adapter; holds less than a line. `errors` counts refusals and
    lines that are neither a frame nor a reply.
    """

    def __init__(self) -> None:
        self.errors = 0
        self._held = b""
        self._is_too_long = False

    def feed(self, data: bytes, t_ns: int = 0) -> list[CanFrame]:
        """Return the frames whose lines are complete now."""
        found: list[CanFrame] = []
        *lines, self._held = (self._held + data.replace(_REFUSAL, _REFUSAL + _OK)).split(_OK)
        for line in lines:
            frame = None if self._is_too_long else frame_of(line, t_ns)
            if frame is not None:
                found.append(frame)
            elif self._is_too_long or (line and line[0] not in _QUIET):
                self.errors += 1
            self._is_too_long = False
        if len(self._held) > _LONGEST:
            self._held, self._is_too_long = b"", True
        return found


class SlcanPort:
    """An adapter on a serial line. Implements CanPort."""

    def __init__(
        self,
        stream: ByteStream,
        name: str,
        bit_rate: int,
        clock_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        if bit_rate not in BIT_RATES:
            stream.close()
            rates = ", ".join(f"{rate:,}" for rate in BIT_RATES)
            raise fault(
                Code.CONFIG_INVALID,
                name,
                f"the adapter has no bit rate of {bit_rate:,} bit/s",
                f"Choose one of {rates}.",
            )
        self._stream = stream
        self._clock_ns = clock_ns
        self._parser = SlcanParser()
        self._counts = CanState()
        self._unsent = b""
        # An empty line first: what an earlier program had half written ends there.
        self._write(b"\rC\r" + BIT_RATES[bit_rate] + b"\rO\r")

    def fileno(self) -> int:
        return self._stream.fileno()

    def send(self, frame: CanFrame) -> bool:
        """Send a frame as CanPort.send; what the line had no room for goes first."""
        if not self._write(b""):
            return False
        self._write(written(frame))
        self._counts = self._counts.counted(sent=1)
        return True

    def receive(self) -> list[CanFrame]:
        """Return data frames as CanPort.receive, all of one read."""
        self._write(b"")
        found = self._parser.feed(self._stream.read(), self._clock_ns())
        self._counts = self._counts.counted(received=len(found))
        return found

    def state(self) -> CanState:
        """Return the counts; an adapter of this kind reports no state of its bus."""
        return self._counts.counted(errors=self._parser.errors)

    def close(self) -> None:
        """Take the adapter off the bus and release the line."""
        try:
            self._write(b"C\r")
        finally:
            self._stream.close()

    def _write(self, data: bytes) -> bool:
        """Write as much as fits; return whether nothing is left."""
        waiting = self._unsent + data
        if waiting:
            self._unsent = waiting[self._stream.write(waiting) :]
        return not self._unsent
