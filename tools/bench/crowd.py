"""Stick to motor beside a crowd: a 500 Hz receiver, 64 input values, 128 outputs, and fifty pages
that are sent every input 50 times a second. Blocks with and without the pages take turns.

`python -m tools.bench.crowd [--rounds 10] [--samples 1000] [--json]`. The budget is 10 %, between
the medians of the blocks' 99th percentiles: a slow minute of the host hits both.
"""

import argparse
import asyncio
import contextlib
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from saint_services.lib.api.livelink import ListenerList
from tests.integration.robot import Robot, running_robot
from tools.bench import surroundings, wide
from tools.bench.latency import Stick, at, stolen_ms
from tools.launch.realtime import is_permitted

PERIOD_S = 0.002
BUDGET = 1.10
_ABOVE_ALL = 10  # the receiver's line is hardware: nothing on the robot stands before it
_CONTROL = (("server", "rcd"), ("server", "routerd"), ("tracks", "role-tracksd"))


@dataclass(frozen=True, slots=True)
class Side:
    """With or without pages: the median of what the blocks had."""

    p50_ms: float
    p99_ms: float
    worst_p99_ms: float  # of one block
    lost: int  # frames without effect
    stolen_ms: int  # processor time that the host kept from this machine meanwhile


@dataclass(frozen=True, slots=True)
class Figures:
    """Both sides of one run."""

    alone: Side
    beside: Side
    ratio_p50: float
    ratio_p99: float
    rounds: int
    samples: int  # of a block
    states_hz: float  # that reached the pages, all together
    commands_hz: float  # that reached the added arms
    priorities: dict[str, int]  # real-time priority of the daemons on the way; 0: none


@dataclass(frozen=True, slots=True)
class _Block:
    p50_ms: float
    p99_ms: float
    lost: int
    stolen_ms: int


def measure(rounds: int, samples: int) -> Figures:
    """Blocks alone and beside the pages in turns."""
    alone: list[_Block] = []
    beside: list[_Block] = []
    states: list[float] = []
    with _wide_robot() as robot, _company(robot) as heard:
        stick = Stick(robot)
        port = str(robot.report()["ports"]["saint"])
        for number in range(rounds):
            if number % 2 == 0:
                alone.append(_block(stick, samples))
            with surroundings.part(robot, "pages", port) as said:
                beside.append(_block(stick, samples))
            states += map(float, said)
            if number % 2:
                alone.append(_block(stick, samples))
        stick.close()
        priorities = {name: _priority(robot, machine, name) for machine, name in _CONTROL}
    one, other = _side(alone), _side(beside)
    return Figures(
        one, other, other.p50_ms / one.p50_ms, other.p99_ms / one.p99_ms, rounds, samples,
        statistics.median(states), float(heard[0]), priorities,
    )  # fmt: skip


@contextlib.contextmanager
def _wide_robot() -> Iterator[Robot]:
    with tempfile.TemporaryDirectory(prefix="saint-") as folder:
        os.environ["SAINT_SHARE"] = str(wide.share(Path(folder) / "share"))
        try:
            with running_robot() as robot:
                yield robot
        finally:
            del os.environ["SAINT_SHARE"]


@contextlib.contextmanager
def _company(robot: Robot) -> Iterator[list[str]]:
    """A phone that sends, and nodes that hear; yields what these say in the end."""
    port = asyncio.run(_subject_port(robot))
    with (
        surroundings.part(robot, "nodes") as heard,
        surroundings.part(robot, "phone", "127.0.0.1", port),
    ):
        yield heard


async def _subject_port(robot: Robot) -> str:
    async with robot.client("livelinkd") as client:
        told = await client.get("/formats", ListenerList)
    (found,) = [each for each in told.formats if each.format == "json"]
    return found.addresses[0].rpartition(":")[2]


def _priority(robot: Robot, machine: str, name: str) -> int:
    if not hasattr(os, "sched_getparam"):
        return 0
    return os.sched_getparam(robot.pid(name, machine)).sched_priority


def _block(stick: Stick, samples: int) -> _Block:
    stolen = stolen_ms()
    with _above_all():
        found, lost = stick.block(samples, PERIOD_S)
    return _Block(at(found, 0.50), at(found, 0.99), lost, stolen_ms() - stolen)


@contextlib.contextmanager
def _above_all() -> Iterator[None]:
    """Where this computer permits it. What we start meanwhile does not inherit it."""
    if not is_permitted(_ABOVE_ALL):
        yield
        return
    policy = os.SCHED_RR | os.SCHED_RESET_ON_FORK
    os.sched_setscheduler(0, policy, os.sched_param(_ABOVE_ALL))
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def _side(blocks: list[_Block]) -> Side:
    p99s = [block.p99_ms for block in blocks]
    return Side(
        statistics.median(block.p50_ms for block in blocks),
        statistics.median(p99s),
        max(p99s),
        sum(block.lost for block in blocks),
        sum(block.stolen_ms for block in blocks),
    )


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--samples", type=int, default=1000, help="of a block")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    found = measure(options.rounds, options.samples)
    print(json.dumps(asdict(found)) if options.json else table(found))
    return 0


def table(found: Figures) -> str:
    """The figures for people."""
    outputs, values = wide.OUTPUTS, wide.SUBJECT_VALUES + 16
    title = f"500 Hz, {values} values, {outputs} outputs"
    lines = [f"{title:34}{'p50 ms':>9}{'p99 ms':>9}{'worst':>9}{'lost':>6}{'stolen ms':>11}"]
    for name, side in (("without pages", found.alone), ("beside fifty pages", found.beside)):
        figures = f"{side.p50_ms:9.3f}{side.p99_ms:9.3f}{side.worst_p99_ms:9.3f}"
        lines.append(f"{name:34}{figures}{side.lost:6}{side.stolen_ms:11}")
    budget = f"budget {BUDGET:.2f} at p99"
    lines.append(f"{'ratio':34}{found.ratio_p50:9.2f}{found.ratio_p99:9.2f}   {budget}")
    priority = ", ".join(f"{name} {number}" for name, number in found.priorities.items())
    lines += [
        f"medians of {found.rounds} blocks of {found.samples} frames each, in turns",
        f"the pages got {found.states_hz:.0f} states/s, the added arms {found.commands_hz:.0f} "
        "commands/s; both stand for other computers",
        "and run in what the robot leaves of this one",
        f"real-time priority (0: not permitted here): {priority}",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
