"""An arm whose joints are Dynamixels: the same commands, measured positions, named faults."""

from pathlib import Path

import pytest

from saint_services.lib.generated.saint_msgs import ArmCommand
from saint_services.lib.generated.topics import ARM_CMD, ARM_JOINT_STATES, ARM_STATE
from saint_services.lib.hw import will_of
from saint_services.lib.role_config.model import RoleConfig
from tests.unit.role.role_rig import Rig
from tests.unit.role_armsd.test_bus_servos import PORT
from tests.unit.role_armsd.test_bus_servos import arm as arm_of_feetech
from tools.sim import view
from tools.sim.board import SimBoard
from tools.sim.chips import servo_bus
from tools.sim.chips.servo_bus import servo_file
from tools.sim.chips.x_bus import XBusPeer

TOPIC = ARM_CMD.at(instance="left")
COMMAND = ArmCommand(target_positions=[10.0, 0.0, 0.0, 0.0, 0.0, 0.0], speed_factor=1.0)


def arm(on_stop: str = "hold") -> RoleConfig:
    """Return the shipped arm on Dynamixels 1 to 7 of a line."""
    plain = arm_of_feetech().model_dump(exclude_defaults=True)
    plain["serial_devices"] = {"arm": {"port": PORT, "driver": "dynamixel"}}
    for pin in plain["gpio_mapping"].values():
        pin["on_stop"] = on_stop
    return RoleConfig.model_validate(plain)


@pytest.fixture
def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rig:
    now = {"s": lambda: 1000.0}
    monkeypatch.setattr(servo_bus, "monotonic_ns", lambda: int(now["s"]() * 1e9))
    rig = Rig(tmp_path, "arms_left", arm())
    now["s"] = rig.clock.time
    rig.beat()
    return rig


def test_arm_moves_its_dynamixels_and_reports_where_they_are(rig: Rig, tmp_path: Path) -> None:
    rig.live(0.5, lambda: None)
    rig.live(1.5, lambda: rig.send(TOPIC, COMMAND))
    peer = XBusPeer(tmp_path / servo_file(PORT, "x"))
    # The field has 340 degrees for 4095 positions.
    assert peer.servo(1).position == pytest.approx(2047.5 + 10 * 4095 / 340, abs=1)
    assert peer.servo(1).get("bus_watchdog") == 25
    peer.close()
    states = rig.bus.sent[ARM_JOINT_STATES.at(instance="left").name]
    assert states[-1].position[0] == pytest.approx(0.1745, abs=0.002)
    shown = {each.name: each for each in view.bodies(tmp_path)}
    assert shown["joint_0"].kind == "bus_servo"
    rig.close()


def test_shutdown_of_a_dynamixel_is_a_fault_of_the_arm(rig: Rig, tmp_path: Path) -> None:
    rig.live(0.5, lambda: None)
    rig.live(1.0, lambda: rig.send(TOPIC, COMMAND))
    peer = XBusPeer(tmp_path / servo_file(PORT, "x"))
    peer.servo(1).put("max_temperature", 20)  # it is warmer than that
    rig.live(1.0, lambda: rig.send(TOPIC, COMMAND))
    assert peer.servo(1).get("torque_enable") == 0
    peer.close()
    state = rig.bus.sent[ARM_STATE.at(instance="left").name][-1]
    assert state.error_state
    assert "it has no torque until it is restarted" in state.error_message
    rig.close()


def test_will_of_limp_dynamixels_ends_their_torque(tmp_path: Path) -> None:
    config = arm("limp")
    board = SimBoard(tmp_path)
    board.prepare(config)
    will = will_of(board, config, "role-armsd")
    sent = [write.data.hex() for write in will.writes if any(write.data)]
    assert len(sent) == 2 and sent[0] == sent[1]  # sent again behind answers on the wire
    assert sent[0].startswith("fffffd00fe1500" + "83" + "40000100" + "0100" + "0200")
    assert not will_of(board, arm(), "role-armsd").writes
    board.close()


@pytest.mark.parametrize(
    ("device", "pin", "text"),
    [
        ({"protocol": "sts"}, {}, "protocol is sts; servos of a dynamixel line speak x"),
        (
            {"driver": "feetech", "protocol": "x"},
            {},
            "protocol is x; servos of a feetech line speak sts or scs",
        ),
        ({}, {"servo_id": 253}, "servo_id is 253; a Dynamixel has 0 to 252"),
        ({}, {"homing_offset": -1500}, "homing_offset is -1500; a Dynamixel that holds"),
        ({}, {"ticks": [0, 4096]}, "name two of the positions 0 to 4095"),
    ],
)
def test_what_no_dynamixel_can_do_is_refused(
    device: dict[str, str], pin: dict[str, object], text: str
) -> None:
    plain = arm().model_dump(exclude_defaults=True)
    plain["serial_devices"]["arm"] |= device
    plain["gpio_mapping"]["joint_0"] |= pin
    with pytest.raises(ValueError, match=text):
        RoleConfig.model_validate(plain)
