"""`saintctl arm` with Dynamixels behind a pseudo terminal, and the lines of `arm decode`."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from saint_services.lib.hw.bus_servos.dialects import LineProtocol
from saint_services.lib.hw.dynamixel import packets
from saint_services.lib.hw.feetech.calibration import RangeRecorder
from saint_services.saintctl.app import app
from saint_services.saintctl.arm import servos
from saint_services.saintctl.arm.decode import arm_decode
from tools.sim.faults import Fault, FaultSwitch
from tools.sim.servo_pty import ServoPty, simulated


@pytest.fixture
def line(tmp_path: Path) -> Iterator[ServoPty]:
    line = simulated(tmp_path, (1, 2), "x")
    yield line
    line.unplug()
    line.peer.close()


def run(*words: str, typed: str = "") -> tuple[int, str]:
    found = CliRunner().invoke(app, ["arm", *words], input=typed)
    return found.exit_code, found.output


def recorded(*places: int) -> object:
    def moved(setup: object, motors: dict[str, int]) -> dict[str, RangeRecorder]:
        found = {name: RangeRecorder(places[0]) for name in motors}
        for each in found.values():
            for ticks in places:
                each.saw(ticks)
        return found

    return moved


def test_status_lists_the_servos(line: ServoPty) -> None:
    code, text = run("status", str(line.port), "--protocol", "x", "--most", "3", "--json")
    assert code == 0
    found = json.loads(text)["servos"]
    assert [each["id"] for each in found] == [1, 2]
    assert found[0] | {"temperature_c": 25} == {
        "id": 1, "model": "XM430-W350", "position": 2048, "load": 0.0, "voltage_v": 12.0,
        "temperature_c": 25, "has_torque": False, "homing_offset": 0,
    }  # fmt: skip


def test_restart_ends_a_shutdown(line: ServoPty) -> None:
    line.peer.switches = lambda: {1: FaultSwitch(Fault.HOT, 90.0)}
    with line.lock:
        line.peer.servo(1)
    line.peer.switches = dict
    with line.lock:
        assert line.peer.servo(1).get("hardware_error") == 4
    code, text = run("restart", str(line.port), "--id", "1")
    assert (code, text.strip()) == (0, "Servo 1 has started again, without torque.")
    with line.lock:
        assert line.peer.servo(1).get("hardware_error") == 0


def test_calibration_is_ranges_alone(
    line: ServoPty, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with line.lock:
        line.peer.servo(1).put("homing_offset", 700)
    monkeypatch.setattr(servos, "record", recorded(900, 2047, 3100))
    file = tmp_path / "arm.json"
    words = ("--protocol", "x", "--motor", "pan=1")
    code, text = run("calibrate", str(line.port), str(file), *words, typed="\n\n")
    assert code == 0, text
    assert "middle" not in text
    assert json.loads(file.read_text()) == {
        "pan": {"id": 1, "drive_mode": 0, "homing_offset": 0, "range_min": 900, "range_max": 3100}
    }
    with line.lock:
        names = ("homing_offset", "min_position", "max_position")
        assert [line.peer.servo(1).get(name) for name in names] == [0, 900, 3100]
    code, text = run("calibrate", str(line.port), str(file), "--protocol", "x", "--restore")
    assert code == 0, text


def test_range_over_the_seam_says_to_turn_the_horn(
    line: ServoPty, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servos, "record", recorded(3900, 4090, 5, 200))
    words = ("--protocol", "x", "--motor", "pan=1")
    code, text = run("calibrate", str(line.port), str(tmp_path / "a"), *words, typed="\n\n")
    assert code != 0
    assert "Turn its horn" in " ".join(text.split())


def test_offset_that_a_dynamixel_does_not_apply_is_refused(line: ServoPty, tmp_path: Path) -> None:
    file = tmp_path / "arm.json"
    motor = {"id": 1, "drive_mode": 0, "homing_offset": 1500, "range_min": 900, "range_max": 3100}
    file.write_text(json.dumps({"pan": motor}))
    code, text = run("calibrate", str(line.port), str(file), "--protocol", "x", "--restore")
    assert code != 0
    assert "pan has the offset 1500" in " ".join(text.split())


def test_lines_of_a_recording(tmp_path: Path) -> None:
    file = tmp_path / "bus.bin"
    sent = (
        packets.ping(1),
        packets.status(1, 0, bytes((0xFC, 3, 48))),
        packets.read(1, 132, 4),
        packets.status(1, 0x80, bytes((0, 8, 0, 0))),
        packets.write(1, 116, bytes(4)),
        packets.status(1, packets.XRefusal.LIMIT),
        packets.sync_write(64, {1: b"\0", 2: b"\0"}),
    )
    file.write_bytes(b"".join(packet.encoded() for packet in sent))
    out = io.StringIO()
    assert arm_decode(LineProtocol.X, str(file), out) == 0
    place = {"address": 132, "length": 4}
    assert [json.loads(line) for line in out.getvalue().splitlines()] == [
        {"kind": "instruction", "id": 1, "instruction": "ping"},
        {"kind": "status", "id": 1, "error": 0, "alert": False, "data": "fc0330"},
        {"kind": "instruction", "id": 1, "instruction": "read"} | place,
        {"kind": "status", "id": 1, "error": 128, "alert": True, "data": "00080000", "value": 2048},
        {
            "kind": "instruction", "id": 1, "instruction": "write", "address": 116, "length": 4,
            "data": "00000000", "value": 0,
        },
        {"kind": "status", "id": 1, "error": 6, "refused": "limit", "alert": False, "data": ""},
        {
            "kind": "instruction", "id": 254, "instruction": "sync_write", "address": 64,
            "length": 1, "ids": [1, 2], "data": {"1": "00", "2": "00"},
        },
        {"kind": "summary", "frames": 7, "rejected": 0, "discarded_bytes": 0},
    ]  # fmt: skip
