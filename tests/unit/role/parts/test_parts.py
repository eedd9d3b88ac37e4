"""Every kind of part on simulated pins, chips and strips: what a command does at the wire."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from saint_services.lib.role_config.model import RoleConfig
from tests.unit.role.parts.parts_rig import ALL, FIELDS, PINS, PartsRig, config
from tests.unit.role.role_rig import UNKNOWN
from tools.sim.chips.spi import read_lights

_STEP_US = 5.0  # of a PCA9685 at 50 Hz, rounded up


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[PartsRig]:
    found = PartsRig(tmp_path)
    yield found
    found.close()


def test_everything_rests_after_opening(rig: PartsRig) -> None:
    assert rig.live_outputs == []
    assert rig.pin(6).value == 1.0  # high is the rest of a relay that is active low
    assert rig.channels()[0] == 0.0  # a servo without a command gets no pulse
    assert rig.session.is_safe


def test_one_command_reaches_every_kind(rig: PartsRig, tmp_path: Path) -> None:
    rig.hold(1.0, **ALL)
    channels = rig.channels()
    assert channels[0] == pytest.approx(1500 + 20 / 60 * 1000, abs=_STEP_US)
    assert channels[1] == pytest.approx(1000, abs=_STEP_US)  # full speed backwards
    assert channels[2] > 19_900  # high for the whole period
    assert channels[3] == pytest.approx(10_000, abs=10)  # half of the period of 20 ms
    assert rig.pin(12).value == pytest.approx(0.5)  # full_duty
    assert rig.pin(13).value == pytest.approx(0.5)
    assert rig.is_relay_on
    assert read_lights(tmp_path, 0, 0, "grb")[:3] == [(128, 0, 0), (128, 0, 0), (0, 0, 0)]
    assert not rig.session.is_safe
    assert rig.state() == pytest.approx(ALL)


def test_continuous_servo_gets_no_pulse_at_zero(rig: PartsRig) -> None:
    rig.hold(0.2, tail=0.5)
    assert rig.channels()[1] == pytest.approx(1750, abs=_STEP_US)
    rig.hold(0.1, tail=0.0)
    assert rig.channels()[1] == 0.0
    assert rig.session.is_safe


def test_velocity_gains_speed_at_its_rate_and_loses_it_at_once(tmp_path: Path) -> None:
    fields = {"motor": FIELDS["motor"] | {"max_rate": 2.0}}
    rig = PartsRig(tmp_path, config(fields, {"motor": PINS["motor"]}))
    rig.hold(0.24, motor=1.0)
    assert 0.2 <= rig.state()["motor"] <= 0.56
    rig.command(motor=0.0)
    assert rig.pin(12).value == 0.0
    rig.close()


def test_what_a_command_leaves_out_rests_or_stays(rig: PartsRig) -> None:
    rig.hold(0.5, **ALL)
    rig.hold(0.1, brow=20.0)
    assert rig.live_outputs == []  # nothing that may move goes on without its name
    assert rig.state()["cheek"] == 0.5  # a light stays
    rig.hold(0.1, **ALL)
    rig.hold(0.1, brow=math.nan, tail=math.nan, cheek=math.nan, valve=math.nan)
    assert rig.live_outputs == []
    assert rig.state()["cheek"] == 0.5


@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_infinite_value_voids_the_whole_command(rig: PartsRig, value: float) -> None:
    rig.beat()
    rig.command(relay=1.0, brow=value)
    assert rig.counters["refused_malformed"] == 1
    assert rig.live_outputs == []


def test_values_are_clamped_here_too(rig: PartsRig) -> None:
    rig.hold(1.0, brow=1000.0, fan=-5.0, cheek=7.0)
    assert rig.state()["brow"] == 30.0
    assert rig.state()["fan"] == 0.0
    assert rig.state()["cheek"] == 1.0


def test_unknown_participant_drives_nothing(rig: PartsRig) -> None:
    rig.beat()
    rig.command(UNKNOWN, **ALL)
    assert rig.live_outputs == []
    assert rig.counters["refused_foreign"] == 1


def test_unknown_part_is_counted_and_the_others_obey(rig: PartsRig) -> None:
    rig.hold(0.1, relay=1.0, of_a_newer_configuration=3.0)
    assert rig.is_relay_on
    assert rig.counters["parts_unknown"] == 1


def test_sensors_are_readings_by_name(rig: PartsRig) -> None:
    rig.hold(0.5, brow=0.0)
    newest = rig.states()[-1]
    units = dict(zip(newest.sensors, newest.reading_units, strict=True))
    assert units == {"battery_voltage": "V", "battery_current": "A", "battery_power": "W"}
    readings = dict(zip(newest.sensors, newest.readings, strict=True))
    assert readings["battery_voltage"] > 5.0


def test_missing_sensor_is_no_number(rig: PartsRig) -> None:
    rig.board._chips[1, 0x41].set_answers(False)
    rig.hold(3.0, brow=0.0)
    readings = dict(zip(rig.states()[-1].sensors, rig.states()[-1].readings, strict=True))
    assert math.isnan(readings["battery_voltage"])


def test_servo_with_a_centre_has_two_slopes(tmp_path: Path) -> None:
    pin = PINS["brow"] | {"pulse_us": [1000, 2000], "centre_us": 1700}
    rig = PartsRig(tmp_path, config({"brow": FIELDS["brow"]}, {"brow": pin}))
    for value, pulse_us in ((0.0, 1700), (-30.0, 1000), (30.0, 2000), (-15.0, 1350), (15, 1850)):
        rig.hold(1.0, brow=value)
        assert rig.channels()[0] == pytest.approx(pulse_us, abs=_STEP_US)
    rig.close()


def test_chip_that_does_not_answer_is_a_fault_that_stops_the_robot(rig: PartsRig) -> None:
    rig.hold(0.2, **ALL)
    rig.servo_chip.set_answers(False)
    rig.hold(0.5, brow=-20.0)
    assert "writing to chip failed" in rig.session.fault
    faults = rig.bus.sent["/saint/roles/faults"]
    assert faults[-1].stops_robot


def test_role_ends_with_everything_off(tmp_path: Path) -> None:
    rig = PartsRig(tmp_path)
    rig.hold(0.5, **ALL)
    rig.session.close()
    assert rig.live_outputs == []
    assert rig.channels()[0] > 1000.0  # a position keeps its pulse, so that nothing falls
    assert rig.channels()[3] == 0.0
    assert read_lights(tmp_path, 0, 0, "grb")[:2] == [(0, 0, 0), (0, 0, 0)]
    rig.board.close()


def test_required_chip_that_is_missing_ends_the_opening(tmp_path: Path) -> None:
    (tmp_path / "board.yaml").write_text("chips: []\n")
    with pytest.raises(SaintError, match="no PCA9685 answers"):
        PartsRig(tmp_path)


def test_head_drives_parts_beside_its_own_fields(tmp_path: Path) -> None:
    from saint_services.lib.generated.saint_msgs import HeadCommand, PartCommand
    from saint_services.lib.generated.topics import HEAD_CMD, ROLE_PARTS_CMD
    from tests.unit.role.role_rig import Rig, load_role

    data = load_role("head").model_dump()
    topic = ROLE_PARTS_CMD.at(role="head")
    data["commands"]["parts"] = {"topic": topic.name, "type": PartCommand.TYPE}
    data["fields"] |= {
        "lid": FIELDS["brow"] | {"command": "parts"},
        "laser": FIELDS["relay"] | {"command": "parts"},
    }
    data["gpio_mapping"] |= {
        "lid": {"type": "pca9685", "device": "face", "channel": 9},
        "laser": {"type": "switch", "pin": 26},
    }
    rig = Rig(tmp_path, "head", RoleConfig.model_validate(data))

    def say() -> None:
        rig.send(HEAD_CMD, HeadCommand(pan=30.0, tilt=0.0, roll=0.0, speed=1.0))
        rig.send(topic, PartCommand(names=("lid", "laser"), values=(15.0, 1.0)))

    rig.live(1.0, say)
    assert rig.channels()[9] == pytest.approx(1750, abs=_STEP_US)
    assert rig.pin(26).value == 1.0
    assert rig.bus.sent["/saint/head/state"][-1].pan == 30.0
    assert rig.bus.sent["/saint/head/parts/state"][-1].names == ("lid", "laser")
    rig.clock.advance(1.0)
    assert rig.pin(26).value == 0.0
    rig.close()
