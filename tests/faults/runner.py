"""Plays many rounds and judges them: `python -m tests.faults --rounds 1000 --seed 7`."""

import argparse
import contextlib
import json
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import run

from tests.faults.rounds import LATEST_S, SAFE_S, Course, Harm, Outcome, Plan
from tests.integration.robot import ROOT, Robot, free_domain, running_robot, short_folder

REPORT = ROOT / "build" / "faults" / "report.json"
HARMS: dict[str, tuple[Harm, ...]] = {
    "processes": ("kill", "freeze"),
    "memory": ("kill", "freeze", "starve", "starve"),
    "disk": ("kill", "freeze"),  # while the state folders of all machines are full
}
ROVER = ("--robot", "rover")
_STATE_BYTES = 8 << 20
_BLOCK = bytes(4096)


@contextlib.contextmanager
def course(harm: str = "processes") -> Iterator[Course]:
    """Run the smallest robot that drives, with its drivers."""
    with _full_disks() if harm == "disk" else running_robot(*ROVER) as robot:
        found = Course(robot, "tracks")
        try:
            yield found
        finally:
            found.close()


@contextlib.contextmanager
def _full_disks() -> Iterator[Robot]:
    """Give the daemons of a rover a small disk for their state, full once the robot is ready.
    Needs the right to mount."""
    with contextlib.ExitStack() as stack:
        root = stack.enter_context(short_folder())
        disks = [root / machine / "state" for machine in ("server", "tracks", "spare")]
        for disk in disks:
            disk.mkdir(parents=True)
            options = f"size={_STATE_BYTES},mode=0755"
            run(["mount", "-t", "tmpfs", "-o", options, "saint", str(disk)], check=True, timeout=10)
            stack.callback(run, ["umount", "-l", str(disk)], check=True, timeout=10)
        (root / "robot.name").write_text(ROVER[1])  # the folder is not new to the launcher
        robot = Robot(root, free_domain(), *ROVER)
        stack.callback(robot.stop)
        robot.wait_ready()
        for disk in disks:
            _fill(disk)
        yield robot


def _fill(disk: Path) -> None:
    """Fill every block."""
    with (disk / "filler").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(_BLOCK)


def percentile(values: list[float], share: float) -> float:
    """Return the value below which this share of all lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def faults_of(outcomes: list[Outcome]) -> list[str]:
    """List the faults of a series: of single rounds, and of the whole."""
    found = [outcome.fault for outcome in outcomes if outcome.fault]
    prompt = [o.stopped_s for o in outcomes if o.plan.limit_s == SAFE_S]
    slowest_s = percentile(prompt, 0.99)
    own_s = percentile([o.late_s for o in outcomes], 0.99)
    if slowest_s > SAFE_S + own_s:
        found.append(
            f"p99 is {slowest_s * 1000:.0f} ms, this computer's own delay {own_s * 1000:.0f}"
        )
    return found


def summary(outcomes: list[Outcome]) -> dict[str, object]:
    """Summarize a series, in milliseconds."""
    prompt = [o.stopped_s * 1000 for o in outcomes if o.plan.limit_s == SAFE_S]
    silent = [o.stopped_s * 1000 for o in outcomes if o.plan.limit_s and o.plan.limit_s > SAFE_S]
    late = [o.late_s * 1000 for o in outcomes]
    again = [o.again_s for o in outcomes]

    def row(values: list[float]) -> dict[str, float]:
        shares = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}
        return {"n": len(values)} | {
            name: round(percentile(values, share), 1) for name, share in shares.items()
        }

    return {
        "rounds": len(outcomes), "stopped_ms": row(prompt), "silent_source_ms": row(silent),
        "own_delay_ms": row(late), "drives_again_s": row(again),
        "moved_afterwards": sum(o.moved_afterwards > 0 for o in outcomes),
        "limits_ms": [SAFE_S * 1000, LATEST_S * 1000],
    }  # fmt: skip


def main() -> int:
    """Run as a program; returns the exit code."""
    parser = argparse.ArgumentParser(prog="make test-faults", description=__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first round")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10_000))
    parser.add_argument("--harm", choices=sorted(HARMS), default="processes")
    given = parser.parse_args()
    print(f"seed {given.seed}, rounds from {given.first}, harm: {given.harm}", flush=True)
    outcomes: list[Outcome] = []
    began_s = time.monotonic()
    with course(given.harm) as robot:
        for number in range(given.first, given.first + given.rounds):
            outcome = robot.play(Plan.of(given.seed, number, HARMS[given.harm]))
            outcomes.append(outcome)
            if outcome.fault:
                print(outcome.fault, flush=True)
            if len(outcomes) % 20 == 0:
                print(f"{len(outcomes)} rounds, {time.monotonic() - began_s:.0f} s", flush=True)
    found = faults_of(outcomes)
    text = json.dumps({"seed": given.seed, "faults": found} | summary(outcomes), indent=1)
    _store(text)
    print(text)
    return 1 if found else 0


def _store(text: str, path: Path = REPORT) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")
