"""What the idle robot costs: memory and processor of every daemon, summed for the server set and
for the largest node set, beside a bare Python process in the same run.

`python -m tools.bench.memory [--json] [--robot saint_two] [--feed demo]`: that one has a node with
four roles. With `--beside CHECKOUT` it measures another checkout (with its own .venv) and this one
in turns: processor time and wake-ups of each daemon, and the memory of all; `--turns`, `--seconds`.

The proportional set size (PSS) shares file pages between all processes that map them. Here that is
every daemon of the robot; on its Pi a node shares with nobody. So each set is also given as it is
alone: the anonymous memory of its processes, and the pages of each file once. Budgets are held
against that figure.
"""

import argparse
import asyncio
import contextlib
import json
import re
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from saint_services.lib.health import HealthReport
from tests.integration.robot import ROOT, Robot, running_robot
from tools.bench.bus import Process, measure_process

SERVER_BUDGET_MB = 180.0
NODE_BUDGET_MB = 80.0
# What the bus adds to a process with asyncio, which alone takes 23 MB.
IMPORT_BUDGET_MS = 60.0
BUS_BUDGET_MB = 20.0
_ON_REQUEST = "teleopd"  # runs only while there is a session: listed, and in no set
_SETTLE_S = 4.0
_CPU_S = 5.0
_START_S = 20.0
_MB = 1e6
# "7f0c-7f0d r-xp 00001000 08:01 1234   /path": a mapping begins. Anonymous ones have inode 0.
_MAPPING = re.compile(r"[0-9a-f]+-[0-9a-f]+ \S+ ([0-9a-f]+) \S+ (\d+) *(.*)")
_FIGURE = re.compile(r"(Rss|Pss|Anonymous): +(\d+) kB")


