"""Lets one program of menlo-sdk (connection mode "udp") drive the robot's legs as a client like any
other: limits, locks, routes and the emergency stop of the robot hold. Not here: what a datagram
still commands (hold.py).

    SAINT_SERVER=... SAINT_TOKEN=... python -m saint_services.client.menlo --from 192.168.1.20

The datagrams of the SDK carry no proof of their sender. Those of other addresses are dropped, and
whatever can send as that address drives the robot. It runs only while it is started. Stop it with
Ctrl-C: the robot is damped, which means that it sits down or falls.
"""

import argparse
import asyncio
import contextlib
import json
import os
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from ...lib.errors import SaintError
from ...lib.stall import StallWatch
from ...lib.walker.codec import decode_command, encode_state
from ...lib.walker.model import Protocol, WalkCommand, WalkMode
from ..connection import RobotAccess, RobotConnection
from ..drive_stream import DriveStream
from ..robot import socket_url
from .hold import POSTURE_S, SdkHold
from .states import walk_state

VERSION = {"robot_model": "asimov_1", "robot_os_version": "0.2.0", "os": "SAINT.OS"}
WARNING = (
    "UDP without authentication: what is sent from {allowed} drives the robot, within its limits. "
    "When the program ends, the robot is damped: it sits down or falls."
)
_PERIOD_S = 0.02
_STALL_S = 0.1  # as often as the SDK sends a velocity
_STATE_HZ = 50.0
_REQUEST_LIMIT_S = 2.0
_LARGEST_REQUEST_BYTES = 4096
_MOST_REQUESTS = 8  # at a time
_REQUEST_FAULTS = (
    OSError, TimeoutError, asyncio.LimitOverrunError, asyncio.IncompleteReadError,
)  # fmt: skip
_REST = {"mode": 0.0, "vx": 0.0, "vy": 0.0, "vyaw": 0.0}


@dataclass(frozen=True, slots=True)
class SdkPorts:
    """Where the SDK expects the robot, and where it listens itself."""

    command: int = 8850
    state: int = 8851
    version: int = 3000


