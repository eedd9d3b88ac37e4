"""Estimates which share of a CAN bus its frames take. Nothing but the kernel counts all frames: a
port receives what its filters pass. Where no kernel counts, those of the port are counted.
"""

from pathlib import Path
from typing import Final

from .port import CanState

NETWORK: Final = Path("/sys/class/net")
# Bits beside the data: 47 of a frame with 11 bits of identifier, 67 with 29; both occur. Stuffed
# bits are a tenth on average, a fifth at most.
_FRAME_BITS, _STUFFING = 57, 1.1
_TYPICAL_BYTES = 8
_COUNTERS = ("rx_packets", "tx_packets", "rx_bytes", "tx_bytes")


class BusLoad:
    """The load between two looks."""

    def __init__(self, interface: str, bit_rate: int, network: Path = NETWORK) -> None:
        self._folder = network / interface.lstrip("/") / "statistics"
        self._bit_rate = bit_rate
        self._bits = 0.0
        self._at_s: float | None = None

    def look(self, state: CanState, now_s: float) -> float | None:
        """Return the share since the last look, 0 to 1; None at the first one."""
        bits = self._counted(state)
        before, before_s = self._bits, self._at_s
        self._bits, self._at_s = bits, now_s
        if before_s is None or now_s <= before_s or bits < before:  # a new adapter counts from 0
            return None
        return min(1.0, (bits - before) / (now_s - before_s) / self._bit_rate)

    def _counted(self, state: CanState) -> float:
        """Return the bits since the start of the counter."""
        try:
            received, sent, *sizes = (int((self._folder / n).read_text()) for n in _COUNTERS)
        except (OSError, ValueError):
            frames = state.sent + state.received
            return _STUFFING * frames * (_FRAME_BITS + 8 * _TYPICAL_BYTES)
        return _STUFFING * ((received + sent) * _FRAME_BITS + 8 * sum(sizes))
