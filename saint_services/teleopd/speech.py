"""Plays what the operator says by the robot's loudspeaker: opened by the first piece, closed after
a second without one. What waits longer than 0.2 s is dropped, the oldest first. Not here: the
right to speak (seats.py).
"""

import contextlib
import queue
import threading
from collections import Counter
from typing import Literal

from ..lib.clock import monotonic_s
from ..lib.errors import SaintError
from ..lib.hw.sound.port import PIECE_BYTES, PIECE_S, QUIETEST_DB, Loudspeaker, level_db

SPOKEN_S = 0.3  # after the last piece the loudspeaker and the room are silent again
PLAYED, DROPPED = "speech_played", "speech_dropped"
_MOST_WAITING = round(0.2 / PIECE_S)
_IDLE_S = 1.0
_RETRY_S = 2.0


class Speech:
    """The loudspeaker. `device` None: the robot has none."""

    def __init__(self, device: Loudspeaker | None, counters: Counter[str]) -> None:
        self.problem = ""
        self._device = device
        self._counters = counters
        self._pieces: queue.Queue[bytes] = queue.Queue(_MOST_WAITING)
        self._thread: threading.Thread | None = None
        self._rest = bytearray()
        self._spoken_s = float("-inf")
        self._level_db = QUIETEST_DB
        self._refused_until_s = float("-inf")

    def play(self, sound: bytes) -> None:
        """Play sound of any length: one channel of 16 bit at 48 kHz."""
        now_s = monotonic_s()
        if self._device is None or now_s < self._refused_until_s:
            return
        self._rest += sound
        while len(self._rest) >= PIECE_BYTES:
            piece = bytes(self._rest[:PIECE_BYTES])
            del self._rest[:PIECE_BYTES]
            self._spoken_s, self._level_db = now_s, level_db(piece)
            self._queue(piece)
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name="loudspeaker", daemon=True)
            self._thread.start()

    def end(self) -> None:
        """Drop what was not played yet: the operator has changed."""
        self._rest.clear()
        while not self._pieces.empty():
            self._drop()

    def is_speaking(self, now_s: float) -> bool:
        """Return whether the loudspeaker sounds now."""
        return now_s - self._spoken_s <= SPOKEN_S

    def state(self, now_s: float) -> Literal["off", "ready", "speaking", "none"]:
        """Return what the loudspeaker does; none: it cannot be opened."""
        if self._device is None:
            return "off"
        if self.problem:
            return "none"
        return "speaking" if self.is_speaking(now_s) else "ready"

    def level_db(self, now_s: float) -> float | None:
        """Return the level of the newest piece; None while nobody speaks."""
        return round(self._level_db, 1) if self.is_speaking(now_s) else None

    def _queue(self, piece: bytes) -> None:
        while True:
            try:
                self._pieces.put_nowait(piece)
                return
            except queue.Full:
                self._counters[DROPPED] += 1
                self._drop()

    def _drop(self) -> None:
        with contextlib.suppress(queue.Empty):  # the thread may have been faster
            self._pieces.get_nowait()

    def _run(self) -> None:
        assert self._device is not None
        try:
            self._device.open()
            self.problem = ""
            while True:
                self._device.write(self._pieces.get(timeout=_IDLE_S))
                self._counters[PLAYED] += 1
        except queue.Empty:
            pass
        except (OSError, SaintError) as err:
            self.problem = err.message if isinstance(err, SaintError) else f"the loudspeaker: {err}"
            self._refused_until_s = monotonic_s() + _RETRY_S
        finally:
            self._device.close()
