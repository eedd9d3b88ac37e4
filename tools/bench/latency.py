"""Serial byte to actuator, through the running robot: a CRSF frame is written to the receiver's
line, the simulated motor pin notes when it is written.

`python -m tools.bench.latency [--samples 5000] [--json]`
"""

import argparse
import itertools
import json
import math
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.integration.robot import Robot, running_robot
from tests.integration.senders import stick
from tests.integration.tracks import LEFT_PWM
from tests.waiting import block_until
from tools.sim.observe import PinWatch

from . import bus

PERIOD_S = 0.004  # between frames: 250 Hz, a fast receiver
LOST_S = 0.25  # a frame without effect for so long is given up


BLOCKS = 4  # robot and chain take turns, so that a slow minute of the machine hits both


@dataclass(frozen=True, slots=True)
class Figures:
    """The robot beside a bare chain of the same two hops, in the same run."""

    p50_ms: float
    p99_ms: float
    samples: int
    lost: int  # frames without effect
    chain_p50_ms: float
    chain_p99_ms: float
    ratio_p50: float
    ratio_p99: float
    stolen_ms: int  # processor time that the host kept from this machine meanwhile


def measure(samples: int) -> Figures:
    """Robot and chain in turns; `samples` of each."""
    share = math.ceil(samples / BLOCKS)
    robot_ms: list[float] = []
    chain_ms: list[float] = []
    lost = 0
    began_ms = stolen_ms()
    with running_robot() as robot:
        for _ in range(BLOCKS):
            found, missed = robot_block(robot, share, PERIOD_S)
            robot_ms += found
            lost += missed
            chain_ms += bus.chain_delays_ms(share, pause_s=PERIOD_S)
    p50, p99 = at(robot_ms, 0.50), at(robot_ms, 0.99)
    chain_p50, chain_p99 = at(chain_ms, 0.50), at(chain_ms, 0.99)
    return Figures(
        p50, p99, len(robot_ms), lost, chain_p50, chain_p99, p50 / chain_p50, p99 / chain_p99,
        stolen_ms() - began_ms,
    )  # fmt: skip


def stolen_ms() -> int:
    """ "steal" of all processors since boot (proc(5)); 0 where the kernel does not report it."""
    try:
        ticks = int(Path("/proc/stat").read_text(encoding="ascii").split(maxsplit=9)[8])
    except OSError:
        return 0
    return ticks * 1000 // os.sysconf("SC_CLK_TCK")


def at(values: list[float], share: float) -> float:
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


def robot_block(robot: Robot, samples: int, period_s: float) -> tuple[list[float], int]:
    """One block of a stick that is taken for it alone."""
    held = Stick(robot)
    try:
        return held.block(samples, period_s)
    finally:
        held.close()


class Stick:
    """A transmitter in a user's hand: every frame moves the stick, and the time to its effect on
    the motor is taken.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._watch, self._wire = PinWatch(robot.hw("tracks")), robot.rc_wire()
        # Small steps stay below the slew limits: every frame is written to the motor at once.
        self._frames = itertools.cycle([stick(forward=0.50), stick(forward=0.51)])
        self._is_warm = False

    def close(self) -> None:
        """Release the line."""
        self._watch.close()
        os.close(self._wire)

    def block(self, samples: int, period_s: float) -> tuple[list[float], int]:
        """Delays in milliseconds, and how many frames had no effect. A frame waits for the effect
        of the one before. One during whose time the router's heartbeat wrote too says nothing
        and is sent again.
        """
        self._warm_up()
        found: list[float] = []
        lost = 0
        while len(found) + lost < samples:
            effect = _one(self._watch, self._wire, next(self._frames), period_s)
            if effect is None:
                lost += 1
            elif effect.writes == 1:
                found.append(effect.delay_ms)
        return found, lost

    def _warm_up(self) -> None:
        """Until the signal is trusted and the motor is at speed; it may have been lost between
        two blocks.
        """
        for frame in itertools.islice(self._frames, 10 if self._is_warm else 100):
            os.write(self._wire, frame)
            time.sleep(0.02)
        self._is_warm = True

        def is_driving() -> bool:
            os.write(self._wire, next(self._frames))
            return self._watch.read(LEFT_PWM).value > 0.1

        block_until(is_driving, 10.0, self._robot.diagnosis)


@dataclass(frozen=True, slots=True)
class _Effect:
    delay_ms: float  # from the write of the frame to the newest write of the pin
    writes: int


def _one(watch: PinWatch, wire: int, frame: bytes, period_s: float) -> _Effect | None:
    before = watch.read(LEFT_PWM).writes
    sent_ns = time.monotonic_ns()
    os.write(wire, frame)
    time.sleep(period_s)  # sleep, do not spin: both cores belong to the robot
    while (pin := watch.read(LEFT_PWM)).writes == before:
        if time.monotonic_ns() - sent_ns > LOST_S * 1e9:
            return None
        time.sleep(0.001)
    return _Effect((pin.stamp_ns - sent_ns) / 1e6, pin.writes - before)


def main() -> None:
    """Print both and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=5000)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    chosen = parser.parse_args()
    found = measure(chosen.samples)
    print(json.dumps(asdict(found)) if chosen.json else table(found))


def table(found: Figures) -> str:
    """The figures for people, with the budgets of ARCHITECTURE.md."""
    return (
        f"{'':34}{'p50 ms':>9}{'p99 ms':>9}\n"
        f"{'serial byte -> motor pin':34}{found.p50_ms:9.3f}{found.p99_ms:9.3f}"
        f"   {found.samples} samples, {found.lost} lost; budget 0.8 and 3\n"
        f"{'bare chain of two hops':34}{found.chain_p50_ms:9.3f}{found.chain_p99_ms:9.3f}\n"
        f"{'ratio':34}{found.ratio_p50:9.2f}{found.ratio_p99:9.2f}   budget 1.5\n"
        f"the host kept {found.stolen_ms} ms of processor time from this machine meanwhile"
    )


if __name__ == "__main__":
    main()
