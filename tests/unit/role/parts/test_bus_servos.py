"""Parts on bus servos: no jump, stops, faults, will; on simulated servos."""

import itertools
import math
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from saint_services.lib.guard.ports import carry_out
from saint_services.lib.hw import will_of
from saint_services.lib.role_config.model import RoleConfig
from tests.unit.role.parts.parts_rig import PartsRig, config
from tools.sim import breaking
from tools.sim.chips import servo_bus
from tools.sim.chips.bus_servo import SimBusServo
from tools.sim.chips.servo_bus import ServoBusPeer, servo_file

PORT = "/dev/ttyACM0"
_JOINT = {"kind": "position", "unit": "deg", "limits": [-90, 90], "max_rate": 90,
          "on_loss": "hold"}  # fmt: skip
# 1024 ticks are 90 degrees.
_SERVO: dict[str, Any] = {"type": "bus_servo", "device": "arm", "ticks": [1024, 3072]}
LINES = {"arm": {"port": PORT, "driver": "feetech"}}


def servos(**changes: Any) -> RoleConfig:
    pins = {
        "pan": _SERVO | {"servo_id": 1} | changes,
        "lift": _SERVO | {"servo_id": 2, "reversed": True},
    }
    return config(dict.fromkeys(pins, _JOINT), pins, serial_devices=LINES)


class ServoRig(PartsRig):
    """The role with servos that live in its time."""

    def __init__(self, folder: Path, role: RoleConfig | None = None) -> None:
        servo_bus.monotonic_ns = lambda: int(self._now_s() * 1e9)
        self.peer = ServoBusPeer(folder / servo_file(PORT), (1, 2))
        super().__init__(folder, role or servos())

    def _now_s(self) -> float:
        return self.clock.now if hasattr(self, "clock") else 1000.0

    def servo(self, servo: int) -> SimBusServo:
        """Return a servo at the present time."""
        return self.peer.servo(servo)

    def pass_time(self, seconds: float, **values: float) -> None:
        """Command for a while, or only beat."""
        self.live(seconds, lambda: self.command(**values) if values else None)


