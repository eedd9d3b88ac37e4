"""A bad network between a WebRTC peer and the robot: a relay of datagrams whose cuts, losses, delay
and rate a test sets. (`tc netem` would need a kernel module that many test machines lack.)
"""

import asyncio
import contextlib
import random
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from tests.teleop_peer import Request

_CANDIDATE = re.compile(r"^a=candidate:\S+ 1 udp \d+ ([\d.]+) (\d+) typ host.*\r\n", re.M)
_ANY_CANDIDATE = re.compile(r"^a=candidate:.*\r\n", re.M)
_QUEUE_S = 0.3  # of the narrow link: what waits longer is dropped

Address = tuple[str, int]


@dataclass
class NetworkFaults:
    """What is wrong now, in both directions. Relays with the same object share its narrow link."""

    is_cut: bool = False
    loss: float = 0.0
    delay_s: float = 0.0
    kbps: float | None = None
    busy_until_s: dict[bool, float] = field(default_factory=dict, compare=False)  # to the robot?


class _Side(asyncio.DatagramProtocol):
    """One socket of the relay; what arrives goes on by the other one."""

    def __init__(self, relay: "UdpRelay", *, is_to_robot: bool) -> None:
        self.relay = relay
        self._is_to_robot = is_to_robot
        self.transport: asyncio.DatagramTransport | None = None
        self.far: Address | None = None  # whom this side sends to
        self.other: _Side | None = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def datagram_received(self, data: bytes, addr: Address) -> None:
        if self.other is not None and self.other.far is not None:
            self.relay.count += 1
            self.other.carry(data)

    def carry(self, data: bytes) -> None:
        """Send a datagram as the network lets it."""
        faults, loop = self.relay.faults, asyncio.get_running_loop()
        if faults.is_cut or self.relay.random.random() < faults.loss:
            return
        now_s, wait_s = loop.time(), faults.delay_s
        if faults.kbps is not None:
            begin_s = max(now_s, faults.busy_until_s.get(self._is_to_robot, 0.0))
            if begin_s - now_s > _QUEUE_S:
                return
            end_s = begin_s + len(data) * 8 / (faults.kbps * 1000)
            faults.busy_until_s[self._is_to_robot] = end_s
            wait_s += end_s - now_s
        if wait_s > 0:
            loop.call_later(wait_s, self._send, data)
        else:
            self._send(data)

    def _send(self, data: bytes) -> None:
        # What was on its way when the cable was cut is lost too.
        if self.transport is not None and not self.relay.faults.is_cut:
            self.transport.sendto(data, self.far)


class UdpRelay:
    """Carries one session. `seed` repeats the same losses."""

    def __init__(self, seed: int) -> None:
        self.faults = NetworkFaults()
        self.random = random.Random(seed)
        self.count = 0
        self._peer, self._robot = _Side(self, is_to_robot=False), _Side(self, is_to_robot=True)
        self._peer.other, self._robot.other = self._robot, self._peer

    def between(self, request: Request) -> Request:
        """Return the signalling of a peer whose datagrams pass through this relay."""

        async def send(action: str, **params: Any) -> dict[str, Any]:
            if action != "connect":
                return await request(action, **params)
            offer, self._peer.far = await self._replaced(params["sdp"], self._robot)
            reply = await request(action, **params | {"sdp": offer})
            answer, self._robot.far = await self._replaced(reply["sdp"], self._peer)
            return reply | {"sdp": answer}

        return send

    async def _replaced(self, sdp: str, side: _Side) -> tuple[str, Address]:
        """Name the relay in place of the sender, whose address is returned."""
        found = _CANDIDATE.search(sdp)
        assert found is not None, "the description has no address"
        host, port = found[1], int(found[2])
        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_datagram_endpoint(lambda: side, local_addr=(host, 0))
        own = transport.get_extra_info("sockname")[1]
        line = found[0].replace(f" {port} typ", f" {own} typ")
        bare = _ANY_CANDIDATE.sub("", sdp.replace(found[0], "@\r\n", 1))
        return bare.replace("@\r\n", line), (host, port)

    def close(self) -> None:
        """Close both sockets."""
        for side in (self._peer, self._robot):
            if side.transport is not None:
                side.transport.close()
                side.transport = None  # what is delayed still arrives nowhere


@contextlib.asynccontextmanager
async def udp_relay(seed: int = 1) -> AsyncIterator[UdpRelay]:
    """A relay that closes at the end."""
    relay = UdpRelay(seed)
    try:
        yield relay
    finally:
        relay.close()
