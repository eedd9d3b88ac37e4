"""Decides which messages of a sound topic are played. One speaker at a time: who has begun goes on
until he has been silent for a moment, so two never mix. Pure. Not here: the topics (topics.yaml).
"""

from collections.abc import Callable
from typing import Final

from ...bus import Sample
from ...generated.audio_common_msgs import AudioData, AudioInfo
from ...reading_age import ReadingAge
from .port import BUS_PIECE_BYTES, BUS_RATE_HZ

FORM: Final = AudioInfo(1, BUS_RATE_HZ, "S16LE", 16 * BUS_RATE_HZ, "wave")
LONGEST_BYTES: Final = 5 * BUS_PIECE_BYTES  # of one message: 0.1 s
HOLD_S: Final = 0.3
DAMAGED, FOREIGN, LATE = "damaged", "foreign", "late"


def has_form(info: AudioInfo) -> bool:
    """Return whether sound is of the only form that robots have on the bus. Its bit rate follows
    from the rest; the names of the codings are written in several ways.
    """
    named = (info.channels, info.sample_rate, info.sample_format.upper())
    is_plain = info.coding_format.lower() in ("wave", "wav", "pcm", "raw")
    return is_plain and named == (FORM.channels, FORM.sample_rate, FORM.sample_format)


class SoundStream:
    """The messages of one topic. `count` gets the reason of each one that is left out."""

    def __init__(self, count: Callable[[str], None]) -> None:
        self._count = count
        self._speaker = ""
        self._newest_s = float("-inf")
        self._age = ReadingAge()

    def accepted(self, sample: Sample[AudioData]) -> bytes | None:
        """Return what a message says; empty: its speaker has ended. None: it does not count."""
        data, now_s = sample.message.data, sample.received_s
        if len(data) > LONGEST_BYTES or len(data) % 2:
            self._count(DAMAGED)
            return None
        if sample.origin != self._speaker:
            if now_s - self._newest_s <= HOLD_S:
                self._count(FOREIGN)
                return None
            self._speaker, self._age = sample.origin, ReadingAge()
        if self._age.is_stale(now_s - sample.age_s, now_s):
            self._count(LATE)
            return None
        self._newest_s = now_s if data else float("-inf")
        return bytes(data)
