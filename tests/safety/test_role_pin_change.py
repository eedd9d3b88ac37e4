"""A changed pin of one part does not move another one: the role opens its drivers again, and the
servo beside it keeps the pulse that it has, in every write to its chip, until it is commanded.
"""

from pathlib import Path

import pytest

from tests.unit.role.parts.parts_rig import FIELDS, PINS, PartsRig, config
from tools.sim.chips.outputs import Pca9685Chip

BEFORE = config()
AFTER = config(FIELDS, PINS | {"relay": PINS["relay"] | {"pin": 16}})


def test_servo_beside_a_part_whose_pin_changes_does_not_twitch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = PartsRig(tmp_path, BEFORE)
    rig.hold(0.6, brow=20.0, relay=1.0)
    rig.hold(0.2, brow=20.0, relay=0.0)
    assert rig.session.is_safe  # the node waits for that
    pulse_us = rig.channels()[0]
    assert pulse_us > 1800.0  # 20 degrees of 30
    seen: list[float] = []
    write = Pca9685Chip.write

    def watched(chip: Pca9685Chip, data: bytes) -> None:
        write(chip, data)
        seen.append(chip.output(0).value)

    monkeypatch.setattr(Pca9685Chip, "write", watched)
    rig.close()
    again = PartsRig(tmp_path, AFTER)
    again.hold(0.5)
    assert again.channels()[0] == pulse_us
    again.hold(0.2, brow=20.0, valve=1.0)
    assert again.state()["brow"] == pytest.approx(20.0, abs=0.2)
    assert again.channels()[0] == pytest.approx(pulse_us, abs=5.0)  # a step of the chip
    assert seen
    assert max(abs(each - pulse_us) for each in seen) <= 5.0
    again.close()


def test_motor_of_another_role_goes_on_while_a_role_changes_its_pins(tmp_path: Path) -> None:
    """Two roles of one node have their own processes: the pulses of one do not pass the other."""
    wheel = {"kind": "velocity", "unit": "ratio", "limits": [-1, 1], "max_rate": 100,
             "on_loss": "ramp_to_zero"}  # fmt: skip
    motor = {"type": "hbridge", "pin": 12, "direction_pin": 5, "frequency": 20000}
    driving = config({"wheel": wheel}, {"wheel": motor}, i2c_devices={}, spi_devices={})
    rig = PartsRig(tmp_path, driving)
    rig.hold(0.3, wheel=0.5)
    duty = rig.pin(12).value
    assert duty == pytest.approx(0.5, abs=0.01)
    switch = {"lamp": {"kind": "switch"}}
    for pin in (6, 16):
        beside = PartsRig(
            tmp_path,
            config(
                switch, {"lamp": {"type": "switch", "pin": pin}}, i2c_devices={}, spi_devices={}
            ),
        )
        rig.hold(0.05, wheel=0.5)
        assert rig.pin(12).value == duty
        beside.close()
        rig.hold(0.05, wheel=0.5)
        assert rig.pin(12).value == duty
    rig.close()
