"""How evenly a role moves a joint: a role daemon of its own drives a servo through a long motion at
100 Hz, and the simulated pin notes when it is written. Beside it, turn by turn, a bare loop of the
same kind in a process that does nothing else.

`python -m tools.bench.role_loop [--seconds 20] [--json]`. The budget is 3 ms at the 99th percentile
on an idle machine. Jitter is how far the time between two writes is from 10 ms. Turns during which
the host kept this machine's processors do not count; up to three times as many are made instead.
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import math
import os
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from pathlib import Path

from saint_services.lib import config as settings
from saint_services.lib.api.node import RoleAssignment, RoleReport
from saint_services.lib.bus import Bus
from saint_services.lib.bus.open import open_bus
from saint_services.lib.errors import SaintError
from saint_services.lib.generated.saint_msgs import HeadCommand, RouterHeartbeat
from saint_services.lib.generated.topics import HEAD_CMD, ROUTER_CREDENTIAL, ROUTER_HEARTBEAT
from saint_services.lib.ipc import Client
from saint_services.lib.role_config.model import RoleConfig
from tests.integration.robot import short_folder
from tests.unit.role.credentials import SERVER, credential
from tools import sim
from tools.launch import domain
from tools.sim.observe import PinWatch

from .latency import at, stolen_ms

ROOT = Path(__file__).resolve().parents[2]
PERIOD_NS = 10_000_000
COMMAND_S = 0.2  # the role's deadline is 0.25 s
PAN_PIN, FAR = 12, 150.0
BLOCK_S = 2.0
CALM_MS = 20  # of processor time that the host may keep meanwhile; it is counted in steps of 10
_MOST_TRIES = 3
_START_S = 30.0

BARE = """
import asyncio, time
try:
    import uvloop
    run = uvloop.run
except ImportError:
    run = asyncio.run
async def main():
    loop = asyncio.get_running_loop()
    end, due, last = loop.time() + float({seconds}), loop.time() + 0.01, 0
    done = loop.create_future()
    def tick():
        nonlocal due, last
        now = time.monotonic_ns()
        if last:
            print(now - last)
        last, due = now, max(due + 0.01, loop.time())
        if loop.time() < end:
            loop.call_at(due, tick)
        else:
            done.set_result(None)
    loop.call_at(due, tick)
    await done
