"""The pilot that `make run ARGS="--robot saul_tee --feed demo"` plays."""

import asyncio
from pathlib import Path

from saint_services.lib.wagon.meanings import WagonState
from tests.unit.boards.bench import Bench
from tests.waiting import until
from tools.feed_wagon import ARM, HIGH, LOW, MIDDLE, MODE, SPEED, STEER, move_wagons, sticks
from tools.sim.wagon_world import WagonWorld

ROUND_S = 18.0


def test_switch_is_moved_to_arm_with_the_sticks_at_rest() -> None:
    assert sticks(0.0)[ARM] == LOW
    at_arm = next(step for step in range(900) if sticks(step / 50)[ARM] == HIGH)
    for number in (STEER, SPEED):
        assert sticks(at_arm / 50)[number] == MIDDLE
    assert sticks(at_arm / 50)[MODE] == LOW


def test_board_is_armed_by_it_drives_and_is_disarmed_at_the_end() -> None:
    bench = Bench()
    states: set[WagonState] = set()
    was_turning = False
    for step in range(round(ROUND_S * 50)):
        for number, us in sticks(step / 50).items():
            bench.channel(number, us)
        bench.run(20)
        states.add(bench.state)
        was_turning = was_turning or bool(bench.is_turning)
        assert bench.state is WagonState.ARMED or not bench.is_turning
    assert states == {WagonState.DISARMED, WagonState.ARMED}
    assert was_turning
    for number, us in sticks(ROUND_S).items():
        bench.channel(number, us)
    bench.run(500)
    assert bench.state is WagonState.DISARMED


async def test_stop_puts_the_transmitter_at_rest(tmp_path: Path) -> None:
    world = WagonWorld(tmp_path / "wagon" / "hw")
    world.channel(ARM, HIGH)
    world.channel(SPEED, HIGH)
    moving = asyncio.create_task(move_wagons(tmp_path, lambda: True))
    await until(lambda: world["crossfire_5"] == LOW)
    await until(lambda: world["elrs_2"] == MIDDLE)
    moving.cancel()
    world.close()


async def test_robot_without_a_wagon_is_left_alone(tmp_path: Path) -> None:
    await asyncio.wait_for(move_wagons(tmp_path, lambda: False), 5.0)
