"""Dynamixels of any configuration: no jump, limp within time, stopped without their host. Numbers
by hand.
"""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from saint_services.lib.hw.bus_servos.port import Torque
from tests.unit.hw.dynamixel.served import ServedDynamixels
from tools.sim.faults import Fault

PLACES = st.integers(0, 4095)


@settings(max_examples=25, deadline=None)
@given(PLACES, PLACES, st.booleans())
def test_torque_never_moves_a_dynamixel(place: int, goal: int, has_lost_power: bool) -> None:
    """Whatever goal was left in it, and whatever it lost before."""
    with tempfile.TemporaryDirectory() as folder:
        served = ServedDynamixels(Path(folder), (1,))
        served.run(0.3)
        if has_lost_power:
            served.break_servo(1, Fault.UNPLUG)
            served.run(0.5)
            served.servo(1).power_up()
            served.faults.clear()
            served.run(0.5)
        servo = served.servo(1)
        servo.shaft = float(place)
        servo.put("goal_position", goal)
        served.run(0.2)  # its place is measured ten times a second at rest
        served.core.rouse(served.core.servos[1])
        served.run(0.5)
        assert served.core.servos[1].torque is Torque.ON
        assert served.position(1) == place
        served.peer.close()


@settings(max_examples=25, deadline=None)
@given(st.floats(0.0, 0.1), st.integers(1, 6))
def test_limp_dynamixels_have_no_torque_60_ms_after_a_stop(moment_s: float, count: int) -> None:
    """Whatever is on the wire at that moment."""
    with tempfile.TemporaryDirectory() as folder:
        served = ServedDynamixels(Path(folder), range(1, count + 1))
        served.run(0.5)
        served.rouse()
        served.aim(1, 3000)
        served.run(moment_s)
        served.core.release(list(served.core.servos.values()))
        served.run(0.06)
        for servo in range(1, count + 1):
            assert served.servo(servo).get("torque_enable") == 0
        assert not any(each.is_released for each in served.core.servos.values())
        served.peer.close()


@settings(max_examples=25, deadline=None)
@given(st.floats(0.0, 0.1), st.floats(1.0, 60.0))
def test_dynamixel_without_its_host_stands_after_half_a_second(
    moment_s: float, silence_s: float
) -> None:
    """However far its goal is, and without a jump when the host returns."""
    with tempfile.TemporaryDirectory() as folder:
        served = ServedDynamixels(Path(folder), (1,))
        served.run(0.5)
        served.rouse()
        served.servo(1).put("profile_velocity", 20)  # seven seconds for this way
        served.aim(1, 4000)
        served.run(moment_s + 0.02)
        served.now_s += 0.55
        stood = served.position(1)
        served.now_s += silence_s
        assert served.position(1) == stood < 3000
        served.run(1.0)
        assert served.position(1) == stood
        assert served.core.servos[1].torque is Torque.ON
        served.peer.close()


def test_dynamixel_without_torque_gets_no_goal() -> None:
    with tempfile.TemporaryDirectory() as folder:
        served = ServedDynamixels(Path(folder), (1, 2))
        served.run(0.5)
        served.aim(1, 3000)
        served.run(0.5)
        assert served.position(1) == 2048
        served.peer.close()
