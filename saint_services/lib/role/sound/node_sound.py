"""Publishes what a microphone records and plays what comes for a loudspeaker. While the loudspeaker
sounds the microphone's pieces are silence, so that nobody gets an echo. What is too old is left
out, whichever way it goes. Not here: the process around it (program.py).
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable
from functools import partial

from ...bus import Bus, Sample
from ...clock import monotonic_s
from ...generated.audio_common_msgs import AudioData
from ...generated.topics import ROLE_LOUDSPEAKER, ROLE_MICROPHONE
from ...hw.sound.feed import MicrophoneFeed
from ...hw.sound.port import BUS_PIECE_BYTES, BUS_RATE_HZ, PIECE_S, Loudspeaker, Microphone
from ...hw.sound.speech import Speech
from ...hw.sound.stream import LATE, SoundStream
from ...reading_age import STALE_S
from ...role_config.part_topics import of_target

_MOST_WAITING = round(STALE_S / PIECE_S)
_SILENCE = bytes(BUS_PIECE_BYTES)


class NodeMicrophone:
    """A microphone on the bus. Its methods run in the loop, but for `_on_piece`, `_on_problem`."""

    def __init__(
        self,
        bus: Bus,
        target: str,
        open_device: Callable[[], Microphone],
        is_muted: Callable[[], bool],
        counters: Counter[str],
    ) -> None:
        self.problem = ""
        self.is_recording = False
        self._publisher = bus.publisher(of_target(ROLE_MICROPHONE, target))
        self._open_device = open_device
        self._is_muted = is_muted
        self._counters = counters
        self._loop = asyncio.get_running_loop()
        self._feed: MicrophoneFeed | None = None
        self._ended: MicrophoneFeed | None = None  # its device may not be released yet
        self._feeds = 0  # so far
        self._pieces: deque[tuple[float, bytes]] = deque(maxlen=_MOST_WAITING)

    def look(self) -> None:
        """Record while a program listens."""
        has_readers = self._publisher.has_readers
        if has_readers and self._feed is None:
            self._feeds += 1
            self._feed = MicrophoneFeed(
                self._open_device(), self._on_piece, partial(self._on_problem, self._feeds)
            )
        elif not has_readers:
            self.close()

    def close(self) -> None:
        """Record nothing more; `join` waits until the device is released."""
        if self._feed:
            self._ended, self._feed = self._feed, None
            self._ended.close()
        self.problem, self.is_recording = "", False
        self._pieces.clear()

    def join(self) -> bool:
        """Wait until the device is released. Blocks."""
        return self._ended is None or self._ended.join()

    def _on_piece(self, piece: bytes) -> None:
        self._pieces.append((monotonic_s(), piece))  # of a loop that stands still the newest
        self._loop.call_soon_threadsafe(self._publish)

    def _on_problem(self, number: int, text: str) -> None:
        self._loop.call_soon_threadsafe(self._note, number, text)

    def _note(self, number: int, text: str) -> None:
        if self._feed is not None and number == self._feeds:
            self.problem = text
            self.is_recording = self.is_recording and not text

    def _publish(self) -> None:
        now_s = monotonic_s()
        while self._pieces:
            taken_s, piece = self._pieces.popleft()
            if self._feed is None:
                continue
            if now_s - taken_s > STALE_S:
                self._counters[LATE] += 1
                continue
            self.is_recording = True
            self._publisher.publish(AudioData(_SILENCE if self._is_muted() else piece))


class NodeLoudspeaker:
    """A loudspeaker on the bus."""

    def __init__(self, bus: Bus, target: str, device: Loudspeaker, counters: Counter[str]) -> None:
        self._speech = Speech(device, counters, BUS_RATE_HZ)
        self._stream = SoundStream(lambda reason: counters.update((reason,)))
        self._subscription = bus.subscribe(of_target(ROLE_LOUDSPEAKER, target), self._on_sound)

    @property
    def problem(self) -> str:
        """Why the loudspeaker does not sound; empty: it does, or it was not needed yet."""
        return self._speech.problem

    @property
    def is_playing(self) -> bool:
        """Return whether the loudspeaker sounds, or did so a moment ago."""
        return self._speech.is_speaking(monotonic_s())

    def close(self) -> None:
        """Play nothing more."""
        self._subscription.close()
        self._speech.end()

    def _on_sound(self, sample: Sample[AudioData]) -> None:
        data = self._stream.accepted(sample)
        if data:
            self._speech.play(data)
        elif data is not None:
            self._speech.end()
