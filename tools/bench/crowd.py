"""Stick to motor beside a crowd: a 500 Hz receiver, a face of 61 values at 60 Hz, and fifty pages
that are sent every input 50 times a second. Robot alone and robot with the pages take turns.

`python -m tools.bench.crowd [--samples 4000] [--json]`. The budget is 10 % at the 99th percentile.
On a computer whose cores the pages share with the robot, the pages themselves cost it time.
"""

import argparse
import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator

from tests.integration.robot import Robot, running_robot
from tests.integration.senders import RECORDED_FACE, phone
from tools.bench.latency import at, robot_block

PERIOD_S = 0.002
BLOCKS = 4
LIMIT_S = 60.0


@contextlib.contextmanager
def crowd(robot: Robot) -> Iterator[None]:
    """Fifty pages, in one process of their own."""
    port = str(robot.report()["ports"]["saint"])
    command = [sys.executable, "-m", "tools.bench.web", "--part", "crowd", "--port", port]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        assert process.stdout and process.stdout.readline() == "ready\n"
        yield
    finally:
        process.terminate()
        process.communicate(timeout=LIMIT_S)


def measure(samples: int) -> dict[str, list[float]]:
    """Milliseconds, alone and beside the crowd."""
    share = samples // BLOCKS
    found: dict[str, list[float]] = {"alone": [], "beside": []}
    with running_robot() as robot, phone(robot, RECORDED_FACE, rate_hz=60.0):
        for _ in range(BLOCKS):
            found["alone"] += robot_block(robot, share, PERIOD_S)[0]
            with crowd(robot):
                found["beside"] += robot_block(robot, share, PERIOD_S)[0]
    return found


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--samples", type=int, default=4000, help="of each")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    found = measure(options.samples)
    rows = {name: (at(times, 0.50), at(times, 0.99)) for name, times in found.items()}
    if options.json:
        print(json.dumps(rows))
        return 0
    print(f"{'stick to motor, 500 Hz, a face':34}{'p50 ms':>9}{'p99 ms':>9}")
    for name, (p50, p99) in rows.items():
        print(f"{name:34}{p50:9.3f}{p99:9.3f}")
    ratio = rows["beside"][1] / rows["alone"][1]
    print(f"p99 with fifty pages is {ratio:.2f} x that without (budget 1.10 x)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
