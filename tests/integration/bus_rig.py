"""Buses on a domain of this test run's own, and other processes on it."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from saint_services.lib.bus import Bus
from saint_services.lib.bus.open import open_bus
from tests.waiting import until
from tools.launch import domain

_HELD = domain.choose(None)  # for as long as the tests run: no robot of theirs gets it
DOMAIN = _HELD.number
WAIT_S = 30.0  # a busy computer; a fault shows as well, later
LOOPBACK = (
    "<CycloneDDS><Domain><General><Interfaces><NetworkInterface name='lo'/></Interfaces>"
    "<AllowMulticast>false</AllowMulticast></General><Discovery>"
    "<ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>32</MaxAutoParticipantIndex>"
    "<Peers><Peer Address='localhost'/></Peers></Discovery></Domain></CycloneDDS>"
)


@asynccontextmanager
async def opened(*names: str) -> AsyncIterator[list[Bus]]:
    buses = [await open_bus(name, backend="dds", domain_id=DOMAIN) for name in names]
    try:
        yield buses
    finally:
        for bus in buses:
            await bus.close()


class PeerProcess:
    """The independent participant, from the test's side."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.events: list[dict[str, Any]] = []
        self.done = 0

    async def listen(self) -> None:
        assert self._process.stdout
        while line := await self._process.stdout.readline():
            event = json.loads(line)
            if "done" in event:
                self.done += 1
            else:
                self.events.append(event)

    async def do(self, command: str, **arguments: Any) -> None:
        """Ask for something and wait until it is done."""
        before = self.done
        assert self._process.stdin
        line = json.dumps({"command": command, **arguments}) + "\n"
        self._process.stdin.write(line.encode())
        await until(lambda: self.done > before)

    def values(self, topic: str) -> list[dict[str, Any]]:
        return [one["value"] for one in self.events if one.get("topic") == topic]


@asynccontextmanager
async def independent_peer(number: int = DOMAIN) -> AsyncIterator[PeerProcess]:
    """The process of bus_peer.py."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(Path(__file__).with_name("bus_peer.py")),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "ROS_DOMAIN_ID": str(number), "CYCLONEDDS_URI": LOOPBACK},
    )
    peer = PeerProcess(process)
    listening = asyncio.create_task(peer.listen())
    try:
        await until(lambda: {"ready": True} in peer.events)
        yield peer
    finally:
        assert process.stdin
        process.stdin.close()
        try:
            async with asyncio.timeout(WAIT_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
        await listening
