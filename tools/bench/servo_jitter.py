"""How evenly the turns of an arm's bus begin at 200 Hz: six simulated servos behind a pseudo
terminal, a sync write and a sync read a turn; beside it, in turns, a bare loop with the same bytes.

`python -m tools.bench.servo_jitter [--seconds 12] [--rate 200] [--json]`
"""

import argparse
import itertools
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from saint_services.lib.hw.bus_servos import bus

from .latency import at
from .servos import Note, bare, ours, servos

_BLOCK_S = 2.0
Drive = Callable[[str, float, float, Note], int]


def block(drive: Drive, port: str, period_s: float) -> list[float]:
    """Drive for a block; return the seconds from each turn to the next one."""
    begun_s: list[float] = []
    drive(port, _BLOCK_S, period_s, begun_s.append)
    return [after - before for before, after in itertools.pairwise(begun_s[10:])]


def measure(seconds: float, rate_hz: float) -> dict[str, list[float]]:
    """Measure both in turns."""
    found: dict[str, list[float]] = {"driver": [], "bare": []}
    usual_s = bus.FAST_S
    with servos() as port:
        for _ in range(max(1, round(seconds / 2 / _BLOCK_S))):
            found["driver"] += block(ours, port, 1 / rate_hz)
            found["bare"] += block(bare, port, 1 / rate_hz)
    bus.FAST_S = usual_s
    return found


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--seconds", type=float, default=12.0)
    parser.add_argument("--rate", type=float, default=200.0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    os.chdir(Path(__file__).resolve().parents[2])
    found = measure(options.seconds, options.rate)
    off_ms = {
        name: [1000 * abs(each - 1 / options.rate) for each in ways] for name, ways in found.items()
    }
    shares = {name: (at(each, 0.5), at(each, 0.99)) for name, each in off_ms.items()}
    if options.json:
        print(json.dumps(shares, indent=2))
        return 0
    for name, ways in found.items():
        p50_ms, p99_ms = shares[name]
        print(f"{name:<8}{len(ways) / sum(ways):5.0f} turns/s, off by {p50_ms:.2f} ms", end="")
        print(f" at p50, {p99_ms:.2f} at p99")
    over_ms = shares["driver"][1] - shares["bare"][1]
    print(f"driver over bare at p99: {over_ms:.2f} ms, goal 1 ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