@dataclass(slots=True)
class SdkServer:
    """The sockets that the SDK knows. Receives from one address alone."""

    allowed: str
    ports: SdkPorts
    hold: SdkHold
    refused: int = 0  # datagrams and requests of other addresses, and requests that are too many
    malformed: int = 0
    waited: int = 0  # while this program got no time
    stalls: StallWatch = field(default_factory=lambda: StallWatch(_STALL_S))
    number: int = 0
    requests: int = 0  # that are being answered
    _states: asyncio.DatagramTransport | None = None
    _opened: list[Any] = field(default_factory=list)

    async def open(self, host: str = "0.0.0.0") -> None:
        """Listen."""
        loop = asyncio.get_running_loop()
        commands, _ = await loop.create_datagram_endpoint(
            lambda: _Commands(self), local_addr=(host, self.ports.command)
        )
        self._states, _ = await loop.create_datagram_endpoint(
            lambda: _States(self), remote_addr=(self.allowed, self.ports.state)
        )
        version = await asyncio.start_server(
            self._answer, host, self.ports.version, limit=_LARGEST_REQUEST_BYTES
        )
        self._opened = [commands, self._states, version]

    def close(self) -> None:
        """Close all sockets."""
        for each in self._opened:
            each.close()

    def received(self, data: bytes, address: str) -> None:
        """Take a datagram, if it comes from the allowed address."""
        if address != self.allowed:
            self.refused += 1
            return
        try:
            command = decode_command(Protocol.IO, data)
        except ValueError:
            self.malformed += 1
            return
        now_s = time.monotonic()
        if self.stalls.is_stalled(now_s) and command.mode is not WalkMode.DAMP:
            self.waited += 1  # nobody knows since when
            return
        self.hold.received(command, now_s)

    def send(self, legs: dict[str, Any]) -> None:
        """Send the robot's state to the SDK."""
        self.number += 1
        now_us = time.monotonic_ns() // 1000
        state = walk_state(legs, self.number, now_us, self.hold.sequence)
        if state is not None and self._states is not None:
            self._states.sendto(encode_state(Protocol.IO, state))

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer GET /api/version, and nothing else."""
        is_foreign = writer.get_extra_info("peername")[0] != self.allowed
        if is_foreign or self.requests >= _MOST_REQUESTS:
            self.refused += 1
            writer.close()
            return
        self.requests += 1
        try:
            async with asyncio.timeout(_REQUEST_LIMIT_S):
                request = await reader.readuntil(b"\r\n\r\n")
                writer.write(_response(is_known=request.startswith(b"GET /api/version ")))
                await writer.drain()
        except _REQUEST_FAULTS:
            pass  # its connection is closed
        finally:
            self.requests -= 1
            writer.close()


def _response(*, is_known: bool) -> bytes:
    status, body = ("200 OK", json.dumps(VERSION)) if is_known else ("404 Not Found", "{}")
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nConnection: close\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode()


class _Commands(asyncio.DatagramProtocol):
    def __init__(self, server: SdkServer) -> None:
        self._server = server

    def datagram_received(self, data: bytes, addr: Any) -> None:
        self._server.received(data, addr[0])


class _States(asyncio.DatagramProtocol):
    """Sends states; a computer on which the SDK has ended says that its port is closed."""

    def __init__(self, server: SdkServer) -> None:
        self._server = server

    def error_received(self, exc: Exception) -> None:
        if isinstance(exc, ConnectionRefusedError):
            self._server.hold.gone(time.monotonic())


def values_of(command: WalkCommand) -> dict[str, float]:
    """Return the values of the target "legs"."""
    return {
        "mode": float(command.mode), "vx": command.vx, "vy": command.vy, "vyaw": command.vyaw,
    }  # fmt: skip


async def bridge(connection: RobotConnection, server: SdkServer) -> None:
    """Carry commands and states until cancelled; the robot is damped then."""

    async def report() -> None:
        async for legs in connection.feed("legs", _STATE_HZ):
            server.send(legs)

    reporting = asyncio.create_task(report(), name="states")
    try:
        async with DriveStream(connection, "legs", _REST) as drive:
            await _drive(drive, server)
    finally:
        reporting.cancel()


async def _drive(drive: DriveStream, server: SdkServer) -> None:
    problem = ""
    while True:
        now_s = time.monotonic()
        server.stalls.beat(now_s)
        command = server.hold.command(now_s)
        try:
            if command is not None:
                await drive.set(**values_of(command))
        except SaintError as err:
            if err.message != problem:
                problem = err.message
                _say(problem)
        await asyncio.sleep(_PERIOD_S)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


async def main() -> int:
    """Run until Ctrl-C."""
    parser = argparse.ArgumentParser(description="Let a program of menlo-sdk drive the legs.")
    parser.add_argument("--from", dest="allowed", required=True, metavar="ADDRESS",
                        help="IPv4 address of the computer with the program")  # fmt: skip
    for name, port in (("command", 8850), ("state", 8851), ("version", 3000)):
        parser.add_argument(f"--{name}-port", type=int, default=port)
    parser.add_argument("--posture-s", type=float, default=POSTURE_S,
                        help="how long the robot stands without a datagram")  # fmt: skip
    given = parser.parse_args()
    ports = SdkPorts(given.command_port, given.state_port, given.version_port)
    server = SdkServer(given.allowed, ports, SdkHold(min(max(given.posture_s, 0.3), 600.0)))
    url = socket_url(os.environ.get("SAINT_SERVER", "http://saint-server.local"))
    access = RobotAccess(url, os.environ.get("SAINT_TOKEN", ""), "menlo-sdk")
    connection = RobotConnection(access)
    _say(WARNING.format(allowed=given.allowed))
    await connection.open()
    try:
        await server.open()
        _say(f"Waiting for commands on UDP {ports.command}.")
        await bridge(connection, server)
    finally:
        server.close()
        await connection.close()
    return 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(asyncio.run(main()))
