"""`teleop decode` and `teleop encode`: their lines, which scripts depend on."""

import io
import json
import struct
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from saint_services.lib.errors import SaintError
from saint_services.saintctl.app import app
from saint_services.saintctl.teleop.decode import teleop_decode, teleop_encode

WALK = "020000003f00000000000080be010100"
STATE = struct.pack(
    "<QI3B12f12f3f3fffB", 5, 6, 5, 1, 0, *[0.5] * 12, *[0.25] * 12, 0, 0, 1, 0, 0, -1, 0.5, 48, 87
).hex()


def decoded(path: Path, struct: str, *hexes: str) -> list[str]:
    file = path / "recording"
    file.write_text("".join(json.dumps({"t_us": 0, "hex": each}) + "\n" for each in hexes))
    out = io.StringIO()
    assert teleop_decode(struct, str(file), out) == 0
    return out.getvalue().splitlines()


def encoded(path: Path, *lines: object) -> list[dict[str, Any]]:
    file = path / "lines"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    out = io.StringIO()
    assert teleop_encode(str(file), out) == 0
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_command_is_printed_byte_for_byte(tmp_path: Path) -> None:
    assert decoded(tmp_path, "command", WALK) == [
        '{"kind": "command", "mode": 2, "vx": 0.5, "vy": 0.0, "vyaw": -0.25, "gait_mode": 1, '
        '"enable": 1, "e_stop": 0}'
    ]


def test_state_is_printed_byte_for_byte(tmp_path: Path) -> None:
    positions, speeds = ", ".join(["0.5"] * 12), ", ".join(["0.25"] * 12)
    assert decoded(tmp_path, "state", STATE) == [
        '{"kind": "state", "timestamp_us": 5, "sequence": 6, "mode": 5, "motors_enabled": 1, '
        f'"emergency_stop": 0, "joint_pos": [{positions}], "joint_vel": [{speeds}], '
        '"base_ang_vel": [0.0, 0.0, 1.0], "projected_gravity": [0.0, 0.0, -1.0], '
        '"gait_phase": 0.5, "battery_voltage": 48.0, "battery_percent": 87}'
    ]


@pytest.mark.parametrize(("kind", "data"), [("command", WALK), ("state", STATE)])
def test_printed_line_is_encoded_to_the_same_bytes(tmp_path: Path, kind: str, data: str) -> None:
    (line,) = decoded(tmp_path, kind, data)
    assert encoded(tmp_path, json.loads(line)) == [{"hex": data}]


def test_wrong_size_mode_and_numbers_are_refused(tmp_path: Path) -> None:
    for kind, data in (
        ("command", WALK[:-2]),
        ("command", WALK + "00"),
        ("command", ""),
        ("command", "03" + WALK[2:]),
        ("command", "05" + WALK[2:]),
        ("command", WALK[:2] + "0000c07f" + WALK[10:]),
        ("state", STATE[:-2]),
        ("state", STATE[:24] + "04" + STATE[26:]),
        ("state", STATE[:30] + "0000807f" + STATE[38:]),
    ):
        (text,) = decoded(tmp_path, kind, data)
        line = json.loads(text)
        assert list(line) == ["kind", "reason"] and line["kind"] == "refused" and line["reason"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"mode": 5}, "mode is 5"),
        ({"vx": float("nan")}, "not a finite number"),
        ({"vx": 1e39}, "too large"),
        ({"vx": "fast"}, "must be a number"),
        ({"enable": 256}, "0 to 255"),
        ({"kind": "order"}, "kind must be command or state"),
        ({"kind": ["command"]}, "kind must be command or state"),
        ({"kind": "state"}, "missing"),
    ],
)
def test_line_that_cannot_be_encoded_is_refused(
    tmp_path: Path, change: dict[str, object], reason: str
) -> None:
    good = json.loads(decoded(tmp_path, "command", WALK)[0])
    refused, after = encoded(tmp_path, good | change, good)
    assert refused["kind"] == "refused" and reason in refused["reason"]
    assert after == {"hex": WALK}


def test_list_of_another_length_is_refused(tmp_path: Path) -> None:
    state = json.loads(decoded(tmp_path, "state", STATE)[0])
    for wrong in ([0.0] * 11, [0.0] * 13, 0.0, {}, "x" * 12):
        (line,) = encoded(tmp_path, state | {"joint_pos": wrong})
        assert line["reason"] == "joint_pos must be a list of 12 numbers"


def test_exit_codes(tmp_path: Path) -> None:
    with pytest.raises(SaintError, match="struct 'order' is not known"):
        teleop_decode("order", str(tmp_path), io.StringIO())
    run = CliRunner().invoke(app, ["teleop", "encode", "-"], input="garbage\n")
    assert run.exit_code == 0 and json.loads(run.stdout)["kind"] == "refused"
    for arguments, given, code in (
        (["decode", "--struct", "command", "-"], '{"hex": "00"}', 0),
        (["decode", "--struct", "command", "-"], "", 0),
        (["decode", "--struct", "order", "-"], "", 2),
        (["decode", "-"], "", 2),
        (["decode", "--struct", "state", "-"], "garbage", 2),
        (["decode", "--struct", "state", "-"], '{"hex": "0"}', 2),
        (["decode", "--struct", "state", "-"], '{"t_us": 0}', 2),
        (["decode", "--struct", "state", str(tmp_path / "none")], "", 2),
        (["encode", str(tmp_path / "none")], "", 2),
    ):
        assert CliRunner().invoke(app, ["teleop", *arguments], input=given).exit_code == code
