"""Real LeRobot drives the simulated servos (`make test-lerobot` fetches it): it calibrates a leader
and a follower, teleoperates, and our driver agrees with it register for register.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.hw.bus_servos.setup import ServoSetup
from saint_services.lib.hw.buses.serial import open_serial
from saint_services.lib.hw.feetech import calibration
from saint_services.lib.hw.feetech.dialect import FeetechDialect
from saint_services.lib.hw.feetech.registers import REGISTERS, Series
from saint_services.lib.role_config.devices import PinSpec
from saint_services.lib.role_config.lead import Lead
from saint_services.role_leaderd.logic import scale_of
from tests.unit.sim.lerobot_peer import RECORDING
from tests.waiting import block_until
from tools.sim.servo_pty import ServoPty, simulated

ROOT = Path(__file__).resolve().parents[3]
LIB = ROOT / "build" / "lerobot" / "lib"
IDS = calibration.SO_ARM
LEAD = Lead(targets=["parts.follower"])
# Registers that change by themselves between two readings, or are LeRobot's second name for one.
_LIVE = ("Present_", "Moving", "Status", "Goal_Position_2", "Lock")

if not (LIB / "lerobot").is_dir():
    pytest.skip("LeRobot is not here: make test-lerobot", allow_module_level=True)


class Peer:
    """LeRobot's process. `hand` is called with each prompt: it moves the arm, then comes ENTER."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "tests.unit.sim.lerobot_peer", str(LIB), str(folder)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        assert self._read() == {"ready": True}

    def do(
        self, what: str, hand: Callable[[str], None] = lambda _: None, **params: Any
    ) -> dict[str, Any]:
        self._write(json.dumps({"do": what, **params}))
        while "prompt" in (found := self._read()):
            hand(found["prompt"])
            self.enter()
        assert "reply" in found, found
        reply: dict[str, Any] = found["reply"]
        return reply

    def enter(self) -> None:
        self._write("")

    def _write(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        assert line, "LeRobot ended"
        found: dict[str, Any] = json.loads(line)
        return found

    def close(self) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()


class Arm:
    """An arm of six servos. The middle of each joint is elsewhere, so offsets differ."""

    def __init__(self, folder: Path, shift: int) -> None:
        folder.mkdir()
        self.line: ServoPty = simulated(folder, IDS.values())
        self.shift = shift
        self.port = str(folder / "port")

    def middle(self, name: str) -> float:
        return 2048.0 + self.shift * IDS[name]

    def move(self, share: float) -> None:
        """Turn every joint by hand, from -1 to 1 of 1000 positions."""
        with self.line.lock:
            for name, servo in IDS.items():
                self.line.peer.servo(servo).shaft = self.middle(name) + 1000.0 * share

    def calibrate(self, peer: Peer, kind: str) -> dict[str, Any]:
        """Have LeRobot calibrate it: the hand holds its middle, then moves through the ranges."""
        self.move(0.0)

        def hand(prompt: str) -> None:
            for share in (0.0, -1.0, 0.0, 1.0, 0.2) if prompt == RECORDING else ():
                self.move(share)
                before = self.line.peer.packets
                block_until(lambda n=before: self.line.peer.packets > n + 3)

        return peer.do("connect", hand, kind=kind, port=self.port)

    def close(self) -> None:
        self.line.unplug()
        self.line.peer.close()


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Peer]:
    found = Peer(tmp_path / "calibration")
    yield found
    found.close()


@pytest.fixture
def follower(tmp_path: Path) -> Iterator[Arm]:
    arm = Arm(tmp_path / "follower", 13)
    yield arm
    arm.close()


@pytest.fixture
def leader(tmp_path: Path) -> Iterator[Arm]:
    arm = Arm(tmp_path / "leader", -29)
    yield arm
    arm.close()


def ours(arm: Arm) -> dict[str, dict[str, int]]:
    """Read all registers by our own driver."""
    port = open_serial(arm.port, 1_000_000)
    setup = ServoSetup(port, FeetechDialect(Series.STS), "test")
    found = {
        name: {each: setup.get(servo, each) for each in REGISTERS[Series.STS]}
        for name, servo in IDS.items()
    }
    port.close()
    return found


def test_calibration_of_lerobot_is_ours(peer: Peer, follower: Arm) -> None:
    reply = follower.calibrate(peer, "follower")
    assert reply["is_calibrated"]
    peer.do("disconnect")
    file = Path(reply["file"])
    found = calibration.read(file.read_bytes(), str(file))
    registers = ours(follower)
    assert list(found) == list(IDS)
    for name, motor in found.items():
        actual = round(follower.middle(name))
        assert motor.homing_offset == calibration.homing_offset(actual), name
        assert motor.homing_offset == registers[name]["homing_offset"], name
        assert motor.range_min == registers[name]["min_position"], name
        assert motor.range_max == registers[name]["max_position"], name
    reached = found["elbow_flex"]
    assert reached.range_min == pytest.approx(2047 - 1000, abs=1)
    assert reached.range_max == pytest.approx(2047 + 1000, abs=1)
    assert json.loads(calibration.written(found)) == json.loads(file.read_text())


def test_every_register_has_one_place_and_one_value(peer: Peer, follower: Arm) -> None:
    follower.calibrate(peer, "follower")
    theirs = peer.do("registers", kind="follower")
    peer.do("disconnect")
    places = {(each.address, each.size): name for name, each in REGISTERS[Series.STS].items()}
    own = ours(follower)
    compared = 0
    for name, place in theirs["table"].items():
        assert tuple(place) in places, f"{name} at {place} is none of our registers"
        if name.startswith(_LIVE) or name == "Torque_Enable":  # off after disconnecting
            continue
        for motor in IDS:
            assert theirs["values"][motor][name] == own[motor][places[tuple(place)]], (motor, name)
            compared += 1
    assert compared == 6 * 43


def test_teleoperated_follower_is_where_its_leader_is(
    peer: Peer, follower: Arm, leader: Arm
) -> None:
    files = {
        "follower": follower.calibrate(peer, "follower")["file"],
        "leader": leader.calibrate(peer, "leader")["file"],
    }
    leader.move(0.4)
    found: dict[str, Any] = {}

    def has_arrived() -> bool:
        found.update(peer.do("teleoperate", turns=20))
        pairs = [(found["action"][key], found["observation"][key]) for key in found["action"]]
        return all(abs(a - b) < 0.5 for a, b in pairs)

    block_until(has_arrived, 30.0)
    pose = peer.do("pose", kind="leader")
    peer.do("disconnect")
    motors = calibration.read(Path(files["leader"]).read_bytes(), "leader")
    for name, motor in motors.items():
        ticks = pose["raw"][name]
        pin = PinSpec(
            type="bus_servo", device="arm", servo_id=motor.id,
            ticks=(motor.range_min, motor.range_max), homing_offset=motor.homing_offset,
        )  # fmt: skip
        value = scale_of(name, pin, LEAD).value(ticks)
        value = value * 100.0 if name == "gripper" else value
        assert value == pytest.approx(pose["values"][name], abs=0.01), name
        assert found["action"][f"{name}.pos"] == pytest.approx(value, abs=0.01), name
