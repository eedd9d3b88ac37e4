"""Leader to follower, through the running robot (manifests/robots/so101_pair.yaml): a hand turns
one joint of the leader a little; the simulated servos note when the leader's role has read the new
position, and when the follower's role has written a new goal. Beside it, in turns, a bare chain of
two hops of the bus. Simulated lines take no time for their bytes here: a real turn of six servos
takes 1.2 ms (servos.py).

`python -m tools.bench.follower [--samples 400] [--json]`
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from saint_services.lib.api import masters, routing
from saint_services.lib.api.endpoint import Endpoint, Nothing
from tests.integration.robot import Robot, running_robot
from tests.waiting import block_until
from tools.sim.chips.bus_servo import SimBusServo
from tools.sim.chips.servo_bus import ServoBusPeer, servo_file

from . import bus
from .latency import BLOCKS, LOST_S, at, stolen_ms

_NODE, _TARGET, _LEADER = "arms", "parts.follower", "hand"
_PORTS = "/dev/ttyACM1", "/dev/ttyACM0"  # of the leader, of the follower
_STEP_TICKS = 8
_PAUSE_S = 0.06
_WAIT_S = 30.0


@dataclass(frozen=True, slots=True)
class FollowerDelay:
    """Position read -> goal written, beside a bare chain."""

    p50_ms: float
    p99_ms: float
    samples: int
    lost: int  # movements without effect
    chain_p50_ms: float
    chain_p99_ms: float
    stolen_ms: int  # processor time that the host kept from this machine meanwhile


def measure(samples: int) -> FollowerDelay:
    """Robot and chain in turns; `samples` of each."""
    share = -(-samples // BLOCKS)
    pair_ms: list[float] = []
    chain_ms: list[float] = []
    began_ms, lost = stolen_ms(), 0
    with running_robot("--robot", "so101_pair") as robot, _arms(robot) as (leader, follower):
        _engage(robot)
        for _ in range(BLOCKS):
            found = list(itertools.islice(_delays(leader, follower), share))
            pair_ms += [each for each in found if each is not None]
            lost += found.count(None)
            chain_ms += bus.chain_delays_ms(share, pause_s=_PAUSE_S)
    return FollowerDelay(
        at(pair_ms, 0.5), at(pair_ms, 0.99), len(pair_ms), lost,
        at(chain_ms, 0.5), at(chain_ms, 0.99), stolen_ms() - began_ms,
    )  # fmt: skip


@contextlib.contextmanager
def _arms(robot: Robot) -> Iterator[tuple[SimBusServo, SimBusServo]]:
    """Yield the first joint of leader and follower."""
    peers = [ServoBusPeer(robot.hw(_NODE) / servo_file(port)) for port in _PORTS]
    leader, follower = (peer.servo(1) for peer in peers)
    yield leader, follower
    del leader, follower
    for peer in peers:
        peer.close()


def _engage(robot: Robot) -> None:
    """Clear the stop of the start, and let the leader lead."""
    stop = _request(robot, routing.GET_STATUS, Nothing()).estop
    clear = routing.EStopClear(source="bench", generation=stop.generation)
    _request(robot, routing.CLEAR_ESTOP, clear)
    _request(robot, masters.ENGAGE_LEADER, masters.EngageLeader(target=_TARGET, leader=_LEADER))

    def leads() -> bool:
        found = _request(robot, masters.LIST_MASTERS, Nothing()).masters
        return bool(found) and found[0].holder == f"leader:{_LEADER}"

    block_until(leads, _WAIT_S, robot.diagnosis)


def _request(robot: Robot, row: Endpoint[Any, Any], body: Any) -> Any:
    async def send() -> Any:
        async with robot.client("routerd") as client:
            return await client.request(row, body)

    return asyncio.run(send())


def _delays(leader: SimBusServo, follower: SimBusServo) -> Iterator[float | None]:
    """Yield delays in milliseconds, None for a movement without effect, endlessly."""
    middle = leader.shaft
    for side in itertools.cycle((_STEP_TICKS, -_STEP_TICKS)):
        _await_rest(follower)
        moved_ns = time.monotonic_ns()
        leader.shaft = middle + side
        while follower.goal_ns < moved_ns and time.monotonic_ns() - moved_ns < LOST_S * 1e9:
            time.sleep(0.0005)
        is_lost = follower.goal_ns < moved_ns
        yield None if is_lost else (follower.goal_ns - leader.seen_ns) / 1e6


def _await_rest(follower: SimBusServo) -> None:
    """Wait until no goal was written for a while; the phase to the turns is by chance."""
    block_until(lambda: time.monotonic_ns() - follower.goal_ns > _PAUSE_S * 1e9, _WAIT_S)
    time.sleep(random.uniform(0.0, 0.02))


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    found = measure(chosen.samples)
    if chosen.json:
        print(json.dumps(asdict(found)))
        return 0
    print(
        f"{'':34}{'p50 ms':>9}{'p99 ms':>9}\n"
        f"{'position read -> goal written':34}{found.p50_ms:9.3f}{found.p99_ms:9.3f}"
        f"   {found.samples} samples, {found.lost} lost; goal 3 at p50, beside a turn\n"
        f"{'bare chain of two hops':34}{found.chain_p50_ms:9.3f}{found.chain_p99_ms:9.3f}\n"
        f"{'ratio':34}{found.p50_ms / found.chain_p50_ms:9.2f}"
        f"{found.p99_ms / found.chain_p99_ms:9.2f}\n"
        f"the host kept {found.stolen_ms} ms of processor time from this machine meanwhile"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
