"""Tones that are sent and measured: a track of a WebRTC peer that sings, and how much of some sound
is a tone of one frequency.
"""

import math
import time
from array import array
from fractions import Fraction

from aiortc.mediastreams import MediaStreamTrack
from av import AudioFrame

from tests.waiting import let_pass

RATE_HZ = 48_000
_PIECE = 960


class ToneTrack(MediaStreamTrack):
    """A steady tone of one channel, in pieces of 20 ms."""

    kind = "audio"

    def __init__(self, frequency_hz: float) -> None:
        super().__init__()
        self._step = math.tau * frequency_hz / RATE_HZ
        self._number = 0
        self._began_s = time.monotonic()

    async def recv(self) -> AudioFrame:
        first = self._number * _PIECE
        await let_pass(max(0.0, self._began_s + first / RATE_HZ - time.monotonic()))
        frame = AudioFrame(format="s16", layout="mono", samples=_PIECE)
        samples = (round(8000 * math.sin(self._step * at)) for at in range(first, first + _PIECE))
        frame.planes[0].update(array("h", samples).tobytes())
        frame.sample_rate, frame.pts, frame.time_base = RATE_HZ, first, Fraction(1, RATE_HZ)
        self._number += 1
        return frame


def share_of_tone(sound: bytes, frequency_hz: float, rate_hz: int = RATE_HZ) -> float:
    """Return which part of the power of some sound (16 bit, one channel) is this tone: a
    correlation with it, typed here and not taken from the product.
    """
    samples = array("h", sound[: len(sound) // 2 * 2])
    power = sum(each * each for each in samples)
    if not power:
        return 0.0
    step = math.tau * frequency_hz / rate_hz
    real = sum(each * math.cos(step * at) for at, each in enumerate(samples))
    imaginary = sum(each * math.sin(step * at) for at, each in enumerate(samples))
    return 2.0 * (real * real + imaginary * imaginary) / (len(samples) * power)


def one_channel(frame: AudioFrame) -> bytes:
    """Return the left channel of a decoded frame of two."""
    return array("h", bytes(frame.planes[0])[: 4 * frame.samples])[::2].tobytes()
