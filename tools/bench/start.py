"""How long a whole simulated robot takes from `make run` until every node has its role and the page
answers, beside as many bare Python processes that only import what every daemon needs.

`python -m tools.bench.start [--rounds 3] [--json]`. Budget: 8 s, and no more than these processes.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass

from tests.integration.robot import Robot, free_domain, short_folder

BUDGET_S, BUDGET_RATIO = 8.0, 1.0
_BARE = "import aiohttp, cyclonedds, jinja2, pydantic, yaml"


@dataclass(frozen=True, slots=True)
class Figures:
    """Medians of all rounds, in seconds."""

    first_s: float  # nodes are adopted
    again_s: float  # nodes have their roles already
    bare_s: float
    processes: int

    @property
    def ratio(self) -> float:
        """Of a start that adopts nobody, to the bare processes."""
        return self.again_s / self.bare_s


def measure(rounds: int) -> Figures:
    """A new robot, the same once more, the bare processes; so many times."""
    firsts, agains, bares, count = [], [], [], 0
    for _ in range(rounds):
        with short_folder() as root:
            with Robot(root, free_domain()) as robot:
                firsts.append(_until_ready(robot))
                count = len(robot.pids())
                robot.stop()
            with Robot(root, free_domain()) as robot:
                agains.append(_until_ready(robot))
                robot.stop()
        bares.append(_bare(count))
    middle = statistics.median
    return Figures(middle(firsts), middle(agains), middle(bares), count)


def _until_ready(robot: Robot) -> float:
    began_s = time.monotonic()
    robot.wait_ready()
    return time.monotonic() - began_s


def _bare(count: int) -> float:
    began_s = time.monotonic()
    running = [subprocess.Popen([sys.executable, "-c", _BARE]) for _ in range(count)]
    for process in running:
        process.wait()
    return time.monotonic() - began_s


def table(found: Figures) -> str:
    """The figures for people."""
    return (
        f"first start, nodes are adopted      {found.first_s:5.1f} s\n"
        f"next start                          {found.again_s:5.1f} s   (budget {BUDGET_S:g} s)\n"
        f"{found.processes} bare Python processes at once   {found.bare_s:5.1f} s\n"
        f"ratio                               {found.ratio:5.1f}     (budget {BUDGET_RATIO:g})"
    )


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    found = measure(options.rounds)
    print(json.dumps(asdict(found)) if options.json else table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
