"""E-stop: from a press to safe motor pins, through the running robot, in four ways.

`python -m tools.bench.estop [--samples 100] [--json]`. The budget is 50 ms at the 99th percentile,
for each. The terminal's time holds the start of a Python process, which is the baseline beside it.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import time

from tests.integration.estop_course import course
from tests.integration.robot import Robot, running_robot


def measure(samples: int) -> dict[str, list[float]]:
    """Milliseconds by way, and of a Python process that does nothing."""
    with running_robot() as robot:
        found = asyncio.run(_presses(robot, samples))
    return found | {"bare Python process": [_bare_process_ms() for _ in range(samples)]}


async def _presses(robot: Robot, samples: int) -> dict[str, list[float]]:
    """Turn by turn, so that a slow minute of the machine hits all ways."""
    found: dict[str, list[float]] = {}
    async with course(robot) as (track, ways):
        for _ in range(samples):
            for name, press in ways.items():
                found.setdefault(name, []).append(await track.seconds_to_safe(press) * 1e3)
    return found


def _bare_process_ms() -> float:
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", ""], check=True, timeout=30)
    return (time.monotonic() - began) * 1e3


def _at(values: list[float], share: float) -> float:
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    found = measure(options.samples)
    rows = {
        name: {
            "p50_ms": _at(times, 0.5),
            "p99_ms": _at(times, 0.99),
            "max_ms": max(times),
            "min_ms": min(times),
        }
        for name, times in found.items()
    }
    if options.json:
        print(json.dumps(rows))
        return 0
    print(f"{'press -> safe pins':24}{'p50 ms':>9}{'p99 ms':>9}{'max ms':>9}   (budget: p99 50 ms)")
    for name, row in rows.items():
        print(f"{name:24}{row['p50_ms']:9.1f}{row['p99_ms']:9.1f}{row['max_ms']:9.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
