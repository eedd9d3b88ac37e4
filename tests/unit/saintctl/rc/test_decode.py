"""`rc decode`: its lines, which scripts depend on."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from saint_services.lib.errors import SaintError
from saint_services.rcd.protocols.crsf import crc8
from saint_services.saintctl.rc import commands as commands
from saint_services.saintctl.rc.decode import Options, rc_decode

DATA = Path(__file__).parents[3] / "data"
CENTER = sum(992 << 11 * i for i in range(16)).to_bytes(22, "little")


def rc(protocol: str, name: str | Path, **options: bool) -> list[dict[str, Any]]:
    out = io.StringIO()
    assert rc_decode(Options(protocol, **options), str(DATA / name), out) == 0
    return [json.loads(line) for line in out.getvalue().splitlines()]


def decoded(path: Path, protocol: str, data: bytes, **options: bool) -> list[dict[str, Any]]:
    path.write_bytes(data)
    return rc(protocol, path, **options)


def crsf(kind: int, payload: bytes, address: int = 0xC8) -> bytes:
    body = bytes([kind]) + payload
    return bytes([address, len(body) + 1]) + body + bytes([crc8(body)])


def test_crsf_capture_is_printed_line_by_line() -> None:
    lines = rc("crsf", "crsf-receiver.bin")
    assert len(lines) == 15
    assert list(lines[0]) == [
        "kind", "protocol", "t_us", "raw", "us", "failsafe", "frame_lost", "address", "type",
    ]  # fmt: skip
    assert lines[0]["address"] == 200 and lines[0]["type"] == 22
    assert lines[-1] == {"kind": "summary", "frames": 14, "rejected": 0, "discarded_bytes": 0}


def test_sbus_lines_have_digital_channels() -> None:
    lines = rc("sbus", "sbus2-futaba-r7008sb.jsonl", timed=True)
    assert lines[0]["digital"] == [False, False] and lines[0]["t_us"] == 15001
    assert lines[-1]["frames"] == len(lines) - 1 == 8


def test_ibus_is_printed_as_received() -> None:
    (line, summary) = rc("ibus", "ibus-single.bin")
    assert line["raw"] == line["us"] and line["raw"][2] == 1000
    assert summary["frames"] == 1


def test_telemetry_and_other_frames_have_their_own_lines(tmp_path: Path) -> None:
    recording = tmp_path / "x.bin"
    recording.write_bytes(
        bytes.fromhex("c80c32c8ec0a7001001e84802272")  # command
        + bytes.fromhex("c809172400a0d9e9ff0fd1")  # subset
    )
    other, subset, _ = rc("crsf", recording)
    assert other == {"kind": "other", "address": 200, "type": 0x32, "length": 12}
    assert subset["first_channel"] == 4


def test_reset_drops_the_half_frame(tmp_path: Path) -> None:
    frame = (DATA / "crsf-receiver.bin").read_bytes()[:26]
    recording = tmp_path / "x.jsonl"
    lines = [
        {"t_us": 0, "hex": frame[:20].hex()},
        {"t_us": 50, "reset": True},
        {"t_us": 100, "hex": frame[20:].hex()},
        {"t_us": 9000, "hex": frame.hex()},
    ]
    recording.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = rc("crsf", recording, timed=True)
    assert [line["kind"] for line in found] == ["rc", "summary"]
    assert found[1]["discarded_bytes"] == 26


def test_every_kind_of_crsf_frame_has_its_line(tmp_path: Path) -> None:
    data = (
        crsf(0x14, bytes([60, 55, 98, 0xFB, 1, 2, 3, 70, 99, 8]))
        + crsf(0x08, bytes.fromhex("00a800150004d24b"), 0xEA)
        + crsf(0x1E, bytes.fromhex("03e8fc180000"), 0xEC)
        + crsf(0x21, b"ACRO\0", 0xEE)
        + crsf(0x16, CENTER[:-1])  # too short to use
        + crsf(0x28, b"\x00\xea", 0x00)
    )
    *lines, summary = decoded(tmp_path / "x", "crsf", data)
    assert [line["kind"] for line in lines] == [
        "link_statistics", "battery", "attitude", "flight_mode", "other", "other",
    ]  # fmt: skip
    assert [line["address"] for line in lines] == [0xC8, 0xEA, 0xEC, 0xEE, 0xC8, 0x00]
    assert [line["type"] for line in lines] == [0x14, 0x08, 0x1E, 0x21, 0x16, 0x28]
    assert lines[0]["uplink_lq_percent"] == 98 and lines[0]["uplink_snr_db"] == -5
    assert lines[3]["text"] == "ACRO"
    assert lines[4]["length"] == 23
    assert summary == {"kind": "summary", "frames": 6, "rejected": 0, "discarded_bytes": 0}


def test_hidden_ibus_channels_are_shown_on_request(tmp_path: Path) -> None:
    # Channel 15 is 1500 = 0x5DC: the nibbles C, D, 5 in words 1 to 3.
    nibbles = (0xC, 0xD, 0x5) * 4 + (0, 0)
    body = b"\x20\x40" + b"".join((nibble << 12 | 1500).to_bytes(2, "little") for nibble in nibbles)
    frame = body + (0xFFFF - sum(body)).to_bytes(2, "little")
    assert decoded(tmp_path / "x", "ibus", frame)[0]["raw"] == [1500] * 14
    assert decoded(tmp_path / "x", "ibus", frame, ibus_18=True)[0]["us"] == [1500] * 18


def test_older_ibus_form_skips_the_newer(tmp_path: Path) -> None:
    words = tuple(range(14))
    older = b"\x55" + b"".join(word.to_bytes(2, "little") for word in (*words, sum(words)))
    newer = (DATA / "ibus-single.bin").read_bytes()
    lines = decoded(tmp_path / "x", "ibus", newer + older, ibus_ia6=True)
    assert lines[0]["raw"] == list(words) and lines[-1]["frames"] == 1
    assert decoded(tmp_path / "x", "ibus", older + newer)[-1]["frames"] == 2


def test_pauses_are_taken_from_the_lines(tmp_path: Path) -> None:
    frame = (DATA / "sbus-single.bin").read_bytes()
    reads = [(0, frame[:9]), (1_000, frame[9:]), (8_000, frame[:9]), (12_000, frame)]
    text = "".join(json.dumps({"t_us": t, "hex": data.hex()}) + "\n" for t, data in reads)
    *frames, summary = decoded(tmp_path / "x", "sbus", text.encode(), timed=True)
    assert [line["t_us"] for line in frames] == [1_000, 12_000]
    assert summary == {"kind": "summary", "frames": 2, "rejected": 1, "discarded_bytes": 9}


@pytest.mark.parametrize("protocol", ["crsf", "sbus", "ibus"])
@pytest.mark.parametrize("timed", [False, True])
def test_empty_input_has_a_summary(tmp_path: Path, protocol: str, timed: bool) -> None:
    nothing = {"kind": "summary", "frames": 0, "rejected": 0, "discarded_bytes": 0}
    assert decoded(tmp_path / "x", protocol, b"", timed=timed) == [nothing]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 2 is not JSON"),
        ("[" * 100_000, "line 2 is not JSON"),
        ("[]", "line 2 is not a JSON object"),
        ('{"t_us": 1}', "line 2: hex"),
        ('{"t_us": 1, "hex": "0"}', "line 2: hex"),
        ('{"t_us": 1, "hex": "zz"}', "line 2: hex"),
        ('{"t_us": "1", "hex": "00"}', "line 2: t_us"),
        ('{"t_us": true, "hex": "00"}', "line 2: t_us"),
        ('{"t_us": NaN, "hex": "00"}', "line 2: t_us"),
        ('{"hex": "00"}', "line 2: t_us"),
    ],
)
def test_wrong_line_is_a_file_error(tmp_path: Path, text: str, message: str) -> None:
    recording = tmp_path / "x.jsonl"
    recording.write_text('{"t_us": 0.0, "hex": ""}\n' + text + "\n")
    with pytest.raises(SaintError) as caught:
        rc_decode(Options("sbus", timed=True), str(recording), io.StringIO())
    assert caught.value.exit_code == 2
    assert message in caught.value.message


@pytest.mark.parametrize("source", ["/nowhere/at/all", "/", "a\0b"])
def test_missing_file_is_an_error(source: str) -> None:
    with pytest.raises(SaintError) as caught:
        rc_decode(Options("crsf"), source, io.StringIO())
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["decode"],
        ["decode", "x"],
        ["decode", "--protocol", "srxl", "-"],
        ["decode", "--protocol", "crsf", "/nowhere"],
        ["decode", "--protocol", "crsf", "--ibus-18", "-"],
        ["decode", "--protocol", "ibus", "--ibus-18", "--ibus-ia6", "-"],
        ["decode", "--protocol", "crsf", "--tmied", "-"],
    ],
)
def test_wrong_usage_exits_2(arguments: list[str]) -> None:
    assert CliRunner().invoke(commands.app, arguments).exit_code == 2


def test_endless_input_is_decoded_continuously() -> None:
    code = "import sys; from saint_services.saintctl.rc.decode import Options, rc_decode; "
    code += "sys.exit(rc_decode(Options('crsf'), '-', sys.stdout))"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin and process.stdout
        os.write(process.stdin.fileno(), (DATA / "crsf-receiver.bin").read_bytes()[:26])
        assert json.loads(process.stdout.readline())["kind"] == "rc"
        process.stdin.close()
        assert json.loads(process.stdout.readline())["frames"] == 1
        assert process.wait(10) == 0
