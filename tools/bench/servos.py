"""How fast bus servos are driven: six simulated ones behind a pseudo terminal, at the byte time of
1,000,000 baud. A turn is one sync write of all goals and one sync read of all measurements.

`python -m tools.bench.servos [--seconds 16] [--arms 4] [--json]`. With `--arms` that many lines are
driven at their own rate in one loop, as one node does. Else, in blocks of a second, in turns: the
driver as fast as it goes, Feetech's own SDK (build/peers), LeRobot's bus (build/lerobot), a bare
loop that writes the same bytes and waits for as many; then the driver at its own rate, beside a
bare loop of the same rate. Processor time is that of the thread that drives. LeRobot reads
positions only, ours all that a servo measures.
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from saint_services.lib.hw.bus_servos import bus
from saint_services.lib.hw.bus_servos.dialects import dialect_of
from saint_services.lib.hw.bus_servos.line import ServoLine
from saint_services.lib.hw.bus_servos.port import BusServo, answer_bytes
from saint_services.lib.hw.bus_servos.setup import ServoSettings, ServoSetup
from saint_services.lib.hw.buses.serial import open_serial
from saint_services.lib.hw.feetech import packets

from .peers import FOLDER

IDS = tuple(range(1, 7))
_DIALECT = dialect_of("sts")
ANSWER_BYTES = answer_bytes(_DIALECT)
_BAUD = 1_000_000
LEROBOT = FOLDER.parents[1] / "lerobot" / "lib"
_GOAL, _PRESENT, _LENGTH = 42, 56, 8
_MIDDLE, _SWING = 2048, 100
_BLOCK_S = 1.0
# As the wire alone allows: 24 bytes of goals, 14 of the request, 14 from each servo, 10 us each.
WIRE_HZ = _BAUD / 10 / (24 + 14 + ANSWER_BYTES * len(IDS))

Note = Callable[[float], None]


def _ignore(_: float) -> None: ...


@dataclass(slots=True)
class Sum:
    """Turns, the time that they took, and the processor's time."""

    turns: int = 0
    wall_s: float = 0.0
    processor_s: float = 0.0

    def add(self, turns: int, wall_s: float, processor_s: float) -> None:
        """Add a block."""
        self.turns += turns
        self.wall_s += wall_s
        self.processor_s += processor_s

    @property
    def rate_hz(self) -> float:
        """Turns a second."""
        return self.turns / self.wall_s if self.wall_s else 0.0

    @property
    def turn_us(self) -> float:
        """Processor time of a turn."""
        return 1e6 * self.processor_s / self.turns if self.turns else 0.0


@dataclass(slots=True)
class Figures:
    """All sums by what drives."""

    sums: dict[str, Sum] = field(default_factory=dict)

    def run(self, name: str, block: Callable[[], int]) -> None:
        """Measure a block of turns."""
        wall_s, processor_s = time.monotonic(), time.thread_time()
        turns = block()
        taken = time.monotonic() - wall_s, time.thread_time() - processor_s
        self.sums.setdefault(name, Sum()).add(turns, *taken)


def goals() -> Iterator[int]:
    """Yield goals on which servos are always under way."""
    return itertools.cycle((*range(_SWING), *range(_SWING, 0, -1)))


