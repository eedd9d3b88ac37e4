"""webd from outside: commands and inputs to topics, states back, floods of states, many clients.
Real processes, real DDS. A client's own samples come back without the bus; the long way has both.

`python -m tools.bench.web [--samples 2000] [--json]`. The baseline is the same way without webd: a
topic to another process and back (tools/bench/bus.py).
"""

import argparse
import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from random import SystemRandom
from statistics import median
from typing import Any

import aiohttp

from saint_services.lib.bus import Bus, Sample
from tools.bench.bus import measure_round_trip

_PAUSE_S = 0.002
_LIMIT_S = 60.0
_FLOOD_S = 3.0
_FLOOD_HZ = 5500
_CROWD = 50
_CROWD_HZ = 50
_CROWD_VALUES = 40
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Way:
    """From a client's message to the state that it causes."""

    p50_ms: float
    p99_ms: float
    cpu_us: float  # of webd, per message


@dataclass(frozen=True, slots=True)
class Flood:
    """A topic at full speed to one client."""

    sent_hz: float
    received_hz: float
    lost: int
    cpu_us: float  # of webd, per state that was sent on


@dataclass(frozen=True, slots=True)
class Crowd:
    """A command's answer, alone and beside many clients."""

    alone_p99_ms: float
    beside_p99_ms: float
    webd_cpu: float  # share of one core
    states_hz: float


class Web:
    """A webd of its own, with its router."""

    def __init__(self, folder: Path) -> None:
        self.domain = SystemRandom().randrange(1, 100)
        self.port = SystemRandom().randrange(20_000, 30_000)
        for name in ("config", "state", "run"):
            (folder / name).mkdir()
        listen = {"http_port": self.port, "saint_port": 0}
        settings = {"auth": {"required": False}, "listen": listen}
        (folder / "config" / "webd.yaml").write_text(json.dumps(settings))
        self.env = os.environ | {
            "CONFIGURATION_DIRECTORY": str(folder / "config"),
            "STATE_DIRECTORY": str(folder / "state"),
            "RUNTIME_DIRECTORY": str(folder / "run"),
            "ROS_DOMAIN_ID": str(self.domain),
            "SAINT_BUS": "dds",
        }
        # webd accepts no motion without a router that admits its samples.
        self._router = self._started("routerd")
        self.process = self._started("webd")

    def _started(self, daemon: str) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", f"saint_services.{daemon}"]
        return subprocess.Popen(command, env=self.env, stderr=subprocess.DEVNULL)

    @contextlib.contextmanager
    def part(self, name: str) -> Iterator["subprocess.Popen[str]"]:
        """Another process of this measurement."""
        command = [sys.executable, "-m", "tools.bench.web", "--part", name]
        command += ["--port", str(self.port)]
        process = subprocess.Popen(command, env=self.env, stdout=subprocess.PIPE, text=True)
        try:
            yield process
        finally:
            process.terminate()
            process.communicate(timeout=_LIMIT_S)

    def cpu_s(self) -> float:
        """Processor time of webd so far."""
        text = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii")
        fields = text.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def close(self) -> None:
        """End webd and its router."""
        for process in (self.process, self._router):
            process.terminate()
            process.wait(timeout=_LIMIT_S)

    @contextlib.asynccontextmanager
    async def client(self, topic: str, rate_hz: float = 0) -> Any:
        """A WebSocket that receives one topic."""
        async with aiohttp.ClientSession() as http:
            socket = await self._connected(http)
            await socket.send_json({"type": "subscribe", "topics": [topic], "rate_hz": rate_hz})
            await socket.receive(timeout=5)
            yield socket
            await socket.close()

    async def _connected(self, http: aiohttp.ClientSession) -> aiohttp.ClientWebSocketResponse:
        async with asyncio.timeout(_LIMIT_S):
            while True:
                try:
                    return await http.ws_connect(f"http://127.0.0.1:{self.port}/saint")
                except aiohttp.ClientError:
                    await asyncio.sleep(0.1)


def _drive(value: float) -> str:
    """A command: it is answered."""
    params = {"linear": value, "angular": 0.0}
    return json.dumps({"type": "tracks", "action": "drive", "params": params})


def _input(value: float) -> str:
    """A reading of a stick, as pages stream it: it is not answered."""
    values = {"linear": value, "angular": 0.0}
    return json.dumps({"type": "input", "target": "tracks", "values": values})


