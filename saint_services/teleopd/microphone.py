"""Gives the sound of the robot's microphone to all that listen: read and encoded as Opus, once,
only while there are any. While the loudspeaker speaks it sends silence, so that the operator gets
no echo. Not here: the device (lib/hw/sound), the tracks (peers.py).
"""

import asyncio
import threading
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
    SILENCE,
    Microphone,
    level_db,
)

BIT_RATE = 32_000  # speech of one channel (RFC 6716: full band from 28 kbit/s on)
TIME_BASE = Fraction(1, RATE_HZ)
SILENT_S = 0.5  # without a piece
MOST_WAITING = round(0.2 / PIECE_S)  # pieces of a listener whose connection is slow
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 8.0


class Listener(Protocol):
    """Receives the encoded pieces."""

    def put(self, packet: "av.Packet[Any]") -> None: ...


class OpusEncoder:
    """Encodes pieces of 20 ms."""

    def __init__(self) -> None:
        made = av.CodecContext.create("libopus", "w")
        assert isinstance(made, av.AudioCodecContext)
        made.bit_rate, made.format, made.layout = BIT_RATE, "s16", "mono"
        made.sample_rate, made.time_base = RATE_HZ, TIME_BASE
        # What a packet carries of the one before it covers a loss.
        made.options = {"application": "voip", "fec": "1", "packet_loss": "5"}
        self._encoder = made
        self._number = 0

    def encode(self, piece: bytes) -> "list[av.Packet[Any]]":
        """Return the packets of a piece, with their time in samples."""
        frame = av.AudioFrame(format="s16", layout="mono", samples=PIECE_SAMPLES)
        frame.planes[0].update(piece)
        frame.sample_rate, frame.time_base = RATE_HZ, TIME_BASE
        frame.pts = self._number * PIECE_SAMPLES
        packets = self._encoder.encode(frame)
        for packet in packets:
            packet.pts, packet.time_base = self._number * PIECE_SAMPLES, TIME_BASE
            self._number += 1
        return packets


class SharedMicrophone:
    """The microphone and its listeners."""

    def __init__(self, device: Microphone, is_muted: Callable[[], bool]) -> None:
        self.problem = ""
        self._is_muted = is_muted
        self._device = device
        self._level_db = QUIETEST_DB
        self._newest_s = float("-inf")
        self._listeners: set[Listener] = set()
        self._end: threading.Event | None = None  # of the thread that reads

    def add(self, listener: Listener) -> None:
        """Send the sound to a listener too."""
        self._listeners.add(listener)
        if self._end is None:
            self._end = threading.Event()
            loop = asyncio.get_running_loop()
            thread = threading.Thread(
                target=self._run, args=(self._end, loop), name="microphone", daemon=True
            )
            thread.start()

    def remove(self, listener: Listener) -> None:
        """Send nothing more to a listener; without listeners nothing is recorded."""
        self._listeners.discard(listener)
        if not self._listeners and self._end is not None:
            self._end.set()
            self._end = None

    def state(self, now_s: float) -> Literal["live", "none"]:
        """Return whether sound comes."""
        return "live" if now_s - self._newest_s <= SILENT_S else "none"

    def level_db(self, now_s: float) -> float | None:
        """Return the level of the newest piece; None without one."""
        return round(self._level_db, 1) if self.state(now_s) == "live" else None

    def _run(self, end: threading.Event, loop: asyncio.AbstractEventLoop) -> None:
        pause_s = _FIRST_PAUSE_S
        while not end.is_set():
            try:
                self._device.open()
                loop.call_soon_threadsafe(self._note, "")
                self._read(end, loop)
            except (OSError, SaintError) as err:
                text = err.message if isinstance(err, SaintError) else f"the microphone: {err}"
                loop.call_soon_threadsafe(self._note, text)
            except RuntimeError:  # the loop has ended
                return
            finally:
                self._device.close()
            end.wait(pause_s)
            pause_s = min(2.0 * pause_s, _LONGEST_PAUSE_S)

    def _read(self, end: threading.Event, loop: asyncio.AbstractEventLoop) -> None:
        encoder = OpusEncoder()
        while not end.is_set():
            piece = self._device.read()
            level = level_db(piece)
            for packet in encoder.encode(SILENCE if self._is_muted() else piece):
                loop.call_soon_threadsafe(self._deliver, packet, level, end)

    def _note(self, problem: str) -> None:
        self.problem = problem

    def _deliver(self, packet: "av.Packet[Any]", level: float, end: threading.Event) -> None:
        if end.is_set():
            return
        self._newest_s, self._level_db = monotonic_s(), level
        for listener in tuple(self._listeners):
            listener.put(packet)
