"""Which messages of a sound topic are played: of one speaker, not too old, not too long."""

from collections import Counter

import pytest

from saint_services.lib.bus import Sample
from saint_services.lib.generated.audio_common_msgs import AudioData, AudioInfo
from saint_services.lib.hw.sound.stream import LONGEST_BYTES, SoundStream, has_form

PIECE = bytes(640)
OLGA, OTTO = "0a" * 12, "0b" * 12


class Stream:
    """A stream at a time that the test sets."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._stream = SoundStream(lambda reason: self.counts.update((reason,)))

    def at(
        self, time_s: float, data: bytes = PIECE, origin: str = OLGA, age_s: float = 0.01
    ) -> bytes | None:
        return self._stream.accepted(Sample(AudioData(data), time_s, age_s, origin))


@pytest.fixture
def stream() -> Stream:
    return Stream()


def test_pieces_up_to_a_tenth_of_a_second_are_played(stream: Stream) -> None:
    for data in (PIECE, bytes(2), bytes(3200)):
        assert stream.at(1.0, data) == data
    assert not stream.counts


@pytest.mark.parametrize("data", [bytes(3202), bytes(16_000_000), bytes(641), b"x"])
def test_what_is_too_long_or_no_whole_sample_is_counted(stream: Stream, data: bytes) -> None:
    assert stream.at(1.0, data) is None
    assert stream.counts == {"damaged": 1}
    assert stream.at(1.0, PIECE, OTTO) == PIECE  # it has not made its sender the speaker


def test_two_never_mix(stream: Stream) -> None:
    assert stream.at(1.0) == PIECE
    assert stream.at(1.1, origin=OTTO) is None
    assert stream.at(1.29, origin=OTTO) is None
    assert stream.counts == {"foreign": 2}
    assert stream.at(1.31, origin=OTTO) == PIECE  # 0.3 s without the first one
    assert stream.at(1.32) is None


def test_speaker_who_ends_leaves_the_loudspeaker_to_others(stream: Stream) -> None:
    stream.at(1.0)
    assert stream.at(1.01, b"", OTTO) is None  # another one ends nothing
    assert stream.at(1.02, b"") == b""
    assert stream.at(1.03, origin=OTTO) == PIECE


def test_old_sound_is_dropped_whatever_the_clocks_say(stream: Stream) -> None:
    for step in range(10):
        assert stream.at(1.0 + 0.02 * step, age_s=-3600.0) == PIECE  # its clock is an hour ahead
    assert stream.at(1.3, age_s=-3599.7) is None
    assert stream.counts == {"late": 1}
    assert stream.at(1.32, age_s=-3600.0) == PIECE


def test_late_sound_keeps_nobody_else_out(stream: Stream) -> None:
    stream.at(1.0)
    assert stream.at(1.31, age_s=0.5) is None
    assert stream.at(1.32, origin=OTTO) == PIECE


@pytest.mark.parametrize(
    ("info", "is_ours"),
    [
        (AudioInfo(1, 16_000, "S16LE", 256_000, "wave"), True),
        (AudioInfo(1, 16_000, "s16le", 128, "WAVE"), True),  # as audio_capture names it
        (AudioInfo(2, 16_000, "S16LE", 256_000, "wave"), False),
        (AudioInfo(1, 44_100, "S16LE", 256_000, "wave"), False),
        (AudioInfo(1, 16_000, "S32LE", 256_000, "wave"), False),
        (AudioInfo(1, 16_000, "S16LE", 128, "mp3"), False),
        (AudioInfo(), False),
    ],
)
def test_only_form_is_known_by_its_description(info: AudioInfo, is_ours: bool) -> None:
    assert has_form(info) is is_ours


def test_longest_message_is_a_tenth_of_a_second() -> None:
    assert LONGEST_BYTES == 3200
