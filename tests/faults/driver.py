"""Drives the tracks forward from outside, 50 times a second, while its standard input says so:
lines "go" and "stop". One process for each input, so that none disturbs the measurement.

    python -m tests.faults.driver rc|web|ros ROBOT_FOLDER
"""

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from tests.waiting import every, let_pass

PERIOD_S = 0.02
Send = Callable[[], Awaitable[None]]


async def _rc(root: Path, _: contextlib.AsyncExitStack) -> Send:
    from tests.integration.senders import stick
    from tools.launch.machines.receiver import open_wire

    wire, frame = open_wire(root), stick(forward=1.0)

    async def send() -> None:
        with contextlib.suppress(BlockingIOError):
            os.write(wire, frame)

    return send


async def _web(root: Path, stack: contextlib.AsyncExitStack) -> Send:
    import aiohttp

    session = await stack.enter_async_context(aiohttp.ClientSession())
    socket: aiohttp.ClientWebSocketResponse | None = None
    message = json.dumps(
        {"type": "command", "target": "tracks", "action": "drive", "params": {"linear": 0.4}}
    )

    async def drain(connected: aiohttp.ClientWebSocketResponse) -> None:
        async for _ in connected:
            pass

    tasks: set[asyncio.Task[None]] = set()

    async def send() -> None:
        nonlocal socket
        try:
            if socket is None or socket.closed:
                ports = json.loads((root / "robot.json").read_text())["ports"]
                async with asyncio.timeout(1.0):
                    socket = await session.ws_connect(f"ws://127.0.0.1:{ports['saint']}/saint")
                tasks.add(asyncio.create_task(drain(socket)))
            async with asyncio.timeout(0.1):
                await socket.send_str(message)
        except (aiohttp.ClientError, OSError, TimeoutError):
            socket = None
            await let_pass(0.1)  # before the next try

    return send


async def _ros(root: Path, stack: contextlib.AsyncExitStack) -> Send:
    from saint_services.lib.bus.open import open_bus
    from saint_services.lib.generated.geometry_msgs import Twist, Vector3
    from saint_services.lib.generated.topics import TRACKS_CMD_VEL

    bus = await open_bus("driver", backend="dds")
    stack.push_async_callback(bus.close)
    publisher = bus.publisher(TRACKS_CMD_VEL)

    async def send() -> None:
        publisher.publish(Twist(linear=Vector3(x=0.4)))

    return send


async def main(kind: str, root: Path) -> None:
    """Obey the lines of standard input until it ends."""
    async with contextlib.AsyncExitStack() as stack:
        await _obey(await {"rc": _rc, "web": _web, "ros": _ros}[kind](root, stack))


async def _obey(send: Send) -> None:
    lines = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    work: asyncio.Task[None] | None = None
    print("ready", flush=True)
    while line := (await lines.readline()).strip():
        if work:
            work.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await work
        work = asyncio.create_task(_play(send)) if line == b"go" else None
        print("done", flush=True)


async def _play(send: Send) -> None:
    async for _ in every(PERIOD_S):
        await send()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