@pytest.fixture(autouse=True)
def own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo what a rig has set."""
    monkeypatch.setattr(servo_bus, "monotonic_ns", servo_bus.monotonic_ns)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def test_nothing_has_torque_before_the_first_command(folder: Path) -> None:
    rig = ServoRig(folder)
    rig.pass_time(1.0)
    assert [rig.servo(each).get("torque_enable") for each in (1, 2)] == [0, 0]
    assert rig.state() == {"pan": 0.0, "lift": 0.0}
    rig.close()


def test_first_command_starts_where_the_servo_is(folder: Path) -> None:
    rig = ServoRig(folder)
    rig.servo(1).shaft = 1536.0  # a person has moved it to -45 degrees meanwhile
    rig.pass_time(0.5)
    assert rig.state()["pan"] == -45.0
    places = []
    for _ in range(20):
        rig.pass_time(0.02, pan=0.0)
        places.append(rig.servo(1).position)
    # 90 degrees a second are 20.5 ticks in a turn; never more than a few of them at once.
    steps = [b - a for a, b in itertools.pairwise(places)]
    assert places[0] == 1536 and max(steps) < 100 and min(steps) >= 0
    rig.pass_time(2.0, pan=0.0)  # slowly: a quarter of the rate
    assert rig.servo(1).position == 2048
    assert rig.servo(2).get("torque_enable") == 0
    rig.close()


def test_reversed_servo_turns_the_other_way(folder: Path) -> None:
    rig = ServoRig(folder)
    rig.pass_time(2.5, lift=45.0)
    assert rig.servo(2).position == 1536
    rig.close()


def test_stop_holds_where_it_is(folder: Path) -> None:
    rig = ServoRig(folder)
    rig.pass_time(0.5, pan=90.0)
    rig.estop(True, 1)
    rig.pass_time(0.2)
    place = rig.servo(1).position
    rig.pass_time(1.0)
    assert 2048 < place < 3072
    assert rig.servo(1).position == place
    assert rig.servo(1).get("torque_enable") == 1
    assert rig.session.is_safe
    rig.close()


def test_stop_of_a_limp_servo_ends_its_torque(folder: Path) -> None:
    rig = ServoRig(folder, servos(on_stop="limp"))
    rig.pass_time(0.5, pan=90.0)
    rig.estop(True, 1)
    rig.pass_time(0.2)
    assert rig.servo(1).get("torque_enable") == 0
    assert rig.session.is_safe
    rig.close()


def test_will_ends_the_torque_of_limp_servos_and_of_no_other(folder: Path) -> None:
    rig = ServoRig(folder, servos(on_stop="limp"))
    rig.pass_time(0.5, pan=90.0, lift=10.0)
    assert rig.servo(1).get("torque_enable") == 1
    will = will_of(rig.board, rig.session.config, "role-partsd")
    assert carry_out([will]) == []
    assert [rig.servo(each).get("torque_enable") for each in (1, 2)] == [0, 1]
    rig.close()


def test_will_of_servos_that_hold_writes_nothing_to_their_line(folder: Path) -> None:
    rig = ServoRig(folder)
    assert [
        w for w in will_of(rig.board, rig.session.config, "x").writes if "servos" in w.path
    ] == []
    rig.close()


def test_readings_have_position_load_and_temperature(folder: Path) -> None:
    rig = ServoRig(folder)
    rig.pass_time(1.0, pan=10.0)
    state = rig.states()[-1]
    readings = dict(zip(state.sensors, state.readings, strict=True))
    assert readings["pan_position"] == pytest.approx(10.0, abs=0.1)
    assert readings["pan_load"] == 0.0
    assert readings["lift_temperature"] == 25.0
    rig.close()


def test_servo_that_is_lost_while_commanded_is_a_fault(folder: Path) -> None:
    rig = ServoRig(folder)
    rig.pass_time(0.3, pan=10.0)
    breaking.break_device(folder, "pan", "unplug")
    rig.pass_time(1.5, pan=50.0)
    assert "arm, servo 1 does not answer" in rig.session.fault
    rig.close()


def test_servo_that_is_lost_at_rest_is_reported_and_comes_back(folder: Path) -> None:
    rig = ServoRig(folder)
    rig.pass_time(0.5)
    breaking.break_device(folder, "pan", "unplug")
    rig.pass_time(2.0)
    assert "arm, servo 1 does not answer" in rig.session.report().reason
    assert math.isnan(rig.state()["pan"])
    breaking.clear(folder)
    rig.pass_time(2.0)
    assert rig.session.report().reason == ""
    assert rig.state()["pan"] == 0.0
    rig.close()


def test_two_parts_with_one_id_are_refused_with_both_names() -> None:
    pins = {"pan": _SERVO | {"servo_id": 1}, "lift": _SERVO | {"servo_id": 1}}
    with pytest.raises(ValidationError, match="servo 1 of arm is used by pan and by lift"):
        config(dict.fromkeys(pins, _JOINT), pins, serial_devices=LINES)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"servo_id": None}, "servo_id is missing; bus_servo needs it"),
        ({"ticks": [100, 100]}, "gpio_mapping.pan.ticks is"),
        ({"ticks": [0, 4096]}, "positions 0 to 4095"),
        ({"torque_limit": 0.0}, "greater than 0"),
        ({"device": "drive"}, "a roboclaw and no feetech"),
    ],
)
def test_setting_that_does_not_fit_is_refused(change: dict[str, Any], text: str) -> None:
    lines = LINES | {"drive": {"port": "/dev/ttyACM1", "driver": "roboclaw"}}
    with pytest.raises(ValidationError, match=text):
        config({"pan": _JOINT}, {"pan": _SERVO | {"servo_id": 1} | change}, serial_devices=lines)


def test_line_of_servos_has_their_rate() -> None:
    assert servos().serial_devices["arm"].baud == 1_000_000


def test_servo_that_was_limp_starts_slowly_where_it_has_sagged(folder: Path) -> None:
    rig = ServoRig(folder, servos(on_stop="limp"))
    rig.pass_time(2.5, pan=45.0)
    assert rig.servo(1).position == 2560
    rig.estop(True, 1)
    rig.pass_time(0.2)
    rig.servo(1).shaft = 2048.0  # it has sagged to 0 degrees
    rig.pass_time(0.3)
    rig.estop(False, 2)
    rig.pass_time(0.2)
    rig.pass_time(0.5, pan=45.0)
    # A quarter of 90 degrees a second, and the torque is on only after some turns.
    assert 2048 <= rig.servo(1).position <= 2048 + 0.5 * 0.25 * 90 / 90 * 1024 + 10
    rig.pass_time(2.5, pan=45.0)
    assert rig.servo(1).position == 2560
    rig.pass_time(0.3, pan=0.0)  # it has caught up: the full rate again
    assert rig.servo(1).position == pytest.approx(2560 - 0.3 * 1024, abs=60)
    rig.close()
