"""`board decode`: its lines, which scripts depend on."""

import io
import struct
from pathlib import Path

import pytest
from typer.testing import CliRunner

from saint_services.lib.wagon.board_link import crc8
from saint_services.saintctl.app import app
from saint_services.saintctl.board.decode import board_decode


def framed(kind: int, payload: bytes) -> bytes:
    body = bytes((len(payload), kind)) + payload
    return b"\xaa" + body + bytes((crc8(body),))


def decoded(path: Path, data: bytes) -> list[str]:
    (path / "link.bin").write_bytes(data)
    out = io.StringIO()
    assert board_decode(str(path / "link.bin"), out) == 0
    return out.getvalue().splitlines()


def summary(frames: int, rejected: int, discarded: int) -> str:
    return (
        f'{{"kind": "summary", "frames": {frames}, "rejected": {rejected}, '
        f'"discarded_bytes": {discarded}}}'
    )


PRINTED = [
    (0x01, struct.pack("<16HB", *[1500] * 16, 0),
     '{"kind": "rc_channels", "us": [' + ", ".join(["1500"] * 16) + '], "flags": 0}'),
    (0x02, bytes.fromhex("01 0000003f"), '{"kind": "sensor", "sensor_id": 1, "value": 0.5}'),
    (0x03, bytes.fromhex("04a1b2c3d4e5f6 07"),
     '{"kind": "nfc", "uid": "04a1b2c3d4e5f6", "length": 7}'),
    (0x03, bytes.fromhex("04a1b2c3d4e5f6 04"), '{"kind": "nfc", "uid": "04a1b2c3", "length": 4}'),
    (0x10, bytes(5),
     '{"kind": "actuators", "leds": 0, "horn": 0, "light": 0, "fan": 0, "buzzer": 0}'),
    (0x11, bytes.fromhex("01 00000000 000080bf"),
     '{"kind": "status", "state": 1, "pitch": 0.0, "speed": -1.0}'),
    (0xFF, bytes.fromhex("d2040000"), '{"kind": "heartbeat", "uptime_ms": 1234}'),
    (0x42, b"abc", '{"kind": "other", "type": 66, "length": 3}'),
    (0x00, b"", '{"kind": "other", "type": 0, "length": 0}'),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "payload", "line"), PRINTED)
def test_frame_is_printed_byte_for_byte(
    tmp_path: Path, kind: int, payload: bytes, line: str
) -> None:
    assert decoded(tmp_path, framed(kind, payload)) == [line, summary(1, 0, 0)]


def test_every_byte_that_stands_in_no_line_is_counted(tmp_path: Path) -> None:
    good = framed(0xFF, bytes(4))
    broken = good[:-1] + bytes((good[-1] ^ 1,))
    data = b"\1\2" + good + broken + good + b"\xaa\x08"
    lines = decoded(tmp_path, data)
    assert lines[-1] == summary(2, 1, 2 + len(broken) + 2)
    assert len(lines) == 3


def test_search_goes_on_one_byte_later_also_at_the_end(tmp_path: Path) -> None:
    good = framed(0x42, b"x")
    assert decoded(tmp_path, b"\xaa\xf0" + good)[-1] == summary(1, 0, 2)
    assert decoded(tmp_path, b"\xaa" + good)[-1] == summary(1, 0, 1)


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        (0x02, struct.pack("<Bf", 0, float("nan"))),
        (0x11, struct.pack("<Bff", 0, float("inf"), 0)),
        (0x01, bytes(32)),
        (0xFF, bytes(3)),
        (0x03, bytes(7) + b"\x05"),
        (0x03, bytes(7) + b"\x00"),
    ],
)
def test_content_that_cannot_be_is_rejected(tmp_path: Path, kind: int, payload: bytes) -> None:
    data = framed(kind, payload)
    assert decoded(tmp_path, data) == [summary(0, 1, len(data))]


def test_empty_input_has_a_summary_only(tmp_path: Path) -> None:
    assert decoded(tmp_path, b"") == [summary(0, 0, 0)]


def test_standard_input_is_read_and_a_missing_file_ends_with_2(tmp_path: Path) -> None:
    run = CliRunner().invoke(app, ["board", "decode", "-"], input=framed(0xFF, bytes(4)))
    assert run.exit_code == 0 and run.stdout.splitlines()[-1] == summary(1, 0, 0)
    for arguments in ([], [str(tmp_path / "none")], [str(tmp_path)]):
        assert CliRunner().invoke(app, ["board", "decode", *arguments]).exit_code == 2
