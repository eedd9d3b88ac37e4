"""Stick to motor beside a crowd: a 500 Hz receiver, 64 input values, 128 outputs, and fifty pages
that are sent every input 50 times a second. Blocks with and without the pages take turns.

`python -m tools.bench.crowd [--rounds 20] [--samples 1000] [--json]`. The budget is 10 %, between
the medians of the blocks' 99th percentiles. A pair of blocks counts when the host left this machine
alone during both; where it does not, more are made, at most three times as many.
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

from saint_services.lib.api.livelink import FormatList
from tests.integration.robot import Robot, running_robot
from tools.bench import surroundings, wide
from tools.bench.latency import Stick, at, stolen_ms
from tools.launch.services.realtime import is_permitted

PERIOD_S = 0.002
BUDGET = 1.10
CALM_MS = 120  # of processor time that the host may keep from a block of two seconds on two cores
_MOST_TRIES = 3  # times the requested rounds
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
    rounds: int  # pairs that count
    tried: int  # pairs that were made
    samples: int  # of a block
    states_hz: float  # that reached the pages, all together
    commands_hz: float  # that reached the added arms
    priorities: dict[str, int]  # real-time priority of the daemons on the way; 0: none


@dataclass(frozen=True, slots=True)
class Block:
    """A few seconds of the stick."""

    p50_ms: float
    p99_ms: float
    lost: int
    stolen_ms: int

    @property
    def is_calm(self) -> bool:
        """Whether the host left this machine alone."""
        return self.stolen_ms <= CALM_MS


_Pair = tuple[Block, Block]  # alone, beside the pages


def measure(rounds: int, samples: int) -> Figures:
    """Pairs of blocks, alone and beside the pages, until so many were made in calm."""
    pairs: list[_Pair] = []
    states: list[float] = []
    with wide_robot() as robot, company(robot) as reports:
        stick = Stick(robot)
        port = str(robot.report()["ports"]["saint"])
        while len(_calm(pairs)) < rounds and len(pairs) < rounds * _MOST_TRIES:
            is_alone_first = len(pairs) % 2 == 0
            alone = block_of(stick, samples) if is_alone_first else None
            with surroundings.part(robot, "pages", port) as said:
                beside = block_of(stick, samples)
            pairs.append((alone or block_of(stick, samples), beside))
            states += map(float, said)
        stick.close()
        priorities = {name: _priority(robot, machine, name) for machine, name in _CONTROL}
    counted = _calm(pairs) or pairs
    one, other = _side([pair[0] for pair in counted]), _side([pair[1] for pair in counted])
    return Figures(
        one, other, other.p50_ms / one.p50_ms, other.p99_ms / one.p99_ms,
        len(_calm(pairs)), len(pairs), samples,
        statistics.median(states), float(reports[0]), priorities,
    )  # fmt: skip


def _calm(pairs: list[_Pair]) -> list[_Pair]:
    return [pair for pair in pairs if all(block.is_calm for block in pair)]


@contextlib.contextmanager
def wide_robot() -> Iterator[Robot]:
    """The robot with as many outputs as one can have."""
    with tempfile.TemporaryDirectory(prefix="saint-") as folder:
        os.environ["SAINT_SHARE"] = str(wide.share(Path(folder) / "share"))
        try:
            with running_robot() as robot:
                yield robot
        finally:
            del os.environ["SAINT_SHARE"]


@contextlib.contextmanager
def company(robot: Robot) -> Iterator[list[str]]:
    """A phone that sends, and nodes that listen; yields their last reports."""
    port = asyncio.run(_subject_port(robot))
    with (
        surroundings.part(robot, "nodes") as reports,
        surroundings.part(robot, "phone", "127.0.0.1", port),
    ):
        yield reports


async def _subject_port(robot: Robot) -> str:
    async with robot.client("livelinkd") as client:
        listed = await client.get("/formats", FormatList)
    (found,) = [each for each in listed.formats if each.format == "json"]
    return found.addresses[0].rpartition(":")[2]


def _priority(robot: Robot, machine: str, name: str) -> int:
    if not hasattr(os, "sched_getparam"):
        return 0
    return os.sched_getparam(robot.pid(name, machine)).sched_priority


def block_of(stick: Stick, samples: int) -> Block:
    """So many moves of the stick, one after the other."""
    stolen = stolen_ms()
    with _above_all():
        found, lost = stick.block(samples, PERIOD_S)
    return Block(at(found, 0.50), at(found, 0.99), lost, stolen_ms() - stolen)


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


def _side(blocks: list[Block]) -> Side:
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
    parser.add_argument("--rounds", type=int, default=20, help="pairs in calm")
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
        f"medians of {found.rounds or found.tried} pairs of blocks of {found.samples} frames, "
        f"in turns; {_how_calm(found)}",
        f"the pages got {found.states_hz:.0f} states/s, the added arms {found.commands_hz:.0f} "
        "commands/s; both stand for other computers",
        "and run in what the robot leaves of this one",
        f"real-time priority (0: not permitted here): {priority}",
    ]
    return "\n".join(lines)


def _how_calm(found: Figures) -> str:
    if not found.rounds:
        return "THE HOST WAS BUSY IN ALL OF THEM: this judges nothing"
    return f"the host was busy in {found.tried - found.rounds} others"


if __name__ == "__main__":
    sys.exit(main())
