"""What remote operation costs: the time from an operator's message to the sample on the bus, beside
bare aiortc channels in turns, and teleopd's processor time for each picture with one viewer and
with five. The first bare channel is over when the message has arrived; the second does what every
robot of ours has to: it reads the JSON and writes a sample.

`python -m tools.bench.remote [--seconds 6] [--profile]`. Viewers open what the page opens (picture
and reports). They are a process of their own that receives and does not decode: five decoders would
be measured instead.
"""

import argparse
import asyncio
import contextlib
import cProfile
import itertools
import json
import pstats
import statistics
import sys
import tempfile
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

from aiortc import RTCConfiguration, RTCDataChannel, RTCPeerConnection, rtcrtpreceiver

from saint_services.lib.api.endpoint import rows_of
from saint_services.lib.bus import Bus
from saint_services.lib.clock import stamp
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.lib.ipc import Client
from tests.teleop_peer import TeleopPeer, teleop_peer
from tests.unit.teleopd.rig import OLGA, VERA, RemoteRobot, remote_robot
from tests.waiting import every, let_pass, until

_SIZE = (640, 480)
_MESSAGES = 200
_STEP = 1 / 4096
_PAUSE_S = 0.02
_RENEW_EACH = 50  # messages
_SETTLE_S = 2.0


async def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="Remote operation: times and costs.")
    parser.add_argument("--seconds", type=float, default=6.0, help="of each measurement of video")
    parser.add_argument("--profile", action="store_true", help="what the time is spent on")
    parser.add_argument("--watch", nargs=2, metavar=("SOCKET", "COUNT"), help="be the viewers")
    given = parser.parse_args()
    if given.watch:
        await watch(Path(given.watch[0]), int(given.watch[1]))
        return 0
    await commands(is_profiled=given.profile)
    costs = [await pictures(count, given.seconds, is_profiled=given.profile) for count in (1, 5)]
    print(f"five viewers cost {costs[1] / costs[0]:.2f} x one (goal 1.2)")
    return 0


async def commands(*, is_profiled: bool) -> None:
    """Measure messages and a bare channel in turns."""
    ours: list[float] = []  # until the sample is written to the bus
    delivered_ms: list[float] = []  # until a reader in this process has it
    with tempfile.TemporaryDirectory() as folder:
        async with (
            remote_robot(Path(folder)) as robot,
            teleop_peer(robot.signalling(OLGA)) as peer,
            bare_channel() as bare,
            bare_channel(written_to(robot.bus)) as bare_written,
        ):
            await peer.report(lambda each: each["seat"] == "operator")
            await peer.release()
            sent: dict[int, float] = {}
            arrived: set[int] = set()

            written: deque[float] = deque()
            domain = robot.bus._domain
            deliver = domain.deliver

            def delivered(publisher: Any, data: bytes) -> None:
                if publisher.topic.name == topics.INPUT_TELEOP.name:
                    written.append(time.perf_counter())
                deliver(publisher, data)

            def note(sample: Any) -> None:
                at, now = written.popleft(), time.perf_counter()
                if sample.message.values:
                    number = round(sample.message.values[0] / _STEP)
                    arrived.add(number)
                    ours.append((at - sent[number]) * 1000)
                    delivered_ms.append((now - sent[number]) * 1000)

            setattr(domain, "deliver", delivered)  # noqa: B010
            robot.bus.subscribe(topics.INPUT_TELEOP, note)
            trips: list[tuple[float, float]] = []
            written_trips: list[tuple[float, float]] = []
            with profiled(is_profiled):
                for number in range(1, _MESSAGES):
                    await let_pass(_PAUSE_S)
                    text = peer.text(tracks={"linear": number * _STEP})
                    sent[number] = time.perf_counter()
                    peer.fields.send(text)
                    await let_pass(_PAUSE_S)
                    if number not in arrived:  # after a pause of a busy machine: release first
                        await peer.release()
                    trips.append(await bare(text))
                    await let_pass(_PAUSE_S)
                    written_trips.append(await bare_written(text))
                    if number % _RENEW_EACH == 0:
                        await peer.request("renew", session=peer.session)
    _report("message to the bus", ours)
    _report("message to a reader in the same process", delivered_ms)
    _report("bare channel, one way", [way for way, _ in trips], ours)
    _report("bare channel, half of there and back", [trip / 2 for _, trip in trips], ours)
    _report("bare channel to the bus, one way", [way for way, _ in written_trips], ours)


def _report(name: str, found: list[float], ours: list[float] | None = None) -> None:
    middle, late = statistics.median(found), statistics.quantiles(found, n=20)[-1]
    ratio = f": ours is {statistics.median(ours) / middle:.2f} x (1.3)" if ours else ""
    print(f"{name}: p50 {middle:.2f} ms, p95 {late:.2f} ms, {len(found)} messages{ratio}")


