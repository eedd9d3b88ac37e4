"""Simulates a microphone, which records a tone of 440 Hz or what a file `microphone.s16` in the
board's folder holds, in turns; and a loudspeaker, whose last ten seconds are the file
`loudspeaker.s16`. Both files have the device's rate. A file `sound-unplugged` unplugs both.
"""

import math
import time
from array import array
from pathlib import Path

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.sound.port import PIECE_S, RATE_HZ, piece_bytes

PLUG, RECORDED, PLAYED = "sound-unplugged", "microphone.s16", "loudspeaker.s16"
TONE_HZ = 440.0
LONGEST = 500  # pieces: ten seconds
_BUFFERED_S = 4 * PIECE_S  # of the loudspeaker


class SimMicrophone:
    """Implements Microphone."""

    def __init__(self, directory: Path, rate_hz: int = RATE_HZ) -> None:
        self._directory = directory
        self._rate_hz = rate_hz
        self._piece_bytes = piece_bytes(rate_hz)
        self._recorded = b""
        self._place = 0
        self._due_s = 0.0

    def open(self) -> None:
        """Check that it is plugged in."""
        _check(self._directory, "microphone")
        recorded = self._directory / RECORDED
        self._recorded = (
            recorded.read_bytes()
            if recorded.exists()
            else tone(TONE_HZ, 1.0, rate_hz=self._rate_hz)
        )
        self._due_s = time.monotonic()

    def read(self) -> bytes:
        """Return the next piece, when it is over."""
        if (self._directory / PLUG).exists():
            raise OSError(19, "No such device")
        self._due_s = max(self._due_s + PIECE_S, time.monotonic() - 10 * PIECE_S)
        time.sleep(max(0.0, self._due_s - time.monotonic()))
        start, self._place = self._place, (self._place + self._piece_bytes) % len(self._recorded)
        return (self._recorded[start:] + self._recorded)[: self._piece_bytes]

    def close(self) -> None:
        """Do nothing: no resource is held."""


class SimLoudspeaker:
    """Implements Loudspeaker."""

    def __init__(self, directory: Path, rate_hz: int = RATE_HZ) -> None:
        self._directory = directory
        self._longest_bytes = LONGEST * piece_bytes(rate_hz)
        self._until_s = 0.0

    def open(self) -> None:
        """Check that it is plugged in."""
        _check(self._directory, "loudspeaker")
        self._directory.mkdir(parents=True, exist_ok=True)

    def write(self, piece: bytes) -> None:
        """Play a piece: add it to the file, and wait while the buffer is full."""
        if (self._directory / PLUG).exists():
            raise OSError(19, "No such device")
        now_s = time.monotonic()
        self._until_s = max(self._until_s, now_s) + PIECE_S
        path = self._directory / PLAYED
        kept = None
        if path.exists() and path.stat().st_size >= self._longest_bytes:
            kept = path.read_bytes()[-self._longest_bytes + len(piece) :]
        if kept is None:
            with path.open("ab") as played:
                played.write(piece)
        else:
            path.write_bytes(kept + piece)
        time.sleep(max(0.0, self._until_s - now_s - _BUFFERED_S))

    def close(self) -> None:
        """Do nothing: no resource is held."""


def tone(frequency_hz: float, seconds: float, share: float = 0.25, rate_hz: int = RATE_HZ) -> bytes:
    """Return a sine of whole periods, at a share of the full scale."""
    periods = round(frequency_hz * seconds)
    count = round(periods * rate_hz / frequency_hz)
    step, top = math.tau * frequency_hz / rate_hz, share * 32_767
    return array("h", (round(top * math.sin(step * at)) for at in range(count))).tobytes()


def _check(directory: Path, kind: str) -> None:
    if (directory / PLUG).exists():
        raise SaintError(Code.HARDWARE_MISSING, f"no {kind} is plugged in")
