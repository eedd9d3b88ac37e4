"""A daemon on a unix socket that the tests of the control plane send requests to."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from pathlib import Path

from saint_services.lib import ipc
from saint_services.lib.api import Done, Reply, Request
from saint_services.lib.errors import Code, SaintError

LIMIT_S = 0.3


class Adopt(Request):
    role: str
    instance: str = ""
    share: float = 1.0


class Empty(Request):
    force: bool = False


class Tick(Reply):
    number: int


class Daemon:
    """Serves every request of the tests and records what happened."""

    def __init__(self) -> None:
        self.api = ipc.Api()
        self.ended = asyncio.Event()
        self.gate = asyncio.Event()
        api = self.api
        api.get("/status", self.status)
        api.get("/nodes/{node_id}", self.refuse)
        api.get("/fault", self.fault)
        api.get("/slow", self.slow, limit_s=LIMIT_S)
        api.post("/nodes/{node_id}/adopt", self.adopt, Adopt)
        api.put("/empty", self.empty, Empty)
        api.patch("/empty", self.empty, Empty)
        api.delete("/nodes/{node_id}", self.delete)
        api.stream("POST", "/ticks", self.ticks, Adopt)
        api.stream("GET", "/nothing", self.nothing)

    async def status(self, call: ipc.Call[None]) -> Done:
        return Done(message=",".join(f"{k}={v}" for k, v in sorted(call.query.items())))

    async def refuse(self, call: ipc.Call[None]) -> Done:
        raise SaintError(Code.NOT_FOUND, f"node {call.path['node_id']} is not known", fix="look")

    async def fault(self, _: ipc.Call[None]) -> Done:
        raise KeyError("inner secret")

    async def slow(self, _: ipc.Call[None]) -> Done:
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.set()
        return Done()

    async def adopt(self, call: ipc.Call[Adopt]) -> Done:
        return Done(message=f"{call.path['node_id']} is {call.body.role}")

    async def empty(self, call: ipc.Call[Empty]) -> Done:
        return Done(message=str(call.body.force))

    async def delete(self, call: ipc.Call[None]) -> Done:
        return Done(message=call.path["node_id"])

    async def ticks(self, call: ipc.Call[Adopt]) -> AsyncIterator[Reply]:
        if call.body.role == "refused":
            raise SaintError(Code.CONFLICT, "taken")
        try:
            yield Tick(number=1)
            if call.body.role == "fails":
                raise SaintError(Code.HARDWARE_FAULT, "driver hot")
            if call.body.role == "faults":
                raise ZeroDivisionError("oops")
            yield Tick(number=2)
            if call.body.role == "forever":
                await asyncio.Event().wait()
        finally:
            self.ended.set()

    async def nothing(self, _: ipc.Call[None]) -> AsyncIterator[Reply]:
        for _ in ():
            yield Done()


@contextlib.asynccontextmanager
async def served(path: Path) -> AsyncIterator[tuple[Daemon, ipc.Client]]:
    daemon = Daemon()
    bound = listening(path)
    server = await daemon.api.serve([bound])
    try:
        async with ipc.Client(path) as client:
            yield daemon, client
    finally:
        await server.close()


def listening(path: Path) -> socket.socket:
    bound = socket.socket(socket.AF_UNIX)
    bound.bind(str(path))
    bound.listen()
    bound.setblocking(False)
    return bound


async def raw(path: Path, request: bytes) -> tuple[int, bytes]:
    """Send a request without our client; returns status and body."""
    reader, writer = await asyncio.open_unix_connection(str(path))
    try:
        writer.write(request)
        async with asyncio.timeout(5):
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line.split(b":")[1])
                for line in head.split(b"\r\n")
                if line.lower().startswith(b"content-length")
            )
            return int(head.split()[1]), await reader.readexactly(length)
    finally:
        writer.close()
        await writer.wait_closed()


def request(method: str, target: str, body: bytes = b"") -> bytes:
    head = f"{method} {target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body
