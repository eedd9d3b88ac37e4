"""Fault switches: seen by everybody at once, kept, and never half."""

from pathlib import Path

import pytest

from tools.sim.faults import Fault, Faults, FaultSwitch


def test_switch_is_seen_by_who_has_the_file_open(tmp_path: Path) -> None:
    daemon, person = Faults(tmp_path), Faults(tmp_path)
    assert daemon.read() == {}
    person.set("left_motor", Fault.STALL)
    assert daemon.read() == {"left_motor": FaultSwitch(Fault.STALL)}
    person.set("left_motor", Fault.LOAD, 0.25)
    assert daemon.read() == {"left_motor": FaultSwitch(Fault.LOAD, 0.25)}
    person.clear()
    assert daemon.read() == {}


def test_switch_outlives_its_process_and_has_a_usual_value(tmp_path: Path) -> None:
    first = Faults(tmp_path)
    first.set("supply", Fault.BROWN_OUT)
    first.close()
    assert Faults(tmp_path).read() == {"supply": FaultSwitch(Fault.BROWN_OUT, 4.0)}


def test_one_device_is_cleared_alone(tmp_path: Path) -> None:
    faults = Faults(tmp_path)
    faults.set("pan", Fault.STALL)
    faults.set("tilt", Fault.UNPLUG)
    faults.clear("pan")
    faults.clear("nothing")
    assert set(faults.read()) == {"tilt"}


def test_writer_that_died_half_way_is_overcome(tmp_path: Path) -> None:
    reader, broken = Faults(tmp_path), Faults(tmp_path)
    reader.set("pan", Fault.STALL)
    assert set(reader.read()) == {"pan"}
    broken._map[0] |= 1  # changes are odd: a write is going on
    broken._map[8:24] = b"stall".ljust(16, b"\0")
    assert set(reader.read()) == {"pan"}
    Faults(tmp_path).set("tilt", Fault.STALL)
    assert set(reader.read()) == {"pan", "tilt"}


def test_too_many_faults_are_refused_and_change_nothing(tmp_path: Path) -> None:
    faults = Faults(tmp_path)
    for number in range(64):
        faults.set(f"servo_{number}", Fault.STALL)
    with pytest.raises(ValueError, match="64"):
        faults.set("one_more", Fault.STALL)
    assert len(faults.read()) == 64
