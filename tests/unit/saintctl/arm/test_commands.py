"""`arm status`, `setup` and `calibrate` on simulated servos behind a pseudo terminal."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from saint_services.lib.hw.feetech.calibration import RangeRecorder
from saint_services.saintctl.app import app
from saint_services.saintctl.arm import servos
from tools.sim.servo_pty import ServoPty, simulated


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServoPty]:
    line = simulated(tmp_path, (1, 2))
    yield line
    line.unplug()
    line.peer.close()


def run(*words: str, typed: str = "") -> tuple[int, str]:
    found = CliRunner().invoke(app, ["arm", *words], input=typed)
    return found.exit_code, found.output


def test_status_lists_the_servos(line: ServoPty) -> None:
    code, text = run("status", str(line.port), "--most", "3", "--json")
    assert code == 0
    found = json.loads(text)["servos"]
    assert [each["id"] for each in found] == [1, 2]
    assert found[0] | {"temperature_c": 25} == {
        "id": 1, "model": "STS3215", "position": 2048, "load": 0.0, "voltage_v": 7.4,
        "temperature_c": 25, "has_torque": False, "homing_offset": 0,
    }  # fmt: skip


def test_status_of_a_line_that_is_missing_is_a_hardware_fault() -> None:
    assert run("status", "/dev/ttyMISSING")[0] == 3


def test_calibration_is_in_the_servos_and_in_the_file(
    line: ServoPty, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with line.lock:
        line.peer.servo(1).shaft = 1000.0

    def moved(setup: object, motors: dict[str, int]) -> dict[str, RangeRecorder]:
        found = {name: RangeRecorder(2047) for name in motors}
        for each in found.values():
            for ticks in (900, 2047, 3100):
                each.saw(ticks)
        return found

    monkeypatch.setattr(servos, "record", moved)
    file = tmp_path / "arm.json"
    words = ("--motor", "pan=1", "--motor", "gripper=2")
    code, text = run("calibrate", str(line.port), str(file), *words, typed="\n")
    assert code == 0, text
    assert json.loads(file.read_text())["pan"] == {
        "id": 1, "drive_mode": 0, "homing_offset": -1047, "range_min": 900, "range_max": 3100,
    }  # fmt: skip
    with line.lock:
        servo = line.peer.servo(1)
        servo.power_up()
        assert (servo.position, servo.get("max_position"), servo.get("lock")) == (2047, 3100, 1)
    with line.lock:
        line.peer.servo(2).put("max_position", 1)
    assert run("calibrate", str(line.port), str(file), "--restore")[0] == 0
    with line.lock:
        assert line.peer.servo(2).get("max_position") == 3100


def test_motor_without_an_id_is_a_usage_error(line: ServoPty, tmp_path: Path) -> None:
    assert run("calibrate", str(line.port), str(tmp_path / "a"), "--motor", "pan")[0] == 2


def test_setup_of_a_line_with_two_servos_is_refused(
    line: ServoPty, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Looking for all 253 ids takes five seconds.
    scan = servos.ServoSetup.scan
    monkeypatch.setattr(servos.ServoSetup, "scan", lambda self: scan(self, range(4)))
    code, text = run("setup", str(line.port), "--id", "5")
    assert code == 5 and "servos 1, 2 answer" in text
    with line.lock:
        line.peer.servos.pop()
        line.peer.servo(1).put("baud_rate", 1)
    assert run("setup", str(line.port), "--id", "2")[0] == 0
    with line.lock:
        assert (line.peer.servo(2).baud, line.peer.servo(2).get("lock")) == (1_000_000, 1)


def test_parts_of_a_calibration_are_a_configuration(tmp_path: Path) -> None:
    file = tmp_path / "arm.json"
    motor = {"id": 1, "drive_mode": 0, "homing_offset": -85, "range_min": 748, "range_max": 3346}
    file.write_text(json.dumps({"shoulder_pan": motor}))
    code, text = run("parts", str(file))
    assert code == 0
    assert yaml.safe_load(text) == {
        "fields": {"shoulder_pan": {"limits": [-114.1978, 114.1978]}},
        "gpio_mapping": {
            "shoulder_pan": {
                "type": "bus_servo", "device": "arm", "servo_id": 1, "ticks": [748, 3346],
                "homing_offset": -85,
            }
        },
    }  # fmt: skip
    assert run("parts", str(tmp_path / "missing"))[0] == 2