run(main())
"""


@dataclass(frozen=True, slots=True)
class Figures:
    """The role beside the bare loop."""

    p50_ms: float
    p99_ms: float
    max_ms: float
    samples: int
    bare_p50_ms: float
    bare_p99_ms: float
    bare_max_ms: float
    turns: int  # that count
    tried: int


class Router:
    """What a role needs to move: heartbeats, and commands that never arrive."""

    def __init__(self, bus: Bus) -> None:
        self._beat = bus.publisher(ROUTER_HEARTBEAT)
        self._command = bus.publisher(HEAD_CMD)
        self._numbers = itertools.count(1)
        self.sent_ns: list[int] = []

    async def live(self, seconds: float) -> None:
        """Turn the head left and right."""
        end_s = time.monotonic() + seconds
        for number in itertools.count():
            if time.monotonic() > end_s:
                return
            self._beat.publish(RouterHeartbeat(sequence=next(self._numbers)))
            side = FAR if number // 3 % 2 else -FAR
            self.sent_ns.append(time.monotonic_ns())
            self._command.publish(HeadCommand(side, math.nan, math.nan, 1.0))
            await asyncio.sleep(COMMAND_S)


@dataclass(frozen=True, slots=True)
class _Turn:
    role: list[float]
    bare: list[float]
    is_calm: bool


async def measure(seconds: float) -> Figures:
    """Role and bare loop in turns."""
    turns: list[_Turn] = []
    wanted = max(1, round(seconds / BLOCK_S))
    with short_folder() as folder:
        async with moving_role(folder) as (router, watch):
            while sum(t.is_calm for t in turns) < wanted and len(turns) < wanted * _MOST_TRIES:
                kept_ms = stolen_ms()
                role = await role_block(router, watch, BLOCK_S)
                bare = await bare_block(BLOCK_S)
                turns.append(_Turn(role, bare, stolen_ms() - kept_ms <= CALM_MS))
    calm = [turn for turn in turns if turn.is_calm]
    counted = calm or turns
    role = [value for turn in counted for value in turn.role]
    bare = [value for turn in counted for value in turn.bare]
    return Figures(
        at(role, 0.5), at(role, 0.99), max(role), len(role),
        at(bare, 0.5), at(bare, 0.99), max(bare), len(calm), len(turns),
    )  # fmt: skip


@contextlib.asynccontextmanager
async def moving_role(folder: Path) -> AsyncIterator[tuple[Router, PinWatch]]:
    """role-headd with an assignment, as noded would give it."""
    held = domain.choose(None)
    os.environ |= {"ROS_DOMAIN_ID": str(held.number), "SAINT_DDS_INTERFACE": "lo"}
    head = settings.load(RoleConfig, ROOT / "manifests" / "roles" / "head.yaml", required=True)
    processes = await started(folder, "role_headd", f"sim:{folder / 'hw'}")
    client, bus = Client(folder / "run" / "role-headd.sock"), await open_bus("bench")
    watch = PinWatch(folder / "hw")
    assignment = RoleAssignment(node_id="n", config=head, server_key=SERVER.public)
    bus.publisher(ROUTER_CREDENTIAL).publish(credential(bus.origin))
    reports = client.stream("POST", "/assignment", assignment, RoleReport)
    try:
        first = await anext(reports)
        if not first.ready:
            raise SystemExit(f"the role is not ready: {first.reason}")
        following = asyncio.create_task(_follow(reports))
        yield Router(bus), watch
        following.cancel()
    finally:
        for process in processes:
            process.kill()
            await process.wait()
        watch.close()
        await client.close()
        await bus.close()
        held.lock.close()


async def _follow(reports: AsyncIterator[RoleReport]) -> None:
    async for _ in reports:
        pass


async def started(folder: Path, role: str, hardware: str) -> list[Process]:
    """Start the guard and a role, which moves nothing without a guard."""
    for name in ("etc", "state", "run", "hw"):
        (folder / name).mkdir()
    environment = (
        os.environ
        | sim.environment()
        | {
            "CONFIGURATION_DIRECTORY": str(folder / "etc"),
            "STATE_DIRECTORY": str(folder / "state"),
            "RUNTIME_DIRECTORY": str(folder / "run"),
            "SAINT_HW": hardware,
            "SAINT_REALTIME": "2",  # as its unit has it; works for root
        }
    )
    processes = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-m", f"saint_services.{name}", cwd=ROOT, env=environment
        )
        for name in ("guardd", role)
    ]
    socket = folder / "run" / f"{role.replace('_', '-')}.sock"
    async with asyncio.timeout(_START_S), Client(socket) as client:
        while True:
            if await _is_up(folder, client):
                return processes
            await asyncio.sleep(0.1)


async def _is_up(folder: Path, client: Client) -> bool:
    with contextlib.suppress(SaintError):
        await client.get("/status", RoleReport)
        return (folder / "run" / "guardd.sock").exists()
    return False


async def role_block(router: Router, watch: PinWatch, seconds: float) -> list[float]:
    """Jitter in milliseconds of every pair of writes without a command between or just before."""
    moving = asyncio.create_task(router.live(seconds))
    stamps: list[tuple[int, int]] = []  # count of writes, when
    while not moving.done():
        pin = watch.read(PAN_PIN)
        if not stamps or stamps[-1][0] != pin.writes:
            stamps.append((pin.writes, pin.stamp_ns))
        await asyncio.sleep(0.002)
    found = []
    for (count, first_ns), (after, second_ns) in itertools.pairwise(stamps[20:]):
        is_whole = after == count + 1
        is_free = not any(
            first_ns - PERIOD_NS < sent < second_ns for sent in router.sent_ns[-2000:]
        )
        if is_whole and is_free:
            found.append(abs(second_ns - first_ns - PERIOD_NS) / 1e6)
    return found


async def bare_block(seconds: float) -> list[float]:
    """The same of a loop that has nothing to do."""
    code = BARE.format(seconds=seconds)
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=PIPE)
    said, _ = await process.communicate()
    return [abs(int(line) - PERIOD_NS) / 1e6 for line in said.split()]


def table(found: Figures) -> str:
    """The figures for people."""
    return (
        f"{'':34}{'p50 ms':>9}{'p99 ms':>9}{'max ms':>9}\n"
        f"{'role loop, jitter at 100 Hz':34}{found.p50_ms:9.3f}{found.p99_ms:9.3f}"
        f"{found.max_ms:9.3f}   {found.samples} samples; budget 3 at p99\n"
        f"{'bare loop':34}{found.bare_p50_ms:9.3f}{found.bare_p99_ms:9.3f}"
        f"{found.bare_max_ms:9.3f}\n"
        + (
            f"{found.turns} calm turns of {found.tried}"
            if found.turns
            else "THE HOST WAS BUSY IN ALL TURNS: this judges nothing"
        )
    )


def main() -> None:
    """Print both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    chosen = parser.parse_args()
    found = asyncio.run(measure(chosen.seconds))
    print(json.dumps(asdict(found)) if chosen.json else table(found))


if __name__ == "__main__":
    main()
