"""A stick of the robot's computer to the motor controllers of a wagon: a Twist is published, the
host's drive frame and the board's duty frame are seen on the simulated bus, stamped by their
senders. The boards alone are the rest of the way; a bare chain of the same two hops of the bus is
the baseline of the host.

`python -m tools.bench.wagon [--samples 400] [--json]`
"""

import argparse
import asyncio
import itertools
import json
import multiprocessing
import random
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass, field
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path

from saint_services.lib.api import wagon
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.bus.open import open_bus
from saint_services.lib.errors import SaintError
from saint_services.lib.generated import topics
from saint_services.lib.generated.geometry_msgs import Twist, Vector3
from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.hw.vesc import messages as vesc
from saint_services.lib.wagon import can_frames
from saint_services.lib.wagon.meanings import FULL_SPEED_MPS
from tests.integration.robot import Robot, running_robot
from tools.sim.can_bus import SimCan
from tools.sim.wagon_world import WagonWorld

from . import bus
from .latency import at, stolen_ms

PERIOD_S = 0.05  # of the stick: the board sends every 20 ms
SPEEDS_MPS = (0.50, 0.51)  # small steps stay below the limits of speed changes
LEFT = 68
BUDGET_MS = 2.0
_ARM_LIMIT_S = 30.0
BABBLE_S = 0.00025  # a frame with 8 bytes takes 0.25 ms
_STEADY = 30  # commands before anything is measured

Send = Callable[[float], int]


@dataclass(slots=True)
class Delays:
    """Milliseconds of each command."""

    host: list[float] = field(default_factory=list)  # Twist -> 0x300
    boards: list[float] = field(default_factory=list)  # 0x300 -> duty of the left VESC
    lost: int = 0


@dataclass(frozen=True, slots=True)
class Figures:
    """The whole way, its parts, and the bare chain."""

    p50_ms: float
    p99_ms: float
    host_p50_ms: float
    host_p99_ms: float
    boards_p50_ms: float
    boards_p99_ms: float
    babble_p50_ms: float  # the host beside a node that babbles
    babble_p99_ms: float
    chain_p50_ms: float
    chain_p99_ms: float
    samples: int
    lost: int
    babbled_hz: float
    stolen_ms: int  # processor time that the machine below kept meanwhile


class Line:
    """The frames of a wagon's bus since `clear`, with the time at which each was sent."""

    def __init__(self, robot: Robot) -> None:
        self._port = SimCan(robot.hw("wagon"), "can0")
        self._duty = 0.0
        self.world = WagonWorld(robot.hw("wagon"))
        self.drives: list[tuple[int, int]] = []  # speed and time in ns of each 0x300
        self.changes_ns: list[int] = []  # of the left duty

    def clear(self) -> None:
        """Forget what was sent until now."""
        self.look()
        self.drives.clear()
        self.changes_ns.clear()

    def look(self) -> None:
        """Read what was sent."""
        while frames := self._port.receive():
            for frame in frames:
                if not frame.is_extended and frame.id == 0x300:
                    self.drives.append((can_frames.decode(frame).speed, frame.t_ns))
                elif frame.is_extended and frame.id == LEFT:
                    self._note(vesc.decode(frame).content.value, frame.t_ns)

    def _note(self, duty: float, at_ns: int) -> None:
        if duty != self._duty:
            self._duty = duty
            self.changes_ns.append(at_ns)

    def delays_ms(self, wanted: int, sent_ns: int) -> tuple[float, float] | None:
        """Return the host's and the boards' part for a speed; None where one is missing."""
        driven = [at_ns for speed, at_ns in self.drives if speed == wanted and at_ns >= sent_ns]
        changed = [at_ns for at_ns in self.changes_ns if driven and at_ns >= driven[0]]
        if not changed:
            return None
        return (driven[0] - sent_ns) / 1e6, (changed[0] - driven[0]) / 1e6

    def close(self) -> None:
        """Leave the bus."""
        self._port.close()
        self.world.close()


def measure(samples: int) -> Figures:
    """The wagon, then the chain."""
    began_ms = stolen_ms()
    with running_robot("--robot", "saul_tee") as robot:
        found, beside, babbled_hz = asyncio.run(_measure(robot, samples))
    chain = bus.chain_delays_ms(samples, pause_s=PERIOD_S / 4)
    whole = [sum(pair) for pair in zip(found.host, found.boards, strict=True)]
    return Figures(
        p50_ms=at(whole, 0.50),
        p99_ms=at(whole, 0.99),
        host_p50_ms=at(found.host, 0.50),
        host_p99_ms=at(found.host, 0.99),
        boards_p50_ms=at(found.boards, 0.50),
        boards_p99_ms=at(found.boards, 0.99),
        babble_p50_ms=at(beside.host, 0.50),
        babble_p99_ms=at(beside.host, 0.99),
        chain_p50_ms=at(chain, 0.50),
        chain_p99_ms=at(chain, 0.99),
        samples=len(whole),
        lost=found.lost + beside.lost,
        babbled_hz=babbled_hz,
        stolen_ms=stolen_ms() - began_ms,
    )


