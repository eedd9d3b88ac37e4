"""One receiver takes over from the other, and receives another transmitter: nothing that nobody has
moved arms, drives or ends a stop. On the firmware of both boards.
"""

import pytest

from saint_services.lib.wagon import can_frames
from saint_services.lib.wagon.meanings import WagonState
from tests.unit.boards.bench import HIGH, LOW, NEUTRAL, Bench


@pytest.fixture
def bench() -> Bench:
    found = Bench()
    found.run(1000)
    return found


def test_takeover_by_a_receiver_whose_switch_is_at_arm_does_not_arm(bench: Bench) -> None:
    bench.channel(5, HIGH, 1)  # a second transmitter that lies on the table
    bench.run(1000)
    bench.radios[0].is_on = False
    bench.run(600)
    assert bench.state is WagonState.DISARMED
    bench.send(can_frames.WagonArm(True))
    bench.run(100)
    assert bench.state is WagonState.DISARMED
    bench.channel(5, LOW, 1)
    bench.run(100)
    bench.channel(5, HIGH, 1)
    bench.run(100)
    assert bench.state is WagonState.ARMED


def test_takeover_by_a_receiver_whose_switch_is_at_disarm_does_not_end_a_stop(
    bench: Bench,
) -> None:
    bench.channel(5, HIGH, 0)
    bench.run(100)
    bench.send(can_frames.WagonEstop())
    bench.run(100)
    bench.radios[0].is_on = False
    bench.run(600)
    assert bench.state is WagonState.ESTOP


@pytest.mark.parametrize(("speed_us", "steer_us"), [(LOW, NEUTRAL), (HIGH, LOW)])
def test_takeover_by_a_transmitter_with_other_sticks_stops_until_they_are_neutral(
    bench: Bench, speed_us: int, steer_us: int
) -> None:
    bench.drive()
    bench.channel(2, speed_us, 1)
    bench.channel(1, steer_us, 1)
    bench.radios[0].is_on = False
    bench.run(400)
    assert not bench.is_turning
    bench.run(1000)
    assert not bench.is_turning
    assert bench.state is WagonState.ARMED
    bench.channel(1, NEUTRAL, 1)
    bench.channel(2, NEUTRAL, 1)
    bench.run(60)
    bench.channel(2, HIGH, 1)
    bench.run(300)
    assert bench.is_turning