@dataclass(slots=True)
class Memory:
    """Of one process, in bytes. `files` holds the resident pages of each mapped file part."""

    pss: int = 0
    rss: int = 0
    anonymous: int = 0
    files: dict[tuple[str, str], int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Row:
    """One daemon, or one set of them."""

    name: str
    pss_mb: float
    rss_mb: float
    anonymous_mb: float
    cpu_percent: float
    alone_mb: float  # if nobody else were on this computer


@dataclass(frozen=True, slots=True)
class Figures:
    """Everything that is printed."""

    bare: Row
    daemons: list[Row]
    server: Row
    node: Row
    bus: Process

    def faults(self) -> list[str]:
        """Budgets that are not kept."""
        bus = self.bus
        held = (
            (self.server.name, self.server.alone_mb, SERVER_BUDGET_MB, "MB"),
            (self.node.name, self.node.alone_mb, NODE_BUDGET_MB, "MB"),
            ("import of the bus", bus.import_ms - bus.import_asyncio_ms, IMPORT_BUDGET_MS, "ms"),
            ("memory of the bus", bus.rss_mb - bus.rss_asyncio_mb, BUS_BUDGET_MB, "MB"),
        )
        return [
            f"{name}: {value:.1f} {unit} of {budget:g}"
            for name, value, budget, unit in held
            if value > budget
        ]


def measure(*options: str) -> Figures:
    """Start a robot (`options` are those of tools.run), let it come to rest, look."""
    with running_robot(*options) as robot, _bare_process() as bare_pid:
        asyncio.run(_start_all(robot))
        time.sleep(_SETTLE_S)
        pids = {f"{machine}/{name}": pid for (machine, name), pid in robot.pids().items()}
        cpu = _cpu_percent([*pids.values(), bare_pid])
        found = {name: _memory(pid) for name, pid in pids.items()}
        bare = _row("bare Python", [_memory(bare_pid)], [cpu[bare_pid]])
    return Figures(
        bare=bare,
        daemons=[_row(name, [found[name]], [cpu[pids[name]]]) for name in sorted(found)],
        server=_set(found, pids, cpu, "server"),
        node=max(
            (_set(found, pids, cpu, machine) for machine in _nodes(found)),
            key=lambda row: row.alone_mb,
        ),
        bus=measure_process(),
    )


@dataclass(slots=True)
class Load:
    """What the daemons of one checkout cost, summed over its turns."""

    turns: int = 0
    cpu_percent: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    # A second, of all threads.
    wake_ups: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    pss_mb: float = 0.0

    def add(self, robot: Robot, seconds: float) -> None:
        """Measure a robot that has come to rest, or to its feed."""
        pids = {f"{machine}/{name}": pid for (machine, name), pid in robot.pids().items()}
        pids = {name: pid for name, pid in pids.items() if not name.startswith("input/")}
        switches = {name: _switches(pid) for name, pid in pids.items()}
        cpu = _cpu_percent(list(pids.values()), seconds)
        for name, pid in pids.items():
            self.cpu_percent[name] += cpu[pid]
            self.wake_ups[name] += (_switches(pid) - switches[name]) / seconds
        self.pss_mb += sum(_memory(pid).pss for pid in pids.values()) / _MB
        self.turns += 1


def compare(other: Path, turns: int, seconds: float, *options: str) -> tuple[Load, Load]:
    """Measure another checkout and this one in turns."""
    loads = (Load(), Load())
    for _ in range(turns):
        for load, checkout in zip(loads, (other, ROOT), strict=True):
            with running_robot(*options, checkout=checkout) as robot:
                asyncio.run(_start_all(robot))
                time.sleep(_SETTLE_S)
                load.add(robot, seconds)
    return loads


def _print_loads(before: Load, now: Load) -> None:
    print(f"{'':28}{'CPU %':>8}{'now':>8}{'wake-ups/s':>12}{'now':>8}")
    for name in sorted(before.cpu_percent, key=before.cpu_percent.__getitem__, reverse=True):
        figures = [load.cpu_percent[name] / load.turns for load in (before, now)]
        wakes = [load.wake_ups[name] / load.turns for load in (before, now)]
        print(f"{name:28}{figures[0]:8.2f}{figures[1]:8.2f}{wakes[0]:12.0f}{wakes[1]:8.0f}")
    first, last = (sum(load.cpu_percent.values()) / load.turns for load in (before, now))
    print(f"{'all':28}{first:8.2f}{last:8.2f}   {last / first:.2f} x")
    print(f"PSS of all: {before.pss_mb / before.turns:.0f}, {now.pss_mb / now.turns:.0f} MB")


async def _start_all(robot: Robot) -> None:
    """Daemons that start on request run too."""
    for name in robot.report()["machines"]["server"]["daemons"]:
        if name != "webd":  # has no unix socket; the robot is ready when its page answers
            async with robot.client(name) as client:
                await client.get("/health", HealthReport, timeout_s=_START_S)


@contextlib.contextmanager
def _bare_process() -> Iterator[int]:
    """The interpreter that does nothing."""
    command = [sys.executable, "-c", "import sys; print(flush=True); sys.stdin.read()"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin and process.stdout
        process.stdout.readline()
        yield process.pid
        process.stdin.close()


def _nodes(names: dict[str, Memory]) -> list[str]:
    """Machines that have a role: the others cost less."""
    return sorted({name.split("/")[0] for name in names if "/role-" in name})


def _set(
    found: dict[str, Memory], pids: dict[str, int], cpu: dict[int, float], machine: str
) -> Row:
    names = [name for name in found if name.startswith(f"{machine}/")]
    names = [name for name in names if not name.endswith(f"/{_ON_REQUEST}")]
    title = f"{machine}: {', '.join(sorted(name.split('/')[1] for name in names))}"
    return _row(title, [found[name] for name in names], [cpu[pids[name]] for name in names])


def _row(name: str, parts: Sequence[Memory], cpu: Sequence[float]) -> Row:
    anonymous = sum(part.anonymous for part in parts)
    return Row(
        name=name,
        pss_mb=sum(part.pss for part in parts) / _MB,
        rss_mb=sum(part.rss for part in parts) / _MB,
        anonymous_mb=anonymous / _MB,
        cpu_percent=sum(cpu),
        alone_mb=(anonymous + _files_once(parts)) / _MB,
    )


def _files_once(parts: Sequence[Memory]) -> int:
    """Pages of each file part as often as the process has them that has most of them."""
    most: dict[tuple[str, str], int] = {}
    for part in parts:
        for key, size in part.files.items():
            most[key] = max(size, most.get(key, 0))
    return sum(most.values())


def _memory(pid: int) -> Memory:
    """From the kernel's list of mappings."""
    found = Memory()
    key, rss = ("", ""), 0
    for line in Path(f"/proc/{pid}/smaps").read_text(encoding="utf-8").splitlines():
        if mapping := _MAPPING.fullmatch(line):
            key = (mapping[3], mapping[1])
        elif figure := _FIGURE.match(line):
            size = int(figure[2]) * 1024
            match figure[1]:
                case "Rss":
                    found.rss += size
                    rss = size
                case "Pss":
                    found.pss += size
                case _:  # comes after Rss
                    found.anonymous += size
                    found.files[key] = found.files.get(key, 0) + rss - size
    return found


def _switches(pid: int) -> int:
    """Voluntary context switches of all threads."""
    found = 0
    for path in Path(f"/proc/{pid}/task").glob("*/status"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread has ended
            text = path.read_text(encoding="utf-8")
            found += int(text.split("\nvoluntary_ctxt_switches:")[1].split()[0])
    return found


def _cpu_percent(pids: Sequence[int], seconds: float = _CPU_S) -> dict[int, float]:
    """Of one core, over a few seconds."""
    before, started = {pid: cpu_ns(pid) for pid in pids}, time.monotonic_ns()
    time.sleep(seconds)
    passed = time.monotonic_ns() - started
    return {pid: 100.0 * (cpu_ns(pid) - before[pid]) / passed for pid in pids}


def cpu_ns(pid: int) -> int:
    """Time on a core of all threads; finer than the clock ticks of /proc/<pid>/stat."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(path.read_text(encoding="ascii").split()[0]) for path in threads)


def _print(figures: Figures) -> None:
    print(f"{'':44}{'alone':>8}{'PSS':>8}{'RSS':>8}{'anon.':>8}{'CPU %':>8}   (MB)")
    for row in [figures.bare, *figures.daemons, figures.server, figures.node]:
        sizes = (row.alone_mb, row.pss_mb, row.rss_mb, row.anonymous_mb, row.cpu_percent)
        name = row.name if len(row.name) < 44 else f"{row.name[:40]}..."
        print(f"{name:44}" + "".join(f"{size:8.1f}" for size in sizes))
    bus = figures.bus
    print(
        f"process with the bus: import {bus.import_ms:.0f} ms, {bus.rss_mb:.1f} MB "
        f"(asyncio alone {bus.import_asyncio_ms:.0f} ms, {bus.rss_asyncio_mb:.1f} MB)"
    )
    print(
        f"budgets: server set {SERVER_BUDGET_MB:g} MB, node set {NODE_BUDGET_MB:g} MB (alone), "
        f"the bus's own part {IMPORT_BUDGET_MS:g} ms, {BUS_BUDGET_MB:g} MB"
    )
    for fault in figures.faults():
        print(f"OVER BUDGET: {fault}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the memory of the idle robot.")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--robot", default="saint", help="which of manifests/robots")
    parser.add_argument("--feed", help="also play input into it, as tools.run does")
    parser.add_argument("--beside", type=Path, help="another checkout, measured in turns")
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each turn")
    chosen = parser.parse_args()
    options = ["--robot", chosen.robot, *(("--feed", chosen.feed) if chosen.feed else ())]
    if chosen.beside:
        other = chosen.beside.resolve()
        _print_loads(*compare(other, chosen.turns, chosen.seconds, *options))
        return
    figures = measure(*options)
    if chosen.json:
        print(json.dumps({**asdict(figures), "faults": figures.faults()}))
    else:
        _print(figures)
    sys.exit(1 if figures.faults() else 0)


if __name__ == "__main__":
    main()
