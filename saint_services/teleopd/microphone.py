"""Gives the sound of one of the robot's microphones to all that listen: read and encoded as Opus,
once, only while there are any. While a loudspeaker speaks it sends silence, so that the operator
gets no echo. Not here: where the pieces come from (lib/hw/sound, node_sound.py), the tracks
(peers.py).
"""

import asyncio
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal, Protocol

import av

from ..lib.clock import monotonic_s
from ..lib.errors import SaintError
from ..lib.hw.sound.port import (
    PIECE_S,
    PIECE_SAMPLES,
    QUIETEST_DB,
    RATE_HZ,
    level_db,
    piece_bytes,
)

BIT_RATE = 32_000  # speech of one channel (RFC 6716: full band from 28 kbit/s on)
TIME_BASE = Fraction(1, RATE_HZ)
SILENT_S = 0.5  # without a piece
MOST_WAITING = round(0.2 / PIECE_S)  # pieces of a listener whose connection is slow
_MOST_AHEAD = 10  # pieces by which the clock may be ahead of what was encoded


class SoundFeed(Protocol):
    """Delivers pieces in a thread until it is closed."""

    def close(self) -> None: ...


# Gets what to call in that thread: with each piece, and with why there is none.
StartFeed = Callable[[Callable[[bytes], None], Callable[[str], None]], SoundFeed]


class Listener(Protocol):
    """Receives the encoded pieces."""

    def put(self, packet: "av.Packet[Any]") -> None: ...


class OpusEncoder:
    """Encodes pieces of 20 ms."""

    def __init__(self, rate_hz: int = RATE_HZ) -> None:
        made = av.CodecContext.create("libopus", "w")
        assert isinstance(made, av.AudioCodecContext)
        made.bit_rate, made.format, made.layout = BIT_RATE, "s16", "mono"
        made.sample_rate, made.time_base = rate_hz, Fraction(1, rate_hz)
        # What a packet carries of the one before it covers a loss.
        made.options = {"application": "voip", "fec": "1", "packet_loss": "5"}
        self._encoder = made
        self._rate_hz = rate_hz
        self._samples = piece_bytes(rate_hz) // 2
        self._number = 0
        # By the clock, not from 0: a listener changes from one microphone to another.
        self._sent = _clock_pieces()

    def encode(self, piece: bytes) -> "list[av.Packet[Any]]":
        """Return the packets of a piece, with their time in samples of RATE_HZ."""
        frame = av.AudioFrame(format="s16", layout="mono", samples=self._samples)
        frame.planes[0].update(piece)
        frame.sample_rate, frame.time_base = self._rate_hz, Fraction(1, self._rate_hz)
        frame.pts = self._number * self._samples
        self._number += 1
        packets = self._encoder.encode(frame)
        for packet in packets:
            packet.pts, packet.time_base = self._sent * PIECE_SAMPLES, TIME_BASE
            self._sent = self._next(_clock_pieces())
        return packets

    def _next(self, now: int) -> int:
        """Return the place of the next piece; a gap in the sound is one in its time."""
        after = self._sent + 1
        return now if now - after > _MOST_AHEAD else after


def _clock_pieces() -> int:
    return round(monotonic_s() / PIECE_S)


class SharedMicrophone:
    """A microphone and its listeners. `rate_hz`: of the pieces that its feed delivers."""

    def __init__(
        self, start: StartFeed, is_muted: Callable[[], bool], rate_hz: int = RATE_HZ
    ) -> None:
        self.problem = ""
        self._start = start
        self._is_muted = is_muted
        self._rate_hz = rate_hz
        self._silence = bytes(piece_bytes(rate_hz))
        self._level_db = QUIETEST_DB
        self._newest_s = float("-inf")
        self._listeners: set[Listener] = set()
        self._feed: SoundFeed | None = None
        self._feeds = 0  # so far; what an older one still delivers is late

    def add(self, listener: Listener) -> None:
        """Send the sound to a listener too."""
        self._listeners.add(listener)
        if self._feed is not None:
            return
        loop = asyncio.get_running_loop()
        self._feeds += 1
        number, encoder = self._feeds, OpusEncoder(self._rate_hz)

        def deliver(piece: bytes) -> None:
            level = level_db(piece)
            for packet in encoder.encode(self._silence if self._is_muted() else piece):
                loop.call_soon_threadsafe(self._deliver, packet, level, number)

        def note(problem: str) -> None:
            loop.call_soon_threadsafe(self._note, problem, number)

        try:
            self._feed = self._start(deliver, note)
        except SaintError as err:  # a ROS 2 installation without the messages
            self.problem = err.message

    def remove(self, listener: Listener) -> None:
        """Send nothing more to a listener; without listeners nothing is recorded."""
        self._listeners.discard(listener)
        if not self._listeners and self._feed is not None:
            self._feed.close()
            self._feed = None

    def state(self, now_s: float) -> Literal["live", "none"]:
        """Return whether sound comes."""
        return "live" if now_s - self._newest_s <= SILENT_S else "none"

    def level_db(self, now_s: float) -> float | None:
        """Return the level of the newest piece; None without one."""
        return round(self._level_db, 1) if self.state(now_s) == "live" else None

    def _note(self, problem: str, number: int) -> None:
        if number == self._feeds:
            self.problem = problem

    def _deliver(self, packet: "av.Packet[Any]", level: float, number: int) -> None:
        if self._feed is None or number != self._feeds:
            return
        self._newest_s, self._level_db = monotonic_s(), level
        for listener in tuple(self._listeners):
            listener.put(packet)
