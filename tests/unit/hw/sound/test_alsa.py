"""ALSA's real library, with devices that are files: what it records and plays, and what it says of
a device that is missing.
"""

import ctypes
from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.sound.alsa import AlsaLoudspeaker, AlsaMicrophone
from saint_services.lib.hw.sound.port import BUS_PIECE_BYTES, BUS_RATE_HZ, PIECE_BYTES, level_db
from tools.sim.sound import tone


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    try:
        ctypes.CDLL("libasound.so.2")
    except OSError:
        pytest.skip("ALSA's library is not installed (apt-get install libasound2)")
    (tmp_path / "in.s16").write_bytes(tone(440.0, 0.5))
    config = tmp_path / "asound.conf"
    config.write_text(
        "pcm.none { type null }\n"
        f'pcm.files {{ type file slave.pcm none file "{tmp_path}/out.s16" '
        f'infile "{tmp_path}/in.s16" format raw }}\n'
    )
    monkeypatch.setenv("ALSA_CONFIG_PATH", str(config))
    return tmp_path


def test_microphone_records_pieces_of_one_channel(files: Path) -> None:
    microphone = AlsaMicrophone("files")
    microphone.open()
    try:
        pieces = [microphone.read() for _ in range(10)]
    finally:
        microphone.close()
    assert b"".join(pieces) == tone(440.0, 0.5)[: 10 * PIECE_BYTES]
    assert level_db(pieces[3]) == pytest.approx(-15.05, abs=0.5)


def test_loudspeaker_plays_after_a_head_start_of_silence(files: Path) -> None:
    sound = tone(1000.0, 0.2)
    loudspeaker = AlsaLoudspeaker("files")
    loudspeaker.open()
    try:
        for start in range(0, len(sound), PIECE_BYTES):
            loudspeaker.write(sound[start : start + PIECE_BYTES])
    finally:
        loudspeaker.close()
    assert (files / "out.s16").read_bytes() == bytes(2 * PIECE_BYTES) + sound


def test_devices_of_the_bus_have_its_rate(files: Path) -> None:
    microphone = AlsaMicrophone("files", BUS_RATE_HZ)
    microphone.open()
    try:
        assert len(microphone.read()) == BUS_PIECE_BYTES
    finally:
        microphone.close()
    loudspeaker = AlsaLoudspeaker("files", BUS_RATE_HZ)
    loudspeaker.open()
    try:
        loudspeaker.write(tone(1000.0, 0.02, rate_hz=BUS_RATE_HZ))
    finally:
        loudspeaker.close()
    assert (files / "out.s16").stat().st_size == 3 * BUS_PIECE_BYTES


def test_missing_device_is_named_with_what_to_do(files: Path) -> None:
    with pytest.raises(SaintError) as missing:
        AlsaMicrophone("plughw:7,0").open()
    assert missing.value.code is Code.HARDWARE_MISSING
    assert "plughw:7,0" in missing.value.message
    assert "teleopd.yaml" in missing.value.fix


def test_closed_device_is_no_device(files: Path) -> None:
    with pytest.raises(OSError, match="closed"):
        AlsaLoudspeaker("files").write(bytes(PIECE_BYTES))
