"""One round: the robot drives, several of its processes are killed, frozen or starved at once, the
outputs must come to rest, and nothing may move afterwards without a fresh input. Which, when and by
what it is driven comes from a seed. Not here: how often (runner.py).
"""

import contextlib
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.integration.robot import ROOT, Robot
from tests.integration.tracks import Tracks
from tests.waiting import block_until, every, stand_still

Harm = Literal["kill", "freeze", "starve"]
Way = Literal["rc", "web", "ros"]
WAYS: tuple[Way, ...] = ("rc", "web", "ros")
NODE = ("role-tracksd", "noded", "guardd")
SERVER = ("routerd", "rcd", "webd", "adoptiond")
SOURCES: dict[Way, str] = {"rc": "rcd", "web": "webd", "ros": ""}
SAFE_S = 0.250
LATEST_S = 0.400
# A browser or a program that falls silent counts for 300 ms, then the ramp follows.
SILENCE_S = 0.300
DRIVING_S = 30.0
WATCH_S = 0.4  # what waited in a process comes at once, when it goes on or is back
LOOK_S = 0.02


@dataclass(frozen=True, slots=True)
class Plan:
    """What happens in a round. `is_held`: the operator goes on, as a user who notices nothing."""

    number: int
    way: Way
    victims: tuple[tuple[str, Harm], ...]
    is_held: bool
    pause_s: float

    @classmethod
    def of(cls, seed: int, number: int, harms: tuple[Harm, ...]) -> "Plan":
        """Plan a round of a seed."""
        chance = random.Random(f"{seed}/{number}")
        names = chance.sample((*NODE, *SERVER), chance.choice((1, 2, 2, 2, 3, 3, 4)))
        victims = tuple((name, chance.choice(harms)) for name in names)
        way = chance.choice(WAYS)
        return cls(number, way, victims, chance.random() < 0.5, chance.uniform(0.1, 0.4))

    @property
    def lapse_s(self) -> float:
        """Return how soon the outputs must rest when the source itself ends."""
        return SAFE_S if self.way == "rc" else SAFE_S + SILENCE_S

    @property
    def limit_s(self) -> float | None:
        """Return how soon the outputs must rest; None: the drive may go on, for nothing that it
        needs was harmed."""
        hurt = {name for name, harm in self.victims if harm != "starve"}
        if hurt & {"role-tracksd", "guardd", "routerd"}:
            return SAFE_S
        if ("noded", "kill") in self.victims:
            return SAFE_S
        if self.is_held and SOURCES[self.way] not in hurt:
            return None
        return self.lapse_s

    def __str__(self) -> str:
        victims = ", ".join(f"{harm} {name}" for name, harm in self.victims)
        held = "held" if self.is_held else "released"
        return f"round {self.number}: {self.way} {held}; {victims}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was measured. `late_s`: by how much this computer itself was late, at worst."""

    plan: Plan
    stopped_s: float
    late_s: float
    moved_afterwards: float
    again_s: float  # until it drove again, before the next round

    @property
    def fault(self) -> str:
        """Return what went wrong, or nothing."""
        if self.moved_afterwards:
            return f"{self.plan}: moved afterwards, duty {self.moved_afterwards:.2f}"
        limit_s = self.plan.limit_s
        if limit_s is not None and self.stopped_s > limit_s + LATEST_S - SAFE_S + self.late_s:
            return f"{self.plan}: outputs live for {self.stopped_s * 1000:.0f} ms"
        return ""


class Driver:
    """A program outside of the robot that drives it."""

    def __init__(self, robot: Robot, way: Way) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.driver", way, str(robot.root)],
            cwd=ROOT, env=os.environ | robot.environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        self._answer()

    def say(self, word: Literal["go", "stop"]) -> None:
        assert self._process.stdin
        self._process.stdin.write(word + "\n")
        self._process.stdin.flush()
        self._answer()

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(10.0)
        assert self._process.stdout
        self._process.stdout.close()

    def _answer(self) -> None:
        assert self._process.stdout
        assert self._process.stdout.readline(), "the driver has ended"


