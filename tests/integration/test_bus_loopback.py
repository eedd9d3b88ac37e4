"""A bus that keeps to its machine receives nothing from another computer, however it is sent."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.integration.net_space import Space, cable, missing

pytestmark = pytest.mark.timeout(60)
if reason := missing("ip", "ss"):
    pytest.skip(reason, allow_module_level=True)

ROBOT, OTHER = "198.51.100.1", "198.51.100.2"  # documentation addresses: nobody's network
_BUS = """
import asyncio, os, sys
from saint_services.lib.bus.open import open_bus
async def main():
    bus = await open_bus("robot", domain_id=7)
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    await bus.close()
asyncio.run(main())
"""
_SEND = """
import socket, sys
source, to, *ports = sys.argv[1:]
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
    sock.bind((source, 0))
    for port in ports:
        for _ in range(5):
            sock.sendto(b"RTPS" + bytes(60), (to, int(port)))
"""


@pytest.fixture
def computers() -> Iterator[tuple[Space, Space]]:
    robot, other = (Space(f"saint-{name}-{os.getpid()}") for name in ("lo", "far"))
    for space in (robot, other):
        subprocess.run(["ip", "netns", "add", space.name], check=True, timeout=10)
    try:
        cable(robot, "eth0", other, "eth0")
        robot.run("ip", "address", "add", f"{ROBOT}/24", "dev", "eth0")
        other.run("ip", "address", "add", f"{OTHER}/24", "dev", "eth0")
        yield robot, other
    finally:
        for space in (robot, other):
            subprocess.run(["ip", "netns", "delete", space.name], check=False, timeout=10)


def dropped(space: Space) -> dict[str, int]:
    """By port: datagrams that the kernel has kept from sockets on every address."""
    table = space.run("cat", "/proc/net/udp").splitlines()[1:]
    rows = [line.split() for line in table]
    found = {int(row[1].partition(":")[2], 16): int(row[-1]) for row in rows
             if row[1].startswith("00000000:")}  # fmt: skip
    return {str(port): drops for port, drops in found.items()}


def send(space: Space, source: str, to: str, ports: list[str]) -> None:
    space.run(sys.executable, "-c", _SEND, source, to, *ports)


def test_bus_on_loopback_gets_nothing_that_another_address_sends(
    computers: tuple[Space, Space],
) -> None:
    robot, other = computers
    with robot.running(sys.executable, "-c", _BUS) as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        ports = list(dropped(robot))
        assert len(ports) >= 2, "the library listens elsewhere now: look at loopback.py"
        assert all(re.fullmatch(r"9[1-4]\d\d", port) for port in ports), ports
        send(robot, "127.0.0.1", "127.0.0.1", ports)
        assert dropped(robot) == dict.fromkeys(ports, 0)
        send(other, OTHER, ROBOT, ports)
        assert dropped(robot) == dict.fromkeys(ports, 5)
        send(robot, ROBOT, ROBOT, ports)
        assert dropped(robot) == dict.fromkeys(ports, 10)
