"""The sound of a role's node, over the bus: what its microphone publishes, what its loudspeaker is
to play, and what the node reports about both. Only loaded with the first session, as PyAV is. Not
here: the node's end (lib/role/sound), who listens and speaks (sounds.py).
"""

import asyncio
import contextlib
import queue
import threading
from collections import Counter
from collections.abc import Callable

import av

from ..lib.bus import Bus, Sample
from ..lib.errors import SaintError
from ..lib.generated.audio_common_msgs import AudioData, AudioInfo
from ..lib.generated.topics import ROLE_LOUDSPEAKER, ROLE_MICROPHONE, ROLE_MICROPHONE_INFO
from ..lib.hw.sound.port import (
    BUS_PIECE_BYTES,
    BUS_RATE_HZ,
    PIECE_S,
    PIECE_SAMPLES,
    RATE_HZ,
)
from ..lib.hw.sound.stream import SoundStream, has_form
from ..lib.reading_age import STALE_S
from ..lib.role_config.part_topics import of_target

OTHER_FORM, DROPPED, UNSENT = "sound_other_form", "sound_dropped", "sound_unsent"
_MOST_WAITING = round(STALE_S / PIECE_S)
_LOOK_S = 0.25


class BusFeed:
    """Receives what a node's microphone publishes, while it is open: nodes record for nobody else.
    A thread delivers the pieces, as they are encoded there.
    """

    def __init__(
        self, bus: Bus, target: str, counters: Counter[str],
        deliver: Callable[[bytes], None], problem: Callable[[str], None],
    ) -> None:  # fmt: skip
        self._target = target
        self._counters = counters
        self._deliver = deliver
        self._problem = problem
        self._has_form: bool | None = None  # None: the node has not named it yet
        self._stream = SoundStream(lambda reason: counters.update((f"sound_{reason}",)))
        self._rest = bytearray()
        self._pieces: queue.Queue[bytes] = queue.Queue(_MOST_WAITING)
        self._end = threading.Event()
        self._subscriptions = (
            bus.subscribe(of_target(ROLE_MICROPHONE_INFO, target), self._on_info),
            bus.subscribe(of_target(ROLE_MICROPHONE, target), self._on_sound),
        )
        threading.Thread(target=self._run, name="microphone", daemon=True).start()

    def close(self) -> None:
        """Listen no more."""
        self._end.set()
        for each in self._subscriptions:
            each.close()

    def _on_info(self, sample: Sample[AudioInfo]) -> None:
        self._has_form = has_form(sample.message)
        text = f"the sound of {self._target} has another form than 16 bit, {BUS_RATE_HZ} Hz, mono"
        self._problem("" if self._has_form else text)

    def _on_sound(self, sample: Sample[AudioData]) -> None:
        if not self._has_form:
            self._counters[OTHER_FORM] += 1
            return
        self._rest += self._stream.accepted(sample) or b""
        while len(self._rest) >= BUS_PIECE_BYTES:
            self._queue(bytes(self._rest[:BUS_PIECE_BYTES]))
            del self._rest[:BUS_PIECE_BYTES]

    def _queue(self, piece: bytes) -> None:
        if self._pieces.full():
            self._counters[DROPPED] += 1
            with contextlib.suppress(queue.Empty):  # the thread may have been faster
                self._pieces.get_nowait()
        self._pieces.put_nowait(piece)

    def _run(self) -> None:
        while not self._end.is_set():
            with contextlib.suppress(queue.Empty):
                piece = self._pieces.get(timeout=_LOOK_S)
                try:
                    self._deliver(piece)
                except RuntimeError:  # the loop has ended
                    return


class BusLoudspeaker:
    """Implements Loudspeaker: publishes what the node's is to play. Made in the loop; called in a
    thread.
    """

    def __init__(self, bus: Bus, target: str, counters: Counter[str]) -> None:
        self._counters = counters
        self._loop = asyncio.get_running_loop()
        self._publisher = bus.publisher(of_target(ROLE_LOUDSPEAKER, target))
        self._narrow = _narrower()

    def open(self) -> None:
        """Begin a stream."""
        self._narrow = _narrower()

    def write(self, piece: bytes) -> None:
        """Publish a piece, at the rate of the bus."""
        frame = av.AudioFrame(format="s16", layout="mono", samples=PIECE_SAMPLES)
        frame.planes[0].update(piece)
        frame.sample_rate = RATE_HZ
        for each in self._narrow.resample(frame):
            self._send(bytes(each.planes[0])[: 2 * each.samples])

    def close(self) -> None:
        """End the stream."""
        self._send(b"")

    def _send(self, data: bytes) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._publish, data)

    def _publish(self, data: bytes) -> None:
        try:
            self._publisher.publish(AudioData(data))
        except SaintError:
            self._counters[UNSENT] += 1


def _narrower() -> av.AudioResampler:
    return av.AudioResampler(format="s16", layout="mono", rate=BUS_RATE_HZ)
