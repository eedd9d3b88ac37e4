"""Fifty pages that stay for ten minutes, each sent every input 50 times a second: whether webd's
memory grows, and whether a stick's way to the motor takes longer than without them. The robot is
the widest one, as in crowd.py, which compares short turns and so measures less of the host.

`python -m tools.bench.soak [--minutes 10] [--json]`; the minute before and the minute after stand
for the robot alone. Budgets: 2 % of memory, 10 % of the 99th percentile. Blocks in which the host
was busy do not count.
"""

import argparse
import json
import statistics
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.integration.robot import Robot
from tools.bench import surroundings
from tools.bench.crowd import BUDGET, Block, block_of, company, wide_robot
from tools.bench.latency import Stick

BUDGET_GROWTH = 0.02
SAMPLES = 1000  # of a block: two seconds
ALONE_MIN = 1.0  # before and after
WARM_UP_MIN = 0.5  # until buffers have the size that they keep
_KB = 1000


@dataclass(frozen=True, slots=True)
class Time:
    """One stretch of the run: medians of its blocks."""

    p50_ms: float
    p99_ms: float
    blocks: int  # that count
    left_out: int  # the host was busy


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured."""

    alone: Time
    beside: Time
    last_minute: Time  # of those beside the pages
    ratio_p99: float
    webd_before_mb: float
    webd_after_mb: float
    growth: float
    states_hz: float  # that reached the pages, all together
    minutes: float


def measure(minutes: float) -> Figures:
    """Alone, beside the pages, alone again."""
    with wide_robot() as robot, company(robot):
        stick = Stick(robot)
        port = str(robot.report()["ports"]["saint"])
        alone = _blocks(stick, ALONE_MIN)
        with surroundings.part(robot, "pages", port) as said:
            _blocks(stick, WARM_UP_MIN)
            before = _webd_mb(robot)
            beside = _blocks(stick, max(0.0, minutes - 1))
            last = _blocks(stick, min(1.0, minutes))
            after = _webd_mb(robot)
        alone += _blocks(stick, ALONE_MIN)
        stick.close()
    one, other = _time(alone), _time(beside + last)
    return Figures(
        one, other, _time(last), other.p99_ms / one.p99_ms,
        before, after, (after - before) / before, float(said[0]), minutes,
    )  # fmt: skip


def _blocks(stick: Stick, minutes: float) -> list[Block]:
    end_s = time.monotonic() + minutes * 60
    found = []
    while time.monotonic() < end_s:
        found.append(block_of(stick, SAMPLES))
    return found


def _time(blocks: list[Block]) -> Time:
    calm = [block for block in blocks if block.is_calm]
    counted = calm or blocks
    return Time(
        statistics.median(block.p50_ms for block in counted),
        statistics.median(block.p99_ms for block in counted),
        len(calm),
        len(blocks) - len(calm),
    )


def _webd_mb(robot: Robot) -> float:
    """Resident memory."""
    for line in Path(f"/proc/{robot.pid('webd')}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / _KB / _KB
    raise OSError("the kernel does not report webd's memory")


def table(found: Figures) -> str:
    """The figures for people."""
    lines = [f"{'':34}{'p50 ms':>9}{'p99 ms':>9}{'blocks':>8}{'left out':>10}"]
    rows = {
        "without pages": found.alone,
        f"beside fifty pages, {found.minutes:g} min": found.beside,
        "the last minute of these": found.last_minute,
    }
    lines += [
        f"{name:34}{each.p50_ms:9.3f}{each.p99_ms:9.3f}{each.blocks:8}{each.left_out:10}"
        for name, each in rows.items()
    ]
    lines += [
        f"{'ratio of p99':34}{found.ratio_p99:18.2f}   (budget {BUDGET:.2f})",
        f"webd's memory {found.webd_before_mb:.1f} -> {found.webd_after_mb:.1f} MB, "
        f"{found.growth:+.1%} (budget {BUDGET_GROWTH:.0%}); "
        f"the pages got {found.states_hz:.0f} states/s",
    ]
    return "\n".join(lines)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    found = measure(options.minutes)
    print(json.dumps(asdict(found)) if options.json else table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