async def _measure(robot: Robot, samples: int) -> tuple[Delays, Delays, float]:
    """Return the delays on a quiet bus, those beside a babbling node, and its frames a second."""
    line = Line(robot)
    try:
        async with _stick(robot) as send:
            await _arm(robot, line, send)
            found = await _block(line, send, samples)
            with _babbling(robot) as count:
                began_s, before = time.monotonic(), count.value
                beside = await _block(line, send, samples // 2)
                passed_s = time.monotonic() - began_s
                return found, beside, (count.value - before) / passed_s
    finally:
        line.close()


@asynccontextmanager
async def _stick(robot: Robot) -> AsyncIterator[Send]:
    program = await open_bus("bench", backend="dds", domain_id=robot.domain)
    velocity = program.publisher(topics.CMD_VEL)

    def send(linear_mps: float) -> int:
        """Publish a velocity; return when, in ns."""
        at_ns = time.monotonic_ns()
        velocity.publish(Twist(Vector3(linear_mps, 0.0, 0.0), Vector3()))
        return at_ns

    yield send
    await program.close()


@contextmanager
def _babbling(robot: Robot) -> Iterator["Synchronized[int]"]:
    """Let a process fill the bus with frames of the highest priority, which nobody wants."""
    spawning = multiprocessing.get_context("spawn")
    count = spawning.Value("q", 0)
    process = spawning.Process(target=babble, args=(robot.hw("wagon"), count), daemon=True)
    process.start()
    try:
        yield count
    finally:
        process.terminate()
        process.join(10.0)


def babble(directory: Path, count: "Synchronized[int]") -> None:
    """Send 0x000 as fast as 500 kbit/s carry it, until terminated."""
    port = SimCan(directory, "can0")
    while True:
        port.send(CanFrame(0, bytes(8)))
        count.value += 1
        time.sleep(BABBLE_S)


async def _arm(robot: Robot, line: Line, send: Send) -> None:
    """Arm as a person with the transmitter does."""
    line.world.channel(6, 2000)  # the computer may drive
    line.world.channel(7, 2000)
    line.world.channel(5, 1000)
    end_s, refusal = time.monotonic() + _ARM_LIMIT_S, ""
    while time.monotonic() < end_s:
        for number in range(20):
            send(0.0)
            line.world.channel(5, 1000 if number < 8 else 2000)
            await asyncio.sleep(PERIOD_S)
        try:
            await robot.client("routerd").request(wagon.ARM, Nothing())
            return
        except SaintError as err:
            refusal = err.message
    raise TimeoutError(f"the wagon was not armed: {refusal}\n{robot.diagnosis()}")


async def _block(line: Line, send: Send, samples: int) -> Delays:
    found = Delays()
    for count, speed in enumerate(itertools.cycle(SPEEDS_MPS)):
        if len(found.host) + found.lost >= samples:
            break
        line.clear()
        sent_ns = send(speed)
        await asyncio.sleep(PERIOD_S + random.uniform(0.0, 0.02))  # in no step with the board
        line.look()
        if count < _STEADY:
            continue
        delays = line.delays_ms(round(speed / FULL_SPEED_MPS * can_frames.FULL_SPEED), sent_ns)
        if delays is None:
            found.lost += 1
        else:
            found.host.append(delays[0])
            found.boards.append(delays[1])
    return found


def main() -> None:
    """Print all parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    chosen = parser.parse_args()
    found = measure(chosen.samples)
    print(json.dumps(asdict(found)) if chosen.json else table(found))


def table(found: Figures) -> str:
    """The figures for people."""
    rows = (
        ("stick -> VESC frame", found.p50_ms, found.p99_ms, f"{found.samples} samples"),
        ("  host: stick -> 0x300", found.host_p50_ms, found.host_p99_ms, f"budget {BUDGET_MS:g}"),
        ("  board: 0x300 -> VESC frame", found.boards_p50_ms, found.boards_p99_ms, ""),
        (
            "  host beside a babbling node",
            found.babble_p50_ms,
            found.babble_p99_ms,
            f"{found.babbled_hz:.0f} frames/s",
        ),
        ("bare chain of two hops", found.chain_p50_ms, found.chain_p99_ms, ""),
    )
    lines = [f"{name:34}{p50:9.3f}{p99:9.3f}   {note}" for name, p50, p99, note in rows]
    head = f"{'':34}{'p50 ms':>9}{'p99 ms':>9}"
    tail = f"{found.lost} lost; the host kept {found.stolen_ms} ms of processor time meanwhile"
    return "\n".join((head, *lines, tail))


if __name__ == "__main__":
    main()