async def measure_way(
    web: Web, topic: str, samples: int, message: Callable[[float], str] = _drive
) -> Way:
    """Each message is a new value; the state that carries it ends its time."""
    async with web.client(topic) as socket:
        for number in range(50):  # until both directions are matched and the router admits webd
            with contextlib.suppress(TimeoutError):
                await _round(socket, topic, message, number, 0.1)
        began_cpu_s = web.cpu_s()
        found = []
        for number in range(1000, 1000 + samples):
            await asyncio.sleep(_PAUSE_S)
            found.append(await _round(socket, topic, message, number, 5.0))
        cpu_us = (web.cpu_s() - began_cpu_s) / samples * 1e6
    return Way(median(found), _p99(found), cpu_us)


async def _round(
    socket: Any, topic: str, message: Callable[[float], str], number: int, limit_s: float
) -> float:
    value = number % 10_000 / 10_000  # states have four decimals
    markers = [f":{value}{end}" for end in ",}"]
    text = message(value)
    sent = time.monotonic_ns()
    await socket.send_str(text)
    async with asyncio.timeout(limit_s):
        while True:
            data = (await socket.receive()).data
            if topic in data[:40] and any(marker in data for marker in markers):
                return (time.monotonic_ns() - sent) * 1e-6


async def measure_flood(web: Web) -> Flood:
    """As many states as a process can publish, numbered."""
    async with web.client("tracks") as socket:
        with web.part("flood"):
            began_cpu_s = web.cpu_s()
            numbers: list[float] = []
            began_s = last_s = 0.0
            async with asyncio.timeout(_LIMIT_S):
                while not numbers or numbers[-1] < _FLOOD_HZ * _FLOOD_S:
                    data = json.loads((await socket.receive()).data)["data"]
                    last_s = time.monotonic()
                    began_s = began_s or last_s
                    numbers.append(data["left_velocity"])
    sent = numbers[-1] - numbers[0] + 1
    span_s = last_s - began_s
    cpu_us = (web.cpu_s() - began_cpu_s) / len(numbers) * 1e6
    return Flood(sent / span_s, len(numbers) / span_s, int(sent - len(numbers)), cpu_us)


async def measure_crowd(web: Web, samples: int) -> Crowd:
    """Answers to commands, before and while many others are served."""
    async with web.client("console") as socket:
        alone = await _answers(socket, samples)
        with web.part("robot"), web.part("crowd") as crowd:
            assert crowd.stdout
            await asyncio.to_thread(crowd.stdout.readline)
            began_s, began_cpu_s = time.monotonic(), web.cpu_s()
            beside = await _answers(socket, samples)
            cpu = (web.cpu_s() - began_cpu_s) / (time.monotonic() - began_s)
            rate = float(await asyncio.to_thread(crowd.stdout.readline))
    return Crowd(_p99(alone), _p99(beside), cpu, rate)


async def _answers(socket: Any, samples: int) -> list[float]:
    found = []
    for number in range(samples):
        await asyncio.sleep(_PAUSE_S)
        sent = time.monotonic_ns()
        await socket.send_str(f'{{"id":{number},"type":"tracks","action":"stop"}}')
        while json.loads((await socket.receive(timeout=5)).data).get("id") != number:
            pass
        found.append((time.monotonic_ns() - sent) * 1e-6)
    return found


def _p99(found: list[float]) -> float:
    return sorted(found)[int(len(found) * 0.99)]


async def _be_echo(bus: Bus, _port: int) -> None:
    """The robot's part of the long way: a command becomes a state."""
    from saint_services.lib.generated import topics
    from saint_services.lib.generated.saint_msgs import InputSample, TrackState

    publisher = bus.publisher(topics.TRACKS_STATE)

    def answer(sample: Sample[InputSample]) -> None:
        publisher.publish(TrackState(left_velocity=sample.message.values[0]))

    bus.subscribe(topics.INPUT_WEBSOCKET, answer)
    await asyncio.sleep(_LIMIT_S)


async def _be_flood(bus: Bus, _port: int) -> None:
    from saint_services.lib.generated import topics
    from saint_services.lib.generated.saint_msgs import TrackState

    publisher = bus.publisher(topics.TRACKS_STATE)
    await asyncio.sleep(1.0)
    began_s = time.monotonic()
    for number in range(1, int(_FLOOD_HZ * _FLOOD_S) + 1):
        publisher.publish(TrackState(left_velocity=float(number)))
        if (ahead_s := began_s + number / _FLOOD_HZ - time.monotonic()) > 0:
            time.sleep(ahead_s)  # noqa: ASYNC251 - nothing else runs in this process
    while True:  # the end is sent until it is received
        publisher.publish(TrackState(left_velocity=float(_FLOOD_HZ * _FLOOD_S)))
        await asyncio.sleep(0.1)


