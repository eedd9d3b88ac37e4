"""A stick to the motor controllers of a wagon, in two ways. The pilot's: a CRSF frame on the line
of a receiver, IO board, link, BALANCE board, duty frame of a VESC. The host's: a Twist to the
router, its drive frame (0x300), the duty frame. All are processes of their own on a simulated bus,
and each frame is stamped by its sender. In the same run, bare processes in place of host and boards
(wagon_bare.py), and a bare chain of two hops of the bus.

`python -m tools.bench.wagon [--samples 200] [--json]`
"""

import argparse
import asyncio
import itertools
import json
import random
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from saint_services.lib.api import wagon
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.bus.open import open_bus
from saint_services.lib.errors import SaintError
from saint_services.lib.generated import topics
from saint_services.lib.generated.geometry_msgs import Twist, Vector3
from saint_services.lib.hw.vesc import messages as vesc
from saint_services.lib.wagon import can_frames
from saint_services.lib.wagon.meanings import FULL_SPEED_MPS
from tests.integration.robot import Robot, running_robot
from tools.sim.can_bus import SimCan
from tools.sim.wagon_world import WagonWorld

from . import bus
from .latency import at, stolen_ms
from .wagon_bare import BareChains, babbling, bare_chains

PERIOD_S = 0.05  # of the stick: the board sends every 20 ms
RECEIVER_MS = 17.3  # between frames of the receiver: in no step with the board either
SPEEDS_MPS = (0.50, 0.51)  # small steps stay below the limits of speed changes
STICKS_US = (1700, 1710)
LEFT = 68
BUDGET_MS = 2.0
LOST_S = 0.3
_ARM_LIMIT_S = 30.0
_STEADY = 30  # commands before anything is measured

Send = Callable[[float], int]
_Found = TypeVar("_Found")


@dataclass(slots=True)
class Delays:
    """Milliseconds of each command."""

    host: list[float] = field(default_factory=list)  # Twist -> 0x300
    boards: list[float] = field(default_factory=list)  # 0x300 -> duty of the left VESC
    pilot: list[float] = field(default_factory=list)  # receiver's frame -> the same duty
    babble: list[float] = field(default_factory=list)  # Twist -> 0x300 beside a babbling node
    babbled_hz: float = 0.0
    lost: int = 0


@dataclass(slots=True)
class BareDelays:
    """Milliseconds of each sample through bare processes."""

    chains: BareChains
    host: list[float] = field(default_factory=list)
    boards: list[float] = field(default_factory=list)
    hops: list[float] = field(default_factory=list)  # two of the bus, with two processes

    def measure(self) -> None:
        """Send one sample through each. Blocks for milliseconds."""
        self.host.append(self.chains.host_ms())
        self.boards.append(self.chains.boards_ms())


@dataclass(frozen=True, slots=True)
class Row:
    """One way: its delays."""

    p50_ms: float
    p99_ms: float


@dataclass(frozen=True, slots=True)
class Figures:
    """All ways and their baselines."""

    pilot: Row
    bare_boards: Row
    whole: Row
    host: Row
    boards: Row
    bare_host: Row
    bare_hops: Row
    babble: Row
    samples: int
    lost: int
    babbled_hz: float
    stolen_ms: int  # processor time that the machine below kept meanwhile


class Line:
    """The frames of a wagon's bus since `clear`, with the time at which each was sent. They are
    read as they come: the queue of the simulated bus is short.
    """

    def __init__(self, robot: Robot) -> None:
        self._port = SimCan(robot.hw("wagon"), "can0")
        self._duty = 0.0
        self.world = WagonWorld(robot.hw("wagon"))
        self.drives: list[tuple[int, int]] = []  # speed and time in ns of each 0x300
        self.changes_ns: list[int] = []  # of the left duty
        asyncio.get_running_loop().add_reader(self._port.fileno(), self.look)

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

    def host_ms(self, wanted: int, sent_ns: int) -> tuple[float, float] | None:
        """Return the host's and the boards' part for a speed; None where one is missing."""
        driven = [at_ns for speed, at_ns in self.drives if speed == wanted and at_ns >= sent_ns]
        changed = [at_ns for at_ns in self.changes_ns if driven and at_ns >= driven[0]]
        if not changed:
            return None
        return (driven[0] - sent_ns) / 1e6, (changed[0] - driven[0]) / 1e6

    def pilot_ms(self, moved_s: float) -> float | None:
        """Return the delay of a stick that was moved then, from the receiver's frame; or None."""
        sent_s = self.world["crossfire_changed_s"]
        changed = [at_ns for at_ns in self.changes_ns if at_ns / 1e9 >= sent_s >= moved_s]
        return changed[0] / 1e6 - sent_s * 1e3 if changed else None

    def close(self) -> None:
        """Leave the bus."""
        asyncio.get_running_loop().remove_reader(self._port.fileno())
        self._port.close()
        self.world.close()