class Course:
    """A robot with its drivers, for many rounds."""

    def __init__(self, robot: Robot, node: str) -> None:
        self._robot = robot
        self._node = node
        self._tracks = Tracks(robot, node)
        self._drivers = {way: Driver(robot, way) for way in WAYS}

    def close(self) -> None:
        """End the drivers."""
        for driver in self._drivers.values():
            driver.close()
        self._tracks.close()

    def play(self, plan: Plan) -> Outcome:
        """Carry out a round."""
        driver = self._drivers[plan.way]
        began_s = time.monotonic()
        driver.say("go")
        block_until(self._tracks.is_driving, DRIVING_S, lambda: self._explain(plan))
        again_s = time.monotonic() - began_s
        block_until(lambda: self._drives_on(plan.pause_s), DRIVING_S, lambda: self._explain(plan))
        if not plan.is_held:
            driver.say("stop")
        silent_s = time.monotonic()
        with self._harmed(plan):
            stopped_s, late_s = self._until_stopped(1.0 if plan.limit_s else SAFE_S)
            if plan.is_held:
                driver.say("stop")
                silent_s = time.monotonic()
            # Frozen until what the source said last counts no more.
            stand_still(max(0.0, silent_s + plan.lapse_s - time.monotonic()))
        moved = self._motion_until_whole(plan)
        return Outcome(plan, stopped_s, late_s, moved, again_s)

    def _drives_on(self, seconds: float) -> bool:
        """Return whether it still drives then: on a busy computer the source may pause."""
        stand_still(seconds)
        return self._tracks.is_driving()

    def _explain(self, plan: Plan) -> str:
        return f"{plan}\n{self._robot.diagnosis()}"

    @contextlib.contextmanager
    def _harmed(self, plan: Plan) -> Iterator[None]:
        pids = [(self._pid(name), harm) for name, harm in plan.victims]
        for pid, harm in pids:
            _harm(pid, harm)
        try:
            yield
        finally:
            for pid, harm in pids:
                _undo(pid, harm)

    def _pid(self, name: str) -> int:
        machine = self._machine(name)
        block_until(lambda: self._robot.pid(name, machine), 10.0, self._robot.diagnosis)
        return self._robot.pid(name, machine)

    def _machine(self, name: str) -> str:
        return self._node if name in NODE else "server"

    def _until_stopped(self, limit_s: float) -> tuple[float, float]:
        """Return how long until both motors rest, and by how much this process was late."""
        began_s = then_s = time.monotonic()
        late_s = 0.0
        for _ in every(0.001, for_s=limit_s):
            now_s = time.monotonic()
            late_s = max(late_s, now_s - then_s - 0.001)
            then_s = now_s
            if self._tracks.duties() == (0.0, 0.0):
                break
        return time.monotonic() - began_s, late_s

    def _motion_until_whole(self, plan: Plan) -> float:
        """Return the largest duty until all that was harmed has been at work for a moment; none is
        commanded."""
        looked_s = time.monotonic()
        end_s = looked_s + WATCH_S
        largest = 0.0
        for _ in every(0.001, for_s=DRIVING_S):
            now_s = time.monotonic()
            largest = max(largest, *self._tracks.duties())
            if now_s >= looked_s + LOOK_S:
                looked_s = now_s
                if not self._is_whole(plan):
                    end_s = now_s + WATCH_S
            if now_s >= end_s:
                break
        return largest

    def _is_whole(self, plan: Plan) -> bool:
        """Return whether all that was harmed is at work."""
        daemons = (self._robot.daemon(name, self._machine(name)) for name, _ in plan.victims)
        return all(daemon["phase"] == "running" for daemon in daemons)


def _harm(pid: int, harm: Harm) -> None:
    with contextlib.suppress(ProcessLookupError):
        if harm == "starve":
            used = int(Path(f"/proc/{pid}/statm").read_text().split()[0]) * resource.getpagesize()
            resource.prlimit(pid, resource.RLIMIT_AS, (used, resource.RLIM_INFINITY))
        else:
            os.kill(pid, signal.SIGKILL if harm == "kill" else signal.SIGSTOP)


def _undo(pid: int, harm: Harm) -> None:
    with contextlib.suppress(ProcessLookupError):
        if harm == "freeze":
            os.kill(pid, signal.SIGCONT)
        elif harm == "starve":
            unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
            resource.prlimit(pid, resource.RLIMIT_AS, unlimited)
