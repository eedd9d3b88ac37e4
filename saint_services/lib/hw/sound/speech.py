"""Plays what is said by a loudspeaker: opened by the first piece, closed after a second without
one. What waits longer than 0.2 s is dropped, the oldest first. Not here: the right to speak.
"""

import contextlib
import queue
import threading
from collections import Counter
from typing import Literal

from ...clock import monotonic_s
from ...errors import SaintError
from .port import PIECE_S, QUIETEST_DB, RATE_HZ, Loudspeaker, level_db, piece_bytes

SPOKEN_S = 0.3
PLAYED, DROPPED = "speech_played", "speech_dropped"
_MOST_WAITING = round(0.2 / PIECE_S)
_IDLE_S = 1.0
_RETRY_S = 2.0


class Speech:
    """What is said by one loudspeaker, with pieces of the rate for which the device was chosen;
    `rest_s` after the last one it and the room are silent again.
    """

    def __init__(
        self, device: Loudspeaker, counters: Counter[str], rate_hz: int = RATE_HZ,
        rest_s: float = SPOKEN_S,
    ) -> None:  # fmt: skip
        self.problem = ""
        self._device = device
        self._piece_bytes = piece_bytes(rate_hz)
        self._counters = counters
        self._rest_s = rest_s
        self._pieces: queue.Queue[bytes] = queue.Queue(_MOST_WAITING)
        self._thread: threading.Thread | None = None
        self._rest = bytearray()
        self._spoken_s = float("-inf")
        self._level_db = QUIETEST_DB
        self._refused_until_s = float("-inf")

    def play(self, sound: bytes) -> None:
        """Play sound of any length: one channel of 16 bit."""
        now_s = monotonic_s()
        if now_s < self._refused_until_s:
            return
        self._rest += sound
        while len(self._rest) >= self._piece_bytes:
            piece = bytes(self._rest[: self._piece_bytes])
            del self._rest[: self._piece_bytes]
            self._spoken_s, self._level_db = now_s, level_db(piece)
            self._queue(piece)
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name="loudspeaker", daemon=True)
            self._thread.start()

    def end(self) -> None:
        """Drop what was not played yet: the speaker has changed or gone."""
        self._rest.clear()
        while not self._pieces.empty():
            self._drop()

    def is_speaking(self, now_s: float) -> bool:
        """Return whether the loudspeaker sounds now."""
        return now_s - self._spoken_s <= self._rest_s

    def state(self, now_s: float) -> Literal["ready", "speaking", "none"]:
        """Return what the loudspeaker does; none: it cannot be opened."""
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
        try:
            self._device.open()
            self.problem = ""
            while True:
                self._device.write(self._pieces.get(timeout=_IDLE_S))
                self._counters[PLAYED] += 1
                self._spoken_s = monotonic_s()
        except queue.Empty:
            pass
        except (OSError, SaintError) as err:
            self.problem = err.message if isinstance(err, SaintError) else f"the loudspeaker: {err}"
            self._refused_until_s = monotonic_s() + _RETRY_S
        finally:
            self._device.close()