def measure(samples: int) -> Figures:
    """The wagon, and what is bare in turns with it, on the same computer with the same load."""
    began_ms = stolen_ms()
    with running_robot("--robot", "saul_tee") as robot:
        with tempfile.TemporaryDirectory() as folder, bare_chains(Path(folder)) as chains:
            bare = BareDelays(chains)
            found = asyncio.run(_measure(robot, samples, bare))
        bare.hops = bus.chain_delays_ms(samples, pause_s=PERIOD_S / 4)
    return Figures(
        pilot=_row(found.pilot),
        bare_boards=_row(bare.boards),
        whole=_row([sum(pair) for pair in zip(found.host, found.boards, strict=True)]),
        host=_row(found.host),
        boards=_row(found.boards),
        bare_host=_row(bare.host),
        bare_hops=_row(bare.hops),
        babble=_row(found.babble),
        samples=len(found.host),
        lost=found.lost,
        babbled_hz=found.babbled_hz,
        stolen_ms=stolen_ms() - began_ms,
    )


def _row(found: list[float]) -> Row:
    return Row(at(found, 0.50), at(found, 0.99))


async def _measure(robot: Robot, samples: int, bare: BareDelays) -> Delays:
    """The pilot's way, the host's, and the host's beside a babbling node."""
    line, found = Line(robot), Delays()
    try:
        async with _stick(robot) as send:
            await _arm(robot, line, send)
            await _drive(line, send, samples, found, bare)
            found.pilot = await _pilot(line, samples, found)
            with babbling(robot.hw("wagon")) as count:
                await _give_to_host(line, send)
                began_s, before = time.monotonic(), count.value
                beside = Delays()
                await _drive(line, send, samples // 2, beside)
                found.babble, found.lost = beside.host, found.lost + beside.lost
                found.babbled_hz = (count.value - before) / (time.monotonic() - began_s)
    finally:
        line.close()
    return found


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


async def _give_to_host(line: Line, send: Send) -> None:
    """Let the pilot's stick rest and the computer drive, from 0."""
    line.world.channel(2, 1500)
    line.world.channel(6, 2000)
    for _ in range(_STEADY):
        send(0.0)
        await asyncio.sleep(PERIOD_S)


async def _drive(
    line: Line, send: Send, samples: int, found: Delays, bare: BareDelays | None = None
) -> None:
    """Drive by the host, and measure what is bare after each command."""
    for count, speed in enumerate(itertools.cycle(SPEEDS_MPS)):
        if len(found.host) + found.lost >= samples:
            break
        line.clear()
        sent_ns = send(speed)
        wanted = round(speed / FULL_SPEED_MPS * can_frames.FULL_SPEED)
        delays = await _awaited(line, partial(line.host_ms, wanted, sent_ns))
        if count < _STEADY:
            continue
        if delays is None:
            found.lost += 1
        else:
            found.host.append(delays[0])
            found.boards.append(delays[1])
        if bare:
            bare.measure()


async def _pilot(line: Line, samples: int, found: Delays) -> list[float]:
    """Drive by the transmitter; the computer sends nothing."""
    world, delays_ms = line.world, list[float]()
    world["receiver_ms"] = RECEIVER_MS
    world.channel(6, 1000)
    for us in (1500,) * 10:  # who begins must be neutral
        world.channel(2, us)
        await asyncio.sleep(PERIOD_S)
    for count, us in enumerate(itertools.cycle(STICKS_US)):
        if count >= samples + _STEADY:
            break
        line.clear()
        moved_s = time.monotonic()
        world.channel(2, us)
        delay_ms = await _awaited(line, partial(line.pilot_ms, moved_s))
        if count < _STEADY:
            continue
        if delay_ms is None:
            found.lost += 1
        else:
            delays_ms.append(delay_ms)
    world["receiver_ms"] = 20.0
    return delays_ms


async def _awaited(line: Line, look: Callable[[], _Found | None]) -> _Found | None:
    """Return what is found once it is seen, after a while in no step with the board."""
    end_s = time.monotonic() + LOST_S
    await asyncio.sleep(PERIOD_S + random.uniform(0.0, 0.02))
    while True:
        line.look()
        found = look()
        if found is not None or time.monotonic() > end_s:
            return found
        await asyncio.sleep(0.01)


def main() -> None:
    """Print all parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    chosen = parser.parse_args()
    found = measure(chosen.samples)
    print(json.dumps(asdict(found)) if chosen.json else table(found))


def table(found: Figures) -> str:
    """The figures for people."""
    rows = (
        ("pilot: CRSF frame -> VESC frame", found.pilot, "the board sends every 20 ms"),
        ("  three bare processes", found.bare_boards, ""),
        ("host: stick -> VESC frame", found.whole, f"{found.samples} samples"),
        ("  host: stick -> 0x300", found.host, f"budget {BUDGET_MS:g}"),
        ("  boards: 0x300 -> VESC frame", found.boards, "the board sends every 20 ms"),
        ("  one bare process", found.bare_host, ""),
        ("  bare chain of two hops", found.bare_hops, ""),
        ("  host beside a babbling node", found.babble, f"{found.babbled_hz:.0f} frames/s"),
    )
    lines = [f"{name:34}{row.p50_ms:9.3f}{row.p99_ms:9.3f}   {note}" for name, row, note in rows]
    head = f"{'':34}{'p50 ms':>9}{'p99 ms':>9}"
    tail = f"{found.lost} lost; the host kept {found.stolen_ms} ms of processor time meanwhile"
    return "\n".join((head, *lines, tail))


if __name__ == "__main__":
    main()
