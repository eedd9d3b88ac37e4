"""`can decode` and `can encode`: their lines, which scripts depend on."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from saint_services.lib.hw.vesc import messages as vesc
from saint_services.lib.wagon import can_frames as wagon
from saint_services.saintctl.app import app
from saint_services.saintctl.can.decode import can_decode, can_encode

Lines = list[dict[str, Any]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "recording"


def decoded(path: Path, text: str) -> str:
    path.write_text(text)
    out = io.StringIO()
    assert can_decode(str(path), out) == 0
    return out.getvalue()


def encoded(path: Path, *lines: object) -> Lines:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    out = io.StringIO()
    assert can_encode(str(path), out) == 0
    return [json.loads(line) for line in out.getvalue().splitlines()]


def frame(identifier: int, data: str, *, extended: bool = True) -> str:
    line = {"t_us": 0, "id": identifier, "extended": extended, "hex": data}
    return json.dumps(line) + "\n"


# The data, and the line exactly as it is printed.
PRINTED = [
    (0x90A, "00003039ffcb036c", '{"kind": "vesc", "message": "STATUS_1", "vesc_id": 10, '
     '"erpm": 12345, "current_a": -5.3, "duty": 0.876}'),
    (0xE0A, "0000303900000001", '{"kind": "vesc", "message": "STATUS_2", "vesc_id": 10, '
     '"amp_hours": 1.2345, "amp_hours_charged": 0.0001}'),
    (0xF0A, "0001e24000000000", '{"kind": "vesc", "message": "STATUS_3", "vesc_id": 10, '
     '"watt_hours": 12.3456, "watt_hours_charged": 0.0}'),
    (0x100A, "0163fce3007b4650", '{"kind": "vesc", "message": "STATUS_4", "vesc_id": 10, '
     '"temp_fet_c": 35.5, "temp_motor_c": -79.7, "current_in_a": 12.3, "pid_pos_deg": 360.0}'),
    (0x1B0A, "00000006016d0000", '{"kind": "vesc", "message": "STATUS_5", "vesc_id": 10, '
     '"tachometer_raw": 6, "v_in_v": 36.5}'),
    (0x3A0A, "0ce405dc0001fc18", '{"kind": "vesc", "message": "STATUS_6", "vesc_id": 10, '
     '"adc1_v": 3.3, "adc2_v": 1.5, "adc3_v": 0.001, "ppm": -1.0}'),
    (0x00A, "0000c350", '{"kind": "vesc", "message": "SET_DUTY", "vesc_id": 10, "value": 0.5}'),
    (0x117, "0000c738", '{"kind": "vesc", "message": "SET_CURRENT", "vesc_id": 23, "value": 51.0}'),
    (0x20A, "000003e8",
     '{"kind": "vesc", "message": "SET_CURRENT_BRAKE", "vesc_id": 10, "value": 1.0}'),
    (0x30A, "00000bb8", '{"kind": "vesc", "message": "SET_RPM", "vesc_id": 10, "value": 3000}'),
    (0x40A, "000f4240", '{"kind": "vesc", "message": "SET_POS", "vesc_id": 10, "value": 1.0}'),
    (0xA0A, "000186a0",
     '{"kind": "vesc", "message": "SET_CURRENT_REL", "vesc_id": 10, "value": 1.0}'),
    (0xB0A, "000186a0",
     '{"kind": "vesc", "message": "SET_CURRENT_BRAKE_REL", "vesc_id": 10, "value": 1.0}'),
    (0xC0A, "000003e8",
     '{"kind": "vesc", "message": "SET_CURRENT_HANDBRAKE", "vesc_id": 10, "value": 1.0}'),
    (0xDFF, "000186a0",
     '{"kind": "vesc", "message": "SET_CURRENT_HANDBRAKE_REL", "vesc_id": 255, "value": 1.0}'),
    (0x1144, "0b", '{"kind": "vesc", "message": "PING", "vesc_id": 68, "sender_id": 11}'),
    (0x120B, "4400", '{"kind": "vesc", "message": "PONG", "vesc_id": 68, "to_id": 11}'),
    (0x300, "f4019cff02000000",
     '{"kind": "wagon", "message": "DRIVE", "speed": 500, "steer": -100, "mode": 2, "flags": 0}'),
    (0x301, "01", '{"kind": "wagon", "message": "ARM", "arm": true}'),
    (0x302, "003e003800b80000",
     '{"kind": "wagon", "message": "GAINS", "kp": 1.5, "ki": 0.5, "kd": -0.5}'),
    (0x303, "e5", '{"kind": "wagon", "message": "ESTOP"}'),
    (0x400, "0040003c00b80105", '{"kind": "wagon", "message": "ATTITUDE", "pitch": 2.0, '
     '"speed": 1.0, "yaw_rate": -0.5, "state": 1, "flags": 5}'),
    (0x401, "948e03c9", '{"kind": "wagon", "message": "POWER", "battery_mv": 36500, '
     '"fault_code": 3, "rssi": -55}'),
]  # fmt: skip


def is_extended(line: str) -> bool:
    return '"vesc"' in line


@pytest.mark.parametrize(("identifier", "data", "line"), PRINTED)
def test_frame_is_printed_byte_for_byte(path: Path, identifier: int, data: str, line: str) -> None:
    summary = '{"kind": "summary", "frames": 1, "refused": 0}'
    text = frame(identifier, data, extended=is_extended(line))
    assert decoded(path, text) == f"{line}\n{summary}\n"


@pytest.mark.parametrize(("identifier", "data", "line"), PRINTED)
def test_line_of_candump_is_printed_the_same(
    path: Path, identifier: int, data: str, line: str
) -> None:
    digits = f"{identifier:08X}" if is_extended(line) else f"{identifier:03X}"
    logged = f"(0.000000) can0 {digits}#{data.upper()}\n"
    assert decoded(path, logged).splitlines()[0] == line


@pytest.mark.parametrize(("identifier", "data", "line"), PRINTED)
def test_every_printed_message_is_encoded_to_its_frame(
    path: Path, identifier: int, data: str, line: str
) -> None:
    assert encoded(path, json.loads(line)) == [
        {"id": identifier, "extended": is_extended(line), "hex": data}
    ]


def test_printed_lines_hold_every_message() -> None:
    names = {json.loads(line)["message"] for _, _, line in PRINTED}
    assert names == {*vesc.BY_NAME, *wagon.BY_NAME}


@pytest.mark.parametrize(
    ("identifier", "data", "extended"),
    [
        (0x10A, "0000c350", False),  # the 11-bit twin of SET_CURRENT
        (0x300, "f4019cff02000000", True),  # the 29-bit twin of DRIVE: SET_RPM with 8 bytes
        (0x303, "e5", True),
        (0x401, "948e03c9ff", False),
        (0x10A, "0000c3", True),
        (0x10A, "000000c350", True),
        (0x10A, "0000c3500000", True),  # the 6-byte form of SET_CURRENT
        (0x1B0A, "0000000601", True),
        (0x1B0A, "00000006016d00", True),
        (0x50A, "0000000000000000", True),
        (0x1FFFFFFF, "00", True),
        (0x20000000, "00", True),
        (0x800, "00", False),
        (-1, "00", True),
        (0x304, "e5", False),
        (0x301, "02", False),
        (0x303, "e4", False),
        (0x303, "", False),
        (0x300, "e903000000000000", False),
        (0x300, "0000e90300000000", False),
        (0x302, "007c000000000000", False),
        (0x400, "0000017e00000000", False),
        (0x300, "f4019cff020000", False),
        (0x10A, "00" * 9, True),
    ],
)
def test_other_frames_are_refused_with_a_reason(
    path: Path, identifier: int, data: str, extended: bool
) -> None:
    line, summary = map(
        json.loads, decoded(path, frame(identifier, data, extended=extended)).splitlines()
    )
    assert list(line) == ["kind", "id", "reason"]
    assert (line["kind"], line["id"]) == ("refused", identifier) and line["reason"]
    assert summary == {"kind": "summary", "frames": 0, "refused": 1}


def test_reserved_bytes_are_ignored(path: Path) -> None:
    for identifier, data, extended in (
        (0x300, "f4019cff0200beef", False),
        (0x302, "003c003c003cbeef", False),
        (0x1B0A, "00000006016dbeef", True),
        (0x1B0A, "00000006016d", True),
        (0x120B, "44", True),
        (0x120B, "4402", True),
    ):
        line = json.loads(decoded(path, frame(identifier, data, extended=extended)).splitlines()[0])
        assert line["kind"] != "refused"


@pytest.mark.parametrize(
    "text", ["123#R", "123##1AA", "20000004#0004000000000000", "E0000123#00", "123#" + "00" * 9]
)
def test_lines_of_candump_that_are_no_data_frames_are_refused(path: Path, text: str) -> None:
    line = json.loads(decoded(path, f"(0.0) can0 {text}\n").splitlines()[0])
    assert line["kind"] == "refused" and line["id"] == int(text.split("#")[0], 16)


def test_both_kinds_of_lines_may_stand_in_one_recording(path: Path) -> None:
    text = "(0.0) can0 303#E5\n\n" + frame(0x301, "00", extended=False) + "  \n"
    kinds = [json.loads(line)["message"] for line in decoded(path, text).splitlines()[:-1]]
    assert kinds == ["ESTOP", "ARM"]


def test_time_may_be_left_out_so_that_encoded_lines_are_decoded(path: Path) -> None:
    (line,) = encoded(path, {"message": "ARM", "arm": False})
    assert json.loads(decoded(path, json.dumps(line)).splitlines()[0])["arm"] is False


def test_documented_lines_are_encoded(path: Path) -> None:
    drive = {"message": "DRIVE", "speed": 500, "steer": -100, "mode": 2, "flags": 0}
    assert encoded(path, {"message": "SET_CURRENT", "vesc_id": 23, "value": 51.0}, drive) == [
        {"id": 279, "extended": True, "hex": "0000c738"},
        {"id": 0x300, "extended": False, "hex": "f4019cff02000000"},
    ]


DRIVE: dict[str, object] = {"message": "DRIVE", "speed": 0, "steer": 0, "mode": 0, "flags": 0}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (DRIVE | {"speed": 1001}, "speed is 1001; it must be -1000 to 1000"),
        (DRIVE | {"steer": -1001}, "it must be -1000 to 1000"),
        (DRIVE | {"speed": 0.5}, "whole number"),
        (DRIVE | {"mode": 256}, "it must be 0 to 255"),
        ({"message": "DRIVE"}, "speed, steer, mode, flags: missing"),
        ({"message": "ARM", "arm": 1}, "true or false"),
        ({"message": "GAINS", "kp": float("nan"), "ki": 0, "kd": 0}, "not a finite number"),
        ({"message": "GAINS", "kp": 65520, "ki": 0, "kd": 0}, "too large"),
        ({"message": "SET_DUTY", "value": 0.5}, "vesc_id: missing"),
        ({"message": "SET_DUTY", "vesc_id": 256, "value": 0.5}, "vesc_id must be"),
        ({"message": "SET_DUTY", "vesc_id": -1, "value": 0.5}, "vesc_id must be"),
        ({"message": "SET_DUTY", "vesc_id": 1.5, "value": 0.5}, "vesc_id must be"),
        ({"message": "SET_DUTY", "vesc_id": True, "value": 0.5}, "vesc_id must be"),
        ({"message": "SET_DUTY", "vesc_id": "1", "value": 0.5}, "vesc_id must be"),
        ({"message": "SET_DUTY", "vesc_id": float("inf"), "value": 0.5}, "vesc_id must be"),
        ({"message": "SET_DUTY", "vesc_id": 1, "value": 30_000}, "value is 30000"),
        ({"message": "SET_DUTY", "vesc_id": 1, "value": None}, "must be a number"),
        ({"message": "PONG", "vesc_id": 1}, "to_id: missing"),
        ({"message": "PONG", "to_id": 1}, "vesc_id: missing"),
        ({"message": "PING", "vesc_id": 1}, "sender_id: missing"),
        ({"message": "TURN"}, "message 'TURN' is not known"),
        ({"message": ["DRIVE"]}, "message: missing"),
        ({"kind": "summary", "frames": 1}, "message: missing"),
        ([1], "not a JSON object"),
        (5, "not a JSON object"),
    ],
)
def test_line_that_cannot_be_encoded_is_refused(path: Path, line: object, reason: str) -> None:
    found, good = encoded(path, line, DRIVE)
    assert list(found) == ["kind", "reason"] and found["kind"] == "refused"
    assert reason in found["reason"]
    assert good["hex"] == "0000000000000000"


def test_text_that_is_no_json_is_refused_by_encode_and_ends_decode(path: Path) -> None:
    path.write_text("garbage\n" + json.dumps(DRIVE))
    run = CliRunner().invoke(app, ["can", "encode", str(path)])
    refused, good = map(json.loads, run.stdout.splitlines())
    assert run.exit_code == 0 and refused["kind"] == "refused" and good["id"] == 0x300
    run = CliRunner().invoke(app, ["can", "decode", str(path)])
    assert run.exit_code == 2 and "line 1 is not JSON" in run.stderr


@pytest.mark.parametrize(
    "line",
    [
        "[]",
        '{"id": 1}',
        '{"hex": "00"}',
        '{"id": "1", "hex": "00"}',
        '{"id": true, "hex": "00"}',
        '{"id": 1.0, "hex": "00"}',
        '{"id": 1, "hex": "0"}',
        '{"id": 1, "hex": "zz"}',
        '{"id": 1, "hex": 5}',
        '{"id": 1, "extended": 1, "hex": "00"}',
        '{"id": 1, "hex": "00", "t_us": "x"}',
        "\x00",
        '{"id": ' + "9" * 5000 + ', "hex": ""}',
        "(0.0) can0 123#0",
        "[" * 100_000,
    ],
)
def test_line_that_is_no_frame_ends_decoding_with_2(path: Path, line: str) -> None:
    path.write_text(line)
    run = CliRunner().invoke(app, ["can", "decode", str(path)])
    assert run.exit_code == 2 and "line 1" in run.stderr and "Traceback" not in run.stderr


@pytest.mark.parametrize("command", ["decode", "encode"])
def test_usage_and_file_errors_end_with_2(path: Path, command: str) -> None:
    for arguments in ([], [str(path)], [str(path.parent)], [str(path), "more"]):
        assert CliRunner().invoke(app, ["can", command, *arguments]).exit_code == 2


@pytest.mark.parametrize("command", ["decode", "encode"])
def test_standard_input_is_read_and_empty_input_is_no_error(command: str) -> None:
    run = CliRunner().invoke(app, ["can", command, "-"], input="")
    summary = '{"kind": "summary", "frames": 0, "refused": 0}\n'
    assert run.exit_code == 0 and run.stdout == (summary if command == "decode" else "")
