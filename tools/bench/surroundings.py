"""What stands around a robot that is measured: a phone, the nodes of arms that are not there, and
pages. Each is a process of its own, because it stands for another computer: pages and nodes run
only when the robot leaves processor time. Not here: what is measured.
"""

import argparse
import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import aiohttp

from tests.integration.robot import Robot
from tools.bench import wide

PAGES = 50
STATES_HZ = 50
_LIMIT_S = 60.0


@contextlib.contextmanager
def part(robot: Robot, name: str, *arguments: str) -> Iterator[list[str]]:
    """One of them; ends with the block. What it said last is in the list then."""
    command = [sys.executable, "-m", "tools.bench.surroundings", name, *arguments]
    pipe = subprocess.PIPE
    environment = os.environ | robot.environment
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)
    said: list[str] = []
    try:
        assert process.stdout and process.stdout.readline() == "ready\n", f"{name} does not start"
        yield said
    finally:
        said += process.communicate(timeout=_LIMIT_S)[0].split()


def in_the_background() -> None:
    """From now on this process only gets what others leave."""
    if not hasattr(os, "SCHED_IDLE"):
        return
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    # Each session has a share of its own (sched(7), autogroup), whatever is in it.
    with contextlib.suppress(OSError):
        os.setsid()
        Path("/proc/self/autogroup").write_text("19", encoding="ascii")


async def _end_requested() -> None:
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.read)


async def _be_phone(host: str, port: str) -> None:
    """Wants to be on time, needs hardly anything: an ordinary process."""
    ended = asyncio.create_task(_end_requested())
    poses = wide.datagrams()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.connect((host, int(port)))
        number = 0
        while not ended.done():
            with contextlib.suppress(OSError):
                sender.send(poses[number % len(poses)])
            number += 1
            await asyncio.sleep(wide.PERIOD_S)


async def _be_nodes() -> None:
    """Count all commands of the arms that no process simulates."""
    from saint_services.lib.bus import Topic
    from saint_services.lib.bus.open import open_bus
    from saint_services.lib.generated import topics

    in_the_background()
    bus = await open_bus("bench_nodes")
    received = 0

    def count(_: object) -> None:
        nonlocal received
        received += 1

    for name, kind in wide.added_topics():
        bus.subscribe(Topic(name, topics.BY_TYPE[kind], topics.HEAD_CMD.qos), count)
    began_s = time.monotonic()
    await _end_requested()
    print(received / (time.monotonic() - began_s))
    await bus.close()


async def _be_pages(port: str) -> None:
    """Are sent every input."""
    in_the_background()
    async with aiohttp.ClientSession() as http:
        url = f"http://127.0.0.1:{port}/saint"
        sockets = [await http.ws_connect(url) for _ in range(PAGES)]
        count = 0

        async def listen(each: aiohttp.ClientWebSocketResponse) -> None:
            nonlocal count
            async for _ in each:
                count += 1

        for each in sockets:
            await each.send_json({"type": "subscribe", "topics": ["inputs"], "rate_hz": STATES_HZ})
        tasks = [asyncio.create_task(listen(each)) for each in sockets]
        await asyncio.sleep(1.0)
        began_s, count = time.monotonic(), 0
        await _end_requested()
        print(count / (time.monotonic() - began_s))
        for task in tasks:
            task.cancel()


_PARTS: dict[str, Callable[..., Coroutine[Any, Any, None]]] = {
    "phone": _be_phone,
    "nodes": _be_nodes,
    "pages": _be_pages,
}


def main() -> int:
    """Command line of a part."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("part", choices=list(_PARTS))
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    asyncio.run(_PARTS[options.part](*options.arguments))
    return 0


if __name__ == "__main__":
    sys.exit(main())
