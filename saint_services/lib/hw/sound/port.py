"""Declares a microphone and a loudspeaker, and the form of sound between them and a daemon: one
channel of 16 bit in pieces of 20 ms, at the rate with which the device was chosen. Not here: the
devices (alsa.py), the choice of one (opening.py).
"""

from array import array
from math import log10, sqrt
from typing import Final, Protocol

RATE_HZ: Final = 48_000
# On the bus: enough for speech, and a piece fits into one packet of the network.
BUS_RATE_HZ: Final = 16_000
PIECE_S: Final = 0.02  # as Opus carries it
PIECE_SAMPLES: Final = 960  # at RATE_HZ
PIECE_BYTES: Final = 2 * PIECE_SAMPLES
SILENCE: Final = bytes(PIECE_BYTES)
BUS_PIECE_BYTES: Final = PIECE_BYTES * BUS_RATE_HZ // RATE_HZ
QUIETEST_DB: Final = -96.0  # of 16 bits
_FULL_SCALE = 32_768.0
_EVERY = 3  # samples that the level looks at: a third is enough for a meter


class Microphone(Protocol):
    """Opening raises SaintError; reading raises OSError when it is unplugged."""

    def open(self) -> None: ...

    def read(self) -> bytes:
        """Return the next piece. Blocks for its length."""
        ...

    def close(self) -> None:
        """Never raises."""
        ...


class Loudspeaker(Protocol):
    """Opening raises SaintError; writing raises OSError when it is unplugged."""

    def open(self) -> None: ...

    def write(self, piece: bytes) -> None:
        """Play a piece after those before it. Blocks while the device's buffer is full."""
        ...

    def close(self) -> None:
        """Never raises."""
        ...


def piece_bytes(rate_hz: int) -> int:
    """Return the length of a piece at this rate."""
    return 2 * round(rate_hz * PIECE_S)


def level_db(piece: bytes) -> float:
    """Return the level of a piece in dB below full scale (RMS; a full sine is -3)."""
    samples = array("h", piece)[::_EVERY]
    if not samples:
        return QUIETEST_DB
    power = sqrt(sum(each * each for each in samples) / len(samples))
    return max(QUIETEST_DB, 20.0 * log10(power / _FULL_SCALE)) if power else QUIETEST_DB
