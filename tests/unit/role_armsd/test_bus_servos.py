"""An arm whose joints are bus servos: the same commands, measured positions."""

from pathlib import Path

import pytest

from saint_services.lib.generated.saint_msgs import ArmCommand
from saint_services.lib.generated.topics import ARM_CMD, ARM_JOINT_STATES
from saint_services.lib.role_config.model import RoleConfig
from tests.unit.role.role_rig import Rig, load_role
from tools.sim import view
from tools.sim.chips import servo_bus
from tools.sim.chips.servo_bus import ServoBusPeer, servo_file

PORT = "/dev/ttyACM0"


def arm() -> RoleConfig:
    """Return the shipped arm on servos 1 to 7 of a line."""
    shipped = load_role("arms_left").model_dump(exclude_defaults=True)
    names = [name for name, each in shipped["fields"].items() if each["kind"] == "position"]
    shipped["gpio_mapping"] = {
        name: {"type": "bus_servo", "device": "arm", "servo_id": number}
        for number, name in enumerate(names, 1)
    }
    shipped["serial_devices"] = {"arm": {"port": PORT, "driver": "feetech"}}
    shipped["i2c_devices"] = {}
    for key in ("collision_limits", "homing", "grip", "body"):
        shipped.pop(key, None)
    return RoleConfig.model_validate(shipped)


@pytest.fixture
def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rig:
    now = {"s": lambda: 1000.0}
    monkeypatch.setattr(servo_bus, "monotonic_ns", lambda: int(now["s"]() * 1e9))
    rig = Rig(tmp_path, "arms_left", arm())
    now["s"] = rig.clock.time
    rig.beat()
    return rig


def test_arm_moves_its_servos_and_reports_where_they_are(rig: Rig, tmp_path: Path) -> None:
    command = ArmCommand(target_positions=[10.0, 0.0, 0.0, 0.0, 0.0, 0.0], speed_factor=1.0)
    topic = ARM_CMD.at(instance="left")
    rig.live(0.5, lambda: None)
    rig.live(1.5, lambda: rig.send(topic, command))
    peer = ServoBusPeer(tmp_path / servo_file(PORT))
    # The field has 340 degrees for 4095 positions.
    assert peer.servo(1).position == pytest.approx(2047.5 + 10 * 4095 / 340, abs=1)
    peer.close()
    states = rig.bus.sent[ARM_JOINT_STATES.at(instance="left").name]
    assert states[-1].position[0] == pytest.approx(0.1745, abs=0.002)
    shown = {each.name: each for each in view.bodies(tmp_path)}
    assert shown["joint_0"].kind == "bus_servo"
    rig.close()