def written_to(bus: Bus) -> Callable[[str], None]:
    """Return what a message of the bare channel has to go through at least."""
    publisher, numbers = bus.publisher(topics.INPUT_WEBSOCKET), itertools.count()

    def write(text: str) -> None:
        for target, values in json.loads(text)["targets"].items():
            sample = InputSample(
                stamp(), "websocket:bare", next(numbers), False, target,
                tuple(values), tuple(values.values()),
            )  # fmt: skip
            publisher.publish(sample)

    return write


@contextlib.asynccontextmanager
async def bare_channel(work: Callable[[str], None] | None = None) -> AsyncIterator[Any]:
    """Yield a function that sends a message there and back, and returns the ms of the way there,
    with what `work` does then, and of both.
    """
    near, far = (RTCPeerConnection(RTCConfiguration(iceServers=[])) for _ in range(2))
    channel, arrived = (
        near.createDataChannel("bare", ordered=False, maxRetransmits=0),
        asyncio.Event(),
    )
    there_s = 0.0

    def answer(other: RTCDataChannel, text: str) -> None:
        nonlocal there_s
        if work is not None:
            work(text)
        there_s = time.perf_counter()
        other.send(text)

    far.on("datachannel", lambda other: other.on("message", partial(answer, other)))
    channel.on("message", lambda _: arrived.set())
    await near.setLocalDescription(await near.createOffer())
    await far.setRemoteDescription(near.localDescription)
    await far.setLocalDescription(await far.createAnswer())
    await near.setRemoteDescription(far.localDescription)
    await until(lambda: channel.readyState == "open")

    async def there_and_back(text: str) -> tuple[float, float]:
        arrived.clear()
        began_s = time.perf_counter()
        channel.send(text)
        await arrived.wait()
        return (there_s - began_s) * 1000, (time.perf_counter() - began_s) * 1000

    yield there_and_back
    await near.close()
    await far.close()


async def pictures(viewers: int, seconds: float, *, is_profiled: bool) -> float:
    """Return teleopd's processor time of a picture in ms; the camera's is in it."""
    with tempfile.TemporaryDirectory() as folder:
        async with remote_robot(Path(folder), viewers=8) as robot, robot.filming(_SIZE):
            command = (sys.executable, "-m", "tools.bench.remote", "--watch")
            socket = str(Path(folder) / "run" / "teleopd.sock")
            watching = await asyncio.create_subprocess_exec(*command, socket, str(viewers))
            try:
                await until(lambda: robot.counters["pictures_sent"] > 60 * viewers, 60.0)
                await let_pass(_SETTLE_S)
                return await _cost(robot, viewers, seconds, is_profiled=is_profiled)
            finally:
                watching.terminate()
                await asyncio.wait_for(watching.wait(), 10.0)


async def _cost(robot: RemoteRobot, viewers: int, seconds: float, *, is_profiled: bool) -> float:
    counters = robot.counters
    names = ("pictures_encoded", "pictures_sent", "picture_bytes")
    before, began_s = [counters[name] for name in names], time.process_time()
    with profiled(is_profiled):
        await let_pass(seconds)
    spent_ms = (time.process_time() - began_s) * 1000
    encoded, sent, size = (
        counters[name] - count for name, count in zip(names, before, strict=True)
    )
    cost: float = spent_ms / encoded
    print(
        f"{viewers} viewers: {cost:.2f} ms of processor time a picture, {encoded / seconds:.0f} "
        f"pictures/s, {sent / encoded:.1f} sent each, {size / sent:.0f} bytes"
    )
    return cost


@contextlib.contextmanager
def profiled(is_on: bool) -> Any:
    """Print what the time was spent on, if that is wanted."""
    if not is_on:
        yield
        return
    profile = cProfile.Profile()
    profile.enable()
    yield
    profile.disable()
    pstats.Stats(profile).sort_stats("tottime").print_stats(28)


async def watch(socket: Path, count: int) -> None:
    """Receive pictures until ended, without decoding them."""
    setattr(rtcrtpreceiver, "decoder_worker", _discard)  # noqa: B010
    rows, client = {row.action: row for row in rows_of("teleopd")}, Client(socket)

    async def request(action: str, **params: Any) -> dict[str, Any]:
        row = rows[action]
        reply = await client.request(row, row.params.model_validate(params), VERA)
        found: dict[str, Any] = reply.model_dump(mode="json")
        return found

    peers = [TeleopPeer(request, is_page=True) for _ in range(count)]
    for peer in peers:
        await peer.connect(wants_control=False, video=True)
    async for _ in every(5.0):
        for peer in peers:
            await request("renew", session=peer.session)


def _discard(_loop: object, arriving: Any, *_: object) -> None:
    while arriving.get() is not None:
        pass


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