async def _be_robot(bus: Bus, _port: int) -> None:
    from saint_services.lib.generated import topics
    from saint_services.lib.generated.saint_msgs import InputSample

    publisher = bus.publisher(topics.INPUT_LIVELINK)
    names = tuple(f"value_{number}" for number in range(_CROWD_VALUES))
    for sequence in range(int(_LIMIT_S * _CROWD_HZ)):
        values = tuple((sequence % 100 + number) / 200 for number in range(_CROWD_VALUES))
        source = "livelink:Bench"
        publisher.publish(InputSample(source=source, sequence=sequence, names=names, values=values))
        await asyncio.sleep(1 / _CROWD_HZ)


async def _be_crowd(_bus: Bus, port: int) -> None:
    """Prints a line when all are served, and how many states came each second, later."""
    async with aiohttp.ClientSession() as http:
        url = f"http://127.0.0.1:{port}/saint"
        sockets = [await http.ws_connect(url) for _ in range(_CROWD)]
        for socket in sockets:
            await socket.send_json({"type": "subscribe", "topics": ["inputs"], "rate_hz": 50})
        count = 0

        async def listen(socket: aiohttp.ClientWebSocketResponse) -> None:
            nonlocal count
            async for _ in socket:
                count += 1

        tasks = [asyncio.create_task(listen(socket)) for socket in sockets]
        await asyncio.sleep(1.0)
        print("ready", flush=True)
        began, count = time.monotonic(), 0
        await asyncio.sleep(2.0)
        print(count / (time.monotonic() - began), flush=True)
        await asyncio.wait(tasks, timeout=_LIMIT_S)


_PARTS = {"echo": _be_echo, "flood": _be_flood, "robot": _be_robot, "crowd": _be_crowd}


async def _be(name: str, port: int) -> None:
    from saint_services.lib.bus.open import open_bus

    await _PARTS[name](await open_bus(f"bench_{name}"), port)


async def _measure(samples: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        web = Web(Path(folder))
        try:
            short = await measure_way(web, "inputs", samples)
            stream = await measure_way(web, "inputs", samples, _input)
            with web.part("echo"):
                long = await measure_way(web, "tracks", samples)
            flood = await measure_flood(web)
            crowd = await measure_crowd(web, samples)
        finally:
            web.close()
    found = {"short": short, "stream": stream, "long": long, "flood": flood, "crowd": crowd}
    return {name: asdict(part) for name, part in found.items()}  # type: ignore[call-overload]


def _print(found: dict[str, Any]) -> None:
    bare, short, stream, long = (found[key] for key in ("bare", "short", "stream", "long"))
    print(f"{'':44}{'p50 ms':>9}{'p99 ms':>9}{'webd us':>9}")
    print(
        f"{'topic -> process -> topic, without webd':44}{bare['p50_ms']:9.3f}{bare['p99_ms']:9.3f}"
    )
    for title, way in (("command -> topic, answer and state", short),
                       ("input -> topic, state", stream),
                       ("WebSocket -> topic -> process -> topic -> WS", long)):  # fmt: skip
        print(f"{title:44}{way['p50_ms']:9.3f}{way['p99_ms']:9.3f}{way['cpu_us']:9.0f}")
    flood, crowd = found["flood"], found["crowd"]
    print(f"\nstates to one client: {flood['received_hz']:.0f}/s of {flood['sent_hz']:.0f}/s, "
          f"{flood['lost']} replaced by newer ones, {flood['cpu_us']:.0f} us each")  # fmt: skip
    print(f"answers, p99: alone {crowd['alone_p99_ms']:.2f} ms, beside {_CROWD} clients at "
          f"{_CROWD_HZ} Hz x {_CROWD_VALUES} values {crowd['beside_p99_ms']:.2f} ms; "
          f"{crowd['states_hz']:.0f} states/s for {crowd['webd_cpu']:.0%} of a core")  # fmt: skip


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--part", choices=list(_PARTS), help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_be(options.part, options.port))
        return 0
    bare = measure_round_trip(options.samples)
    found = {"bare": asdict(bare), **asyncio.run(_measure(options.samples))}
    if options.json:
        print(json.dumps(found))
    else:
        _print(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
