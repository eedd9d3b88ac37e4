"""`arm decode`: its lines, which scripts depend on. Packets are typed by hand."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from saint_services.lib.hw.bus_servos.dialects import LineProtocol
from saint_services.saintctl.app import app
from saint_services.saintctl.arm.decode import arm_decode

PING_1 = "ffff010201fb"
PING_1_ANSWER = "ffff010200fc"
PING_1_VOLTAGE = "ffff010201fb"  # the same bytes as the ping: error 1
READ_1_POSITION = "ffff0104023802be"  # two bytes from 56 on
POSITION_2048 = "ffff0104000008f2"
SYNC_READ = "fffffe068238020102" + "3c"


def lines(text: str, path: Path, protocol: LineProtocol = LineProtocol.STS) -> list[dict[str, Any]]:
    path.write_bytes(bytes.fromhex(text))
    out = io.StringIO()
    assert arm_decode(protocol, str(path), out) == 0
    return [json.loads(line) for line in out.getvalue().splitlines()]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "bus.bin"


def test_ping_and_its_answer(file: Path) -> None:
    assert lines(PING_1 + PING_1_ANSWER, file) == [
        {"kind": "instruction", "id": 1, "instruction": "ping"},
        {"kind": "status", "id": 1, "error": 0, "data": ""},
        {"kind": "summary", "frames": 2, "rejected": 0, "discarded_bytes": 0},
    ]


def test_echo_of_a_ping_is_an_instruction_even_with_error_1(file: Path) -> None:
    found = lines(PING_1 + PING_1_VOLTAGE + PING_1_ANSWER, file)
    assert [line["kind"] for line in found[:3]] == ["instruction", "instruction", "status"]


def test_read_of_one_register_has_its_value_in_the_status(file: Path) -> None:
    request, answer, _ = lines(READ_1_POSITION + POSITION_2048, file)
    assert request == {
        "kind": "instruction", "id": 1, "instruction": "read", "address": 56, "length": 2,
    }  # fmt: skip
    assert answer == {"kind": "status", "id": 1, "error": 0, "data": "0008", "value": 2048}


def test_read_of_several_registers_has_no_value(file: Path) -> None:
    _, answer, _ = lines("ffff0104023804bc" + "ffff01060000080000f0", file)
    assert answer == {"kind": "status", "id": 1, "error": 0, "data": "00080000"}


def test_status_that_is_not_awaited_is_an_instruction(
    file: Path,
) -> None:
    short, other = "ffff01030000fb", "ffff0204000008f1"
    found = lines(READ_1_POSITION + short + other + POSITION_2048, file)
    assert found[1] == {"kind": "instruction", "id": 1, "instruction": "0x00", "data": "00"}
    assert found[2] == {"kind": "instruction", "id": 2, "instruction": "0x00", "data": "0008"}
    assert found[3]["kind"] == "status"


def test_second_answer_is_an_instruction(file: Path) -> None:
    found = lines(READ_1_POSITION + POSITION_2048 * 2, file)
    assert found[1]["kind"] == "status"
    assert found[2] == {"kind": "instruction", "id": 1, "instruction": "0x00", "data": "0008"}


def test_sync_read_is_answered_by_each_servo_in_any_order(file: Path) -> None:
    second, first = "ffff020420ff07d3", "ffff0104000008f2"
    request, *answers, _ = lines(SYNC_READ + second + first, file)
    assert request == {
        "kind": "instruction", "id": 254, "instruction": "sync_read", "address": 56, "length": 2,
        "ids": [1, 2],
    }  # fmt: skip
    assert answers == [
        {"kind": "status", "id": 2, "error": 32, "data": "ff07", "value": 2047},
        {"kind": "status", "id": 1, "error": 0, "data": "0008", "value": 2048},
    ]


def test_sync_write_has_its_data_by_servo_and_nobody_answers(file: Path) -> None:
    written, stray, _ = lines("fffffe0a832a02010008020004" + "39" + PING_1_ANSWER, file)
    assert written == {
        "kind": "instruction", "id": 254, "instruction": "sync_write", "address": 42, "length": 2,
        "data": {"1": "0008", "2": "0004"},
    }  # fmt: skip
    assert stray["instruction"] == "0x00"


def test_write_has_its_value_with_the_sign_of_the_register(file: Path) -> None:
    # The homing offset's sign is bit 11: 0x0805 is -5, low byte first.
    (line, answer, _) = lines("ffff0105031f0508ca" + PING_1_ANSWER, file)
    assert line == {
        "kind": "instruction", "id": 1, "instruction": "write", "address": 31, "data": "0508",
        "value": -5,
    }  # fmt: skip
    assert answer == {"kind": "status", "id": 1, "error": 0, "data": ""}


def test_scs_numbers_begin_with_the_high_byte_and_have_no_sign(file: Path) -> None:
    found = lines(READ_1_POSITION + "ffff0104008305" + "72", file, LineProtocol.SCS)
    assert found[1]["value"] == 0x8305
    assert lines(READ_1_POSITION + "ffff010400058372", file)[1]["value"] == -0x0305


def test_action_reg_write_and_reset(file: Path) -> None:
    text = "ffff0104042801cd" + PING_1_ANSWER + "fffffe0205fa" + "ffff010206f6"
    found = [line for line in lines(text, file) if line["kind"] == "instruction"]
    assert found[0] == {
        "kind": "instruction", "id": 1, "instruction": "reg_write", "address": 40, "data": "01",
        "value": 1,
    }  # fmt: skip
    assert found[1] == {"kind": "instruction", "id": 254, "instruction": "action"}
    assert found[2] == {"kind": "instruction", "id": 1, "instruction": "reset"}


def test_known_instruction_with_parameters_that_do_not_fit_has_data(file: Path) -> None:
    assert lines("ffff01030238c1", file)[0] == {
        "kind": "instruction", "id": 1, "instruction": "read", "data": "38",
    }  # fmt: skip


def test_every_servo_answers_a_ping_of_all_once(file: Path) -> None:
    found = lines("fffffe0201fe" + PING_1_ANSWER + "ffff020200fb" + PING_1_ANSWER, file)
    assert [line["kind"] for line in found[:4]] == [
        "instruction",
        "status",
        "status",
        "instruction",
    ]


def test_after_a_broken_packet_the_search_goes_on_one_byte_later(file: Path) -> None:
    # A header that claims 32 bytes stands before a good packet.
    *packets, summary = lines("ffff0120" + PING_1 + "00" * 30, file)
    assert [line["instruction"] for line in packets] == ["ping"]
    assert summary == {"kind": "summary", "frames": 1, "rejected": 1, "discarded_bytes": 34}


def test_packet_behind_a_false_start_at_the_end_is_found(file: Path) -> None:
    *packets, summary = lines("ffff01f0" + PING_1, file)
    assert [line["instruction"] for line in packets] == ["ping"]
    assert summary == {"kind": "summary", "frames": 1, "rejected": 0, "discarded_bytes": 4}


def test_wrong_checksum_is_rejected_once(file: Path) -> None:
    (summary,) = lines("ffff010201fa", file)
    assert summary == {"kind": "summary", "frames": 0, "rejected": 1, "discarded_bytes": 6}


def test_more_than_two_header_bytes_are_discarded(file: Path) -> None:
    *packets, summary = lines("ffff" + PING_1, file)
    assert len(packets) == 1 and summary["discarded_bytes"] == 2


def test_command_line_reads_standard_input_and_refuses_a_missing_file() -> None:
    found = CliRunner().invoke(app, ["arm", "decode", "-"], input=bytes.fromhex(PING_1))
    assert found.exit_code == 0
    assert json.loads(found.stdout.splitlines()[0])["instruction"] == "ping"
    assert CliRunner().invoke(app, ["arm", "decode", "/missing"]).exit_code == 2
    assert CliRunner().invoke(app, ["arm", "decode", "--protocol", "dxl", "-"]).exit_code == 2
