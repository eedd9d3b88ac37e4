"""`rc decode` and `livelink decode`: the lines that people keep scripts on."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.errors import SaintError
from saint_services.saintctl.livelink_decode import livelink_decode
from saint_services.saintctl.rc_decode import rc_decode

DATA = Path(__file__).parents[2] / "data"


def rc(protocol: str, name: str | Path, timed: bool = False) -> list[dict[str, Any]]:
    out = io.StringIO()
    assert rc_decode(protocol, timed, str(DATA / name), out) == 0
    return [json.loads(line) for line in out.getvalue().splitlines()]


def livelink(path: Path) -> list[dict[str, Any]]:
    out = io.StringIO()
    assert livelink_decode("llf", str(path), out) == 0
    return [json.loads(line) for line in out.getvalue().splitlines()]


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


def test_livelink_capture_is_printed_line_by_line() -> None:
    lines = livelink(DATA / "live-link-face.jsonl")
    assert list(lines[0]) == [
        "kind", "subject", "device", "type", "frame", "subframe", "rate", "face", "values",
    ]  # fmt: skip
    assert len(lines[0]["values"]) == 61
    assert lines[6]["face"] is False and "values" not in lines[6]
    assert lines[-1] == {"kind": "summary", "frames": 20, "refused": 0, "lost": 0}


def test_livelink_loss_and_refusals_are_summed_up(tmp_path: Path) -> None:
    captured = (DATA / "live-link-face.jsonl").read_text().splitlines()
    recording = tmp_path / "x.jsonl"
    bad = json.dumps({"t_us": 1, "hex": "05", "from": "192.168.1.50:50000"})
    recording.write_text("\n".join([captured[0], bad, captured[3]]))
    lines = livelink(recording)
    assert lines[1] == {"kind": "refused", "reason": "version 5 is not supported"}
    assert lines[-1] == {"kind": "summary", "frames": 2, "refused": 1, "lost": 2}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "line 2 is not JSON"),
        ("[" * 100_000, "line 2 is not JSON"),
        ("[]", "line 2 is not a JSON object"),
        ('{"t_us": 1}', "line 2: hex"),
        ('{"t_us": 1, "hex": "0"}', "line 2: hex"),
        ('{"t_us": 1, "hex": "zz"}', "line 2: hex"),
        ('{"t_us": "1", "hex": "00"}', "line 2: t_us"),
        ('{"t_us": true, "hex": "00"}', "line 2: t_us"),
        ('{"hex": "00"}', "line 2: t_us"),
    ],
)
def test_wrong_line_is_a_file_error(tmp_path: Path, text: str, told: str) -> None:
    recording = tmp_path / "x.jsonl"
    recording.write_text('{"t_us": 0, "hex": ""}\n' + text + "\n")
    for decode in (
        lambda: rc_decode("sbus", True, str(recording), io.StringIO()),
        lambda: livelink_decode("llf", str(recording), io.StringIO()),
    ):
        with pytest.raises(SaintError) as caught:
            decode()
        assert caught.value.exit_code == 2
        assert told in caught.value.message


@pytest.mark.parametrize("source", ["/nowhere/at/all", "/", "a\0b"])
def test_missing_file_is_told(source: str) -> None:
    with pytest.raises(SaintError) as caught:
        rc_decode("crsf", False, source, io.StringIO())
    assert caught.value.exit_code == 2


def test_unknown_protocol_and_later_formats_are_refused() -> None:
    with pytest.raises(SaintError, match="cannot be decoded") as caught:
        rc_decode("dsm", False, "-", io.StringIO())
    assert caught.value.exit_code == 2
    for name, told in (("json", "not supported yet"), ("x", "not known")):
        with pytest.raises(SaintError, match=told) as caught:
            livelink_decode(name, "-", io.StringIO())
        assert caught.value.exit_code == 2


def test_endless_input_is_decoded_as_it_comes() -> None:
    code = "import sys; from saint_services.saintctl.rc_decode import rc_decode; "
    code += "sys.exit(rc_decode('crsf', False, '-', sys.stdout))"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin and process.stdout
        os.write(process.stdin.fileno(), (DATA / "crsf-receiver.bin").read_bytes()[:26])
        assert json.loads(process.stdout.readline())["kind"] == "rc"
        process.stdin.close()
        assert json.loads(process.stdout.readline())["frames"] == 1
        assert process.wait(10) == 0
