"""Two whole robots on one DDS domain: no output of one ever follows the other, whatever is killed.

python -m tests.faults.pair --seconds 300 --seed 3
"""

import argparse
import contextlib
import random
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

from tests.faults.rounds import NODE, SERVER, WAYS, Driver
from tests.integration.robot import Robot, free_domain, short_folder
from tests.integration.tracks import Tracks
from tests.waiting import every

TURN_S = 3.0
DRIVING_S = 40.0
REST_S = 1.0  # without power for so long: its own last commands have run out, its role is there
VICTIMS = [*((name, "tracks") for name in NODE), *((name, "server") for name in SERVER)]


class Pair:
    """Two rovers with their drivers and observers."""

    def __init__(self, robots: tuple[Robot, Robot]) -> None:
        self.robots = robots
        self.tracks = [Tracks(robot) for robot in robots]
        self.drivers = [{way: Driver(robot, way) for way in ("rc", "web")} for robot in robots]
        self.turns = self.kills = 0

    def close(self) -> None:
        for drivers in self.drivers:
            for driver in drivers.values():
                driver.close()
        for tracks in self.tracks:
            tracks.close()

    def turn(self, chance: random.Random) -> str:
        """Drive one robot while processes of both are killed; returns what went wrong."""
        number = chance.randrange(2)
        driver = self.drivers[number][chance.choice(("rc", "web"))]
        driver.say("go")
        fault = self._watch(number, lambda: self.tracks[number].is_driving(), DRIVING_S)
        if not fault and not self.tracks[number].is_driving():
            fault = f"robot {number + 1} does not drive\n{self.robots[number].diagnosis()}"
        for _ in range(chance.choice((0, 1, 1, 2))):
            self._kill(chance)
        fault = fault or self._watch(number, lambda: False, TURN_S)
        driver.say("stop")
        self._come_to_rest(number)
        self.turns += 1
        return fault

    def _come_to_rest(self, number: int) -> None:
        """Wait for rest: a role that has just come back obeys the last commands of its own robot,
        which count for some 300 ms: wait for it, or the next turn would take that for following."""
        rests_s = time.monotonic()
        for _ in every(0.001, for_s=DRIVING_S):
            now_s = time.monotonic()
            if max(self.tracks[number].duties()) > 0.0:
                rests_s = now_s
            elif now_s - rests_s >= REST_S:
                return

    def _watch(self, driven: int, is_over: object, seconds: float) -> str:
        """Check that the other robot stands still."""
        assert callable(is_over)
        for _ in every(0.001, for_s=seconds):
            if is_over():
                return ""
            if max(self.tracks[1 - driven].duties()) > 0.0:
                other = self.robots[1 - driven]
                said = f"robot {2 - driven} moved while robot {driven + 1} was driven"
                return f"{said}\n{_why(other)}\n{other.diagnosis()}"
        return ""

    def _kill(self, chance: random.Random) -> None:
        robot = chance.choice(self.robots)
        daemon, machine = chance.choice(VICTIMS)
        if robot.pid(daemon, machine):
            with contextlib.suppress(ProcessLookupError):
                robot.kill(daemon, machine, signal.SIGKILL)
            self.kills += 1


def _why(robot: Robot) -> str:
    """Return why, by the moving robot's own router."""
    command = ("-m", "saint_services.saintctl", "--run", str(robot.run()))
    command_line = [sys.executable, *command, "route", "why", "tracks.linear"]
    return subprocess.run(
        command_line, capture_output=True, text=True, timeout=30, check=False
    ).stdout


@contextlib.contextmanager
def pair() -> Iterator[Pair]:
    """Run two rovers on one domain until both are ready."""
    number = free_domain()
    with contextlib.ExitStack() as stack:
        roots = [stack.enter_context(short_folder()) for _ in range(2)]
        options = ("--robot", "rover")
        robots = (
            Robot(roots[0], number, *options),
            Robot(roots[1], number, *options, "--beside", "other"),
        )
        for robot in robots:
            stack.callback(robot.stop)
        for robot in robots:
            robot.wait_ready()
        found = Pair(robots)
        stack.callback(found.close)
        yield found


def main() -> int:
    """Run as a program; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10_000))
    given = parser.parse_args()
    print(f"seed {given.seed}, ways {WAYS[:2]}", flush=True)
    chance = random.Random(given.seed)
    with pair() as two:
        end_s = time.monotonic() + given.seconds
        while time.monotonic() < end_s:
            if fault := two.turn(chance):
                print(f"turn {two.turns}: {fault}")
                return 1
        print(f"{two.turns} turns, {two.kills} processes killed: neither ever followed the other")
    return 0


if __name__ == "__main__":
    sys.exit(main())
