"""What a leader arm costs: processor time of a turn of role-leaderd at 200 Hz, six simulated servos
behind a pseudo terminal, all its threads. Beside it, in turns, a bare loop in a process of its own
that writes the same request, waits for as many bytes and sends one datagram of the same size.

`python -m tools.bench.leader [--seconds 12] [--rate 200] [--json]`
"""

import argparse
import asyncio
import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from saint_services.lib.api.node import RoleAssignment, RoleReport
from saint_services.lib.bus import Sample
from saint_services.lib.bus.open import open_bus
from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.lib.generated.topics import INPUT_AUTONOMOUS
from saint_services.lib.hw.buses.serial import open_serial
from saint_services.lib.hw.feetech import packets
from saint_services.lib.ipc import Client
from saint_services.lib.role_config.model import RoleConfig
from tests.integration.robot import short_folder
from tests.unit.role.credentials import SERVER
from tools.launch import domain

from .memory import cpu_ns
from .role_loop import started
from .servos import ANSWER_BYTES, IDS, servos

_BLOCK_S = 4.0
_SETTLE_S = 0.5
_PRESENT, _LENGTH, _BAUD = 56, 8, 1_000_000
_SAMPLE_BYTES = 256  # of a sample with six joints
_JOINTS = ("shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper")


@dataclass(slots=True)
class TurnCost:
    """Turns, and the processor time that they took."""

    turns: int = 0
    seconds: float = 0.0
    processor_s: float = 0.0

    @property
    def turn_us(self) -> float:
        """Processor time of a turn."""
        return 1e6 * self.processor_s / self.turns if self.turns else 0.0

    @property
    def rate_hz(self) -> float:
        """Turns a second."""
        return self.turns / self.seconds if self.seconds else 0.0

    @property
    def percent(self) -> float:
        """Share of a core."""
        return 100.0 * self.processor_s / self.seconds if self.seconds else 0.0


def leader(port: str, rate_hz: float) -> RoleConfig:
    """Return the configuration of a leader on this port."""
    pins: dict[str, Any] = {
        name: {"type": "bus_servo", "device": "arm", "servo_id": servo, "ticks": [1024, 3072]}
        for name, servo in zip(_JOINTS, IDS, strict=True)
    }
    return RoleConfig.model_validate({
        "role": "leader", "instance": "hand", "version": "1.0.0",
        "topic_prefix": "/saint/leader/hand", "gpio_mapping": pins,
        "serial_devices": {"arm": {"port": port, "driver": "feetech"}},
        "lead": {"targets": ["parts.follower"], "rate_hz": rate_hz},
    })  # fmt: skip


async def role_block(port: str, rate_hz: float, seconds: float, cost: TurnCost) -> None:
    """Run the role alone, with one reader of its samples, and add what it takes."""
    with short_folder() as folder:
        async with _leading(folder, leader(port, rate_hz)) as pid:
            poses = 0

            def count(sample: Sample[InputSample]) -> None:
                nonlocal poses
                poses += bool(sample.message.target)

            bus = await open_bus("bench")
            bus.subscribe(INPUT_AUTONOMOUS, count)
            await asyncio.sleep(_SETTLE_S)
            poses, began_s, taken_ns = 0, time.monotonic(), cpu_ns(pid)
            await asyncio.sleep(seconds)
            cost.processor_s += (cpu_ns(pid) - taken_ns) / 1e9
            cost.seconds += time.monotonic() - began_s
            cost.turns += poses
            await bus.close()


@contextlib.asynccontextmanager
async def _leading(folder: Path, config: RoleConfig) -> AsyncIterator[int]:
    """role-leaderd with an assignment, as noded would give it, on a real port; yield its pid."""
    processes = await started(folder, "role_leaderd", "real")
    client = Client(folder / "run" / "role-leaderd.sock")
    assignment = RoleAssignment(node_id="n", config=config, server_key=SERVER.public)
    reports = client.stream("POST", "/assignment", assignment, RoleReport)
    try:
        first = await anext(reports)
        if not first.ready:
            raise SystemExit(f"the role is not ready: {first.reason}")
        following = asyncio.create_task(_follow(reports))
        yield processes[-1].pid
        following.cancel()
    finally:
        for process in processes:
            process.kill()
            await process.wait()
        await client.close()


async def _follow(reports: AsyncIterator[RoleReport]) -> None:
    async for _ in reports:
        pass


def bare_block(port: str, rate_hz: float, seconds: float, cost: TurnCost) -> None:
    """Run the bare loop in a process of its own."""
    arguments = f"{port!r}, {rate_hz}, {seconds}"
    code = f"from tools.bench.leader import bare_loop; bare_loop({arguments})"
    said = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    turns, passed_s, processor_s = map(float, said.stdout.split())
    cost.turns += int(turns)
    cost.seconds += passed_s
    cost.processor_s += processor_s


def bare_loop(port: str, rate_hz: float, seconds: float) -> None:
    """Read all servos and send one datagram a turn; print turns, time and processor time."""
    line, (ours, theirs) = open_serial(port, _BAUD), _datagrams()
    request = packets.sync_read(_PRESENT, _LENGTH, IDS).encoded()
    sample, turns = bytes(_SAMPLE_BYTES), 0
    began_s, taken_s = time.monotonic(), time.process_time()
    due_s = began_s
    while time.monotonic() < began_s + seconds:
        line.write(request)
        missing = ANSWER_BYTES * len(IDS)
        while missing > 0 and select.select([line], [], [], 0.1)[0]:
            missing -= len(line.read())
        ours.send(sample)
        turns += 1
        due_s = max(due_s + 1.0 / rate_hz, time.monotonic())
        select.select([], [], [], max(0.0, due_s - time.monotonic()))
    print(turns, time.monotonic() - began_s, time.process_time() - taken_s)
    theirs.close()


def _datagrams() -> tuple[socket.socket, socket.socket]:
    theirs = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    theirs.bind(("127.0.0.1", 0))
    ours = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    ours.connect(theirs.getsockname())
    return ours, theirs


@contextlib.contextmanager
def own_domain() -> Iterator[None]:
    """Keep to a ROS domain that nobody else uses."""
    held = domain.choose(None)
    os.environ |= {"ROS_DOMAIN_ID": str(held.number), "SAINT_DDS_INTERFACE": "lo"}
    yield
    held.lock.close()


def measure(seconds: float, rate_hz: float) -> dict[str, TurnCost]:
    """Measure in turns."""
    found = {"role-leaderd": TurnCost(), "bare loop": TurnCost()}
    with own_domain(), servos() as link:
        port = os.path.realpath(link)
        for _ in range(max(1, round(seconds / _BLOCK_S))):
            asyncio.run(role_block(port, rate_hz, _BLOCK_S, found["role-leaderd"]))
            bare_block(port, rate_hz, _BLOCK_S, found["bare loop"])
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
    if options.json:
        print(json.dumps({name: asdict(each) for name, each in found.items()}, indent=2))
        return 0
    for name, cost in found.items():
        figures = f"{cost.rate_hz:6.0f} /s {cost.turn_us:6.0f} us/turn {cost.percent:5.1f} %"
        print(f"{name:<14} {figures}")
    role, bare = found.values()
    if bare.turns:
        print(f"role / bare: {role.turn_us / bare.turn_us:.2f} x processor time of a turn")
    return 0


if __name__ == "__main__":
    sys.exit(main())