@contextlib.contextmanager
def servos() -> Iterator[str]:
    """Run the servos in a process of their own; yield their port."""
    command = [sys.executable, "-m", "tools.sim.servo_pty", *(f"--servo={n}" for n in IDS)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        port = process.stdout.readline().strip()
        line = open_serial(port, _BAUD)
        setup = ServoSetup(line, _DIALECT, "bench")
        for servo in IDS:
            setup.configure(servo, ServoSettings())
            setup.put(servo, "torque_enable", 1)
        line.close()
        yield port
    finally:
        process.terminate()
        process.wait(10)


def ours(port: str, seconds: float, period_s: float, note: Note = _ignore) -> int:
    """Drive by the driver; return the turns. `note` is called at the beginning of each."""
    bus.FAST_S = period_s
    return asyncio.run(_ours(port, seconds, note))


def arms(count: int, seconds: float) -> Figures:
    """Drive several lines in one loop at their own rate."""
    found = Figures()

    async def all_of(ports: list[str]) -> int:
        return sum(await asyncio.gather(*(_ours(port, seconds) for port in ports)))

    with contextlib.ExitStack() as stack:
        ports = [stack.enter_context(servos()) for _ in range(count)]
        found.run(f"{count} arms", lambda: asyncio.run(all_of(ports)))
    return found


async def _ours(port: str, seconds: float, note: Note = _ignore) -> int:
    loop = asyncio.get_running_loop()
    named = {servo: BusServo(servo, str(servo)) for servo in IDS}
    line = ServoLine(lambda: open_serial(port, _BAUD), named, _DIALECT, _BAUD, "bench", loop)
    found = [line.servo(servo) for servo in IDS]
    core, way = line.core, goals()
    begin = core._begin_turn

    def begin_turn(now_s: float) -> None:
        note(time.monotonic())
        place = _MIDDLE + next(way)
        for servo in found:
            core.aim(servo, place, now_s)
        begin(now_s)

    core._begin_turn = begin_turn  # type: ignore[method-assign]
    before = core.turns
    line.start()
    await asyncio.sleep(seconds)
    turns = core.turns - before
    for _ in found:
        line.close()
    return turns


def bare(port: str, seconds: float, period_s: float, note: Note = _ignore) -> int:
    """Write the same bytes and wait for as many, without a look at them."""
    line = open_serial(port, _BAUD)
    request = packets.sync_read(_PRESENT, _LENGTH, IDS).encoded()
    turns, way, end_s, due_s = 0, goals(), time.monotonic() + seconds, time.monotonic()
    while (now_s := time.monotonic()) < end_s:
        note(now_s)
        place = (_MIDDLE + next(way)).to_bytes(2, "little")
        line.write(packets.sync_write(_GOAL, dict.fromkeys(IDS, place)).encoded())
        line.write(request)
        missing = ANSWER_BYTES * len(IDS)
        while missing > 0 and select.select([line], [], [], 0.1)[0]:
            missing -= len(line.read())
        turns += 1
        due_s += period_s
        if period_s:
            select.select([], [], [], max(0.0, due_s - time.monotonic()))
    line.close()
    return turns


def sdk(port: str, seconds: float) -> int:
    """Drive by Feetech's own library."""
    found = _sdk()
    line = found.PortHandler(port)
    line.openPort()
    line.setBaudRate(_BAUD)
    handler = found.PacketHandler(0)
    writer = found.GroupSyncWrite(line, handler, _GOAL, 2)
    reader = found.GroupSyncRead(line, handler, _PRESENT, _LENGTH)
    for servo in IDS:
        reader.addParam(servo)
    turns, way, end_s = 0, goals(), time.monotonic() + seconds
    while time.monotonic() < end_s:
        place = list((_MIDDLE + next(way)).to_bytes(2, "little"))
        writer.clearParam()
        for servo in IDS:
            writer.addParam(servo, place)
        writer.txPacket()
        if reader.txRxPacket() == found.COMM_SUCCESS:
            turns += 1
    line.closePort()
    return turns


def lerobot(port: str, seconds: float) -> int:
    """Drive by LeRobot's bus, in degrees as its arms do; turns that time out do not count."""
    bus = _lerobot_bus(port)
    bus.connect(handshake=False)
    turns, way, end_s = 0, goals(), time.monotonic() + seconds
    while time.monotonic() < end_s:
        degrees = next(way) * 360 / 4095
        bus.sync_write("Goal_Position", dict.fromkeys(bus.motors, degrees))
        with contextlib.suppress(ConnectionError):
            bus.sync_read("Present_Position")
            turns += 1
    bus.disconnect(disable_torque=False)
    return turns


def _lerobot_bus(port: str) -> Any:
    import importlib

    if str(LEROBOT) not in sys.path:
        importlib.import_module("tests.unit.sim.lerobot_peer").load(str(LEROBOT))
    motors = importlib.import_module("lerobot.motors")
    made = importlib.import_module("lerobot.motors.feetech").FeetechMotorsBus
    degrees = motors.MotorNormMode.DEGREES
    return made(
        port,
        {str(servo): motors.Motor(servo, "sts3215", degrees) for servo in IDS},
        {str(servo): motors.MotorCalibration(servo, 0, 0, 0, 4095) for servo in IDS},
    )


def _sdk() -> Any:
    import importlib

    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    return importlib.import_module("scservo_sdk")


def measured(seconds: float) -> Figures:
    """Measure in turns."""
    found, usual_s = Figures(), bus.FAST_S
    has_sdk = (FOLDER / "scservo_sdk").is_dir()
    with servos() as port:
        for _ in range(max(1, round(seconds / 4 / _BLOCK_S))):
            found.run("driver", lambda: ours(port, _BLOCK_S, 0.0))
            if has_sdk:
                found.run("sdk", lambda: sdk(port, _BLOCK_S))
            if LEROBOT.is_dir():
                found.run("lerobot", lambda: lerobot(port, _BLOCK_S))
            found.run("bare", lambda: bare(port, _BLOCK_S, 0.0))
            found.run("driver at its rate", lambda: ours(port, _BLOCK_S, usual_s))
            found.run("bare at that rate", lambda: bare(port, _BLOCK_S, usual_s))
    bus.FAST_S = usual_s
    return found


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--seconds", type=float, default=16.0)
    parser.add_argument("--arms", type=int, default=0, help="lines of one loop")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    os.chdir(Path(__file__).resolve().parents[2])
    sums = arms(options.arms, options.seconds) if options.arms else measured(options.seconds)
    found = sums.sums
    if options.json:
        print(json.dumps({name: asdict(each) for name, each in found.items()}, indent=2))
        return 0
    print(f"the wire alone allows {WIRE_HZ:.0f} turns/s")
    for name, each in found.items():
        share = 100 * each.processor_s / each.wall_s
        print(f"{name:<20} {each.rate_hz:6.0f} turns/s {each.turn_us:6.0f} us/turn {share:5.1f} %")
    if options.arms:
        return 0
    first, last = found["driver"], found["bare"]
    print(f"driver / bare: {first.rate_hz / last.rate_hz:.2f} x rate, ", end="")
    print(f"{first.turn_us / last.turn_us:.2f} x processor time")
    for name in ("sdk", "lerobot"):
        if other := found.get(name):
            print(f"driver / {name}: {first.rate_hz / other.rate_hz:.2f} x rate, ", end="")
            print(f"{first.turn_us / other.turn_us:.2f} x processor time")
    if not LEROBOT.is_dir():
        print("LeRobot is not here, so it was not measured: make build/lerobot/.ready")
    return 0


if __name__ == "__main__":
    sys.exit(main())
