"""E-stop: from a press to safe motor pins, through the running robot, in four ways.

`python -m tools.bench.estop [--samples 100] [--json]`. The budget is 50 ms at the 99th percentile,
for each. The terminal's time holds the start of a Python process, which is the baseline beside it.
"own" is without what the terminal's program waited for a processor. Presses during which this
computer woke another program late measure the computer, not the robot: the last column leaves them
out.
"""

import argparse
import asyncio
import json
import sys
import time

from tests.integration.estop_course import Stop, course, run_program
from tests.integration.robot import Robot, running_robot

BARE = "bare Python process"


def measure(samples: int) -> dict[str, list[Stop]]:
    """Presses by way, and starts of a Python process that does nothing."""
    with running_robot() as robot:
        found = asyncio.run(presses(robot, samples))
    return found | {BARE: [_bare_process() for _ in range(samples)]}


async def presses(robot: Robot, samples: int) -> dict[str, list[Stop]]:
    """Turn by turn, so that a slow minute of the machine hits all ways."""
    found: dict[str, list[Stop]] = {}
    async with course(robot) as (track, ways):
        for _ in range(samples):
            for name, press in ways.items():
                found.setdefault(name, []).append(await track.press_to_safe(press))
    return found


def _bare_process() -> Stop:
    began = time.monotonic()
    waited_s = run_program(sys.executable, "-IS", "-c", "")
    return Stop(time.monotonic() - began, waited_s, 0.0)


def row(stops: list[Stop]) -> dict[str, float]:
    """Milliseconds of all presses, and of those on a calm computer."""
    times = sorted(stop.seconds * 1e3 for stop in stops)
    calm = sorted((stop.seconds - stop.waited_s) * 1e3 for stop in stops if stop.is_calm)
    return {
        "p50_ms": _at(times, 0.5),
        "p99_ms": _at(times, 0.99),
        "max_ms": times[-1],
        "own_max_ms": max(stop.seconds - stop.waited_s for stop in stops) * 1e3,
        "calm": len(calm),
        "calm_p99_ms": _at(calm, 0.99) if calm else 0.0,
    }


def _at(values: list[float], share: float) -> float:
    return values[min(int(share * len(values)), len(values) - 1)]


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    rows = {name: row(stops) for name, stops in measure(options.samples).items()}
    if options.json:
        print(json.dumps(rows))
        return 0
    columns = ("p50 ms", "p99 ms", "max ms", "own max ms", "calm", "its p99 ms")
    print(f"{'press -> safe pins':20}" + "".join(f"{each:>12}" for each in columns))
    for name, values in rows.items():
        cells = (
            f"{value:12.0f}" if key == "calm" else f"{value:12.1f}" for key, value in values.items()
        )
        print(f"{name:20}{''.join(cells)}")
    print("budget: p99 50 ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
