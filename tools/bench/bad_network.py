"""Remote operation for half an hour over a network that changes: whether anything grows, freezes or
arrives late. The simulated robot in real processes. The operator's hands are an aiortc peer, whose
commands are numbered (page_operator.py), the eyes the page in Chromium (page_viewer.py); a relay
loses, delays, narrows and cuts both alike (tests/udp_relay.py).

`python -m tools.bench.bad_network [--minutes 30] [--seed 1] [--json]`; exits with 1 when a rule of
link_judge.py is broken. Each bad phase is followed by a good one. What falls together with a stall
of this machine is reported and not judged.
"""

import argparse
import asyncio
import contextlib
import io
import json
import os
import random
import sys
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from PIL import Image, ImageDraw

from saint_services.lib.bus import Bus, Sample
from saint_services.lib.bus.open import open_bus
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.lib.generated.std_msgs import Bool
from tests.integration.robot import Robot, running_robot
from tests.integration.teleop_requests import teleop_requests
from tests.integration.tracks import Tracks
from tests.teleop_peer import Request
from tests.udp_relay import NetworkFaults
from tests.waiting import every, let_pass, until
from tools.bench.latency import stolen_ms
from tools.bench.link_judge import STALL_S, Arrival, Finding, Notes, Phase, Sizes, judge
from tools.bench.page_operator import PageOperator, number_of
from tools.bench.page_viewer import PageViewer
from tools.sim.camera import RECORDED

_LOSS, _DELAY_S, _KBPS = 0.05, 0.2, 300.0
_GOOD_S, _AFTER_NARROW_S, _WARM_UP_S = (10.0, 14.0), (24.0, 28.0), 60.0
_LOOK_S, _LAG_S = 0.02, 0.02
_SIZE, _PICTURES, _PAN_PX = (640, 480), 120, 3


@dataclass(frozen=True, slots=True)
class Kind:
    """A bad phase."""

    name: str
    faults: NetworkFaults
    seconds: tuple[float, float]


KINDS = (
    Kind("loss", NetworkFaults(loss=_LOSS), (8.0, 15.0)),
    Kind("delay", NetworkFaults(delay_s=_DELAY_S), (8.0, 20.0)),
    Kind("narrow", NetworkFaults(kbps=_KBPS), (12.0, 20.0)),
    Kind("loss, delay", NetworkFaults(loss=_LOSS, delay_s=_DELAY_S), (8.0, 15.0)),
    Kind("loss, delay, narrow", NetworkFaults(False, _LOSS, _DELAY_S, _KBPS), (12.0, 20.0)),
    Kind("cut 50 ms", NetworkFaults(is_cut=True), (0.05, 0.05)),
    Kind("cut 500 ms", NetworkFaults(is_cut=True), (0.5, 0.5)),
    Kind("cut 5 s", NetworkFaults(is_cut=True), (5.0, 5.0)),
)


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured."""

    minutes: float
    seed: int
    phases: dict[str, int]  # how many of each
    commands_sent: int
    sessions: int
    views: int  # sessions of the page
    left: int  # sessions that the robot has ended
    asked: int  # times that control had to be requested
    frames: int
    stalls: int
    stalled_s: float  # the longest
    stolen_ms: int
    findings: list[Finding]


def course(seed: int) -> Iterator[tuple[Kind, float, float]]:
    """Return bad phases in an order of chance, each kind as often, with the seconds of each and of
    the good phase after it.
    """
    chance = random.Random(seed)
    while True:
        for kind in chance.sample(KINDS, len(KINDS)):
            good = _AFTER_NARROW_S if kind.faults.kbps is not None else _GOOD_S
            yield kind, chance.uniform(*kind.seconds), chance.uniform(*good)


async def measure(robot: Robot, minutes: float, seed: int) -> Figures:
    """Operate the robot for so long."""
    notes, faults = Notes(), NetworkFaults()
    began_ms = stolen_ms()
    viewer = PageViewer(faults, notes.frames, seed)
    async with (
        teleop_requests(robot) as request, listening(robot, notes) as bus,
        viewer.opened(robot.http_url) as page,
    ):  # fmt: skip
        await _film(robot, bus)
        operator = PageOperator(request, faults, notes, seed)
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(operator.run()),
                group.create_task(viewer.watch(page)),
                group.create_task(_watch_motors(robot, notes)),
                group.create_task(_watch_stalls(notes)),
            ]
            await until(lambda: notes.arrivals and notes.frames, 60.0)
            await _pass(notes, faults, Kind("warm-up", NetworkFaults(), (0, 0)), _WARM_UP_S)
            end_s = time.monotonic() + minutes * 60
            for kind, bad_s, good_s in course(seed):
                if time.monotonic() > end_s:
                    break
                await _pass(notes, faults, kind, bad_s)
                await _pass(notes, faults, Kind("good", NetworkFaults(), (0, 0)), good_s)
                notes.sizes.append(await sizes(robot, request))
                _say(notes, operator)
            for task in tasks:
                task.cancel()
    names = [each.name for each in notes.phases]
    return Figures(
        minutes, seed, {name: names.count(name) for name in names}, len(notes.sent),
        operator.sessions, viewer.sessions, operator.left, operator.asked, len(notes.frames),
        len(notes.stalls),
        max((length for _, length in notes.stalls), default=0.0), stolen_ms() - began_ms,
        judge(notes),
    )  # fmt: skip


@contextlib.asynccontextmanager
async def listening(robot: Robot, notes: Notes) -> AsyncIterator[Bus]:
    """Note the commands that reach the bus."""
    os.environ.update(robot.environment)
    bus = await open_bus("bench_commands")

    def note(sample: Sample[InputSample]) -> None:
        message, now_s = sample.message, time.monotonic()
        if message.failsafe:
            notes.ends[message.source] = now_s
        elif message.target == "tracks":
            notes.is_moving = any(message.values)
        elif message.target == "head" and message.values:  # of the same message, after the tracks
            number = number_of(message.values[0], len(notes.sent) - 1)
            notes.arrivals.append(Arrival(now_s, number, message.source, notes.is_moving))

    bus.subscribe(topics.INPUT_TELEOP, note)
    yield bus
    await bus.close()


async def sizes(robot: Robot, request: Request) -> Sizes:
    """Read what teleopd holds now."""
    own = Path(f"/proc/{robot.pid('teleopd')}")
    listed = await request("list_sessions")
    rollup = (own / "smaps_rollup").read_text(encoding="ascii").splitlines()
    pss_kb = next(int(line.split()[1]) for line in rollup if line.startswith("Pss:"))
    return Sizes(
        time.monotonic(), pss_kb * 1024 / 1e6, len(list((own / "fd").iterdir())),
        len(list((own / "task").iterdir())), len(listed["sessions"]),
    )  # fmt: skip


async def _pass(notes: Notes, faults: NetworkFaults, kind: Kind, seconds: float) -> None:
    """Have the network be so for a while."""
    wanted, began_s = kind.faults, time.monotonic()
    faults.is_cut, faults.loss = wanted.is_cut, wanted.loss
    faults.delay_s, faults.kbps = wanted.delay_s, wanted.kbps
    await let_pass(seconds)
    notes.phases.append(
        Phase(
            kind.name, began_s, time.monotonic(), wanted.delay_s, wanted.kbps, wanted.is_cut,
            is_good=wanted == NetworkFaults(),
        )
    )  # fmt: skip


async def _watch_motors(robot: Robot, notes: Notes) -> None:
    tracks = Tracks(robot)
    try:
        async for _ in every(_LOOK_S):
            if any(tracks.duties()):
                notes.powered.append(time.monotonic())
    finally:
        tracks.close()


async def _watch_stalls(notes: Notes) -> None:
    """Note when this process came late by more than a busy computer adds."""
    before_s = time.monotonic()
    async for _ in every(_LAG_S):
        now_s = time.monotonic()
        if now_s - before_s - _LAG_S > STALL_S:
            notes.stalls.append((now_s, now_s - before_s - _LAG_S))
        before_s = now_s


async def _film(robot: Robot, bus: Bus) -> None:
    """Give the simulated camera a scene that fills a link, and switch it on."""
    folder = robot.hw("head") / RECORDED
    folder.mkdir(exist_ok=True)
    scene = _scene()
    for number in range(_PICTURES):
        (folder / f"{number:03}.jpg").write_bytes(_picture(scene, number))
    counted: list[object] = []
    switch = bus.publisher(topics.HEAD_CAMERA_CMD)
    watch = bus.subscribe(topics.HEAD_CAMERA, counted.append)
    async for _ in every(0.5, until=lambda: counted):  # until the role has found this writer
        switch.publish(Bool(data=True))
    watch.close()
    switch.close()


def _scene() -> Image.Image:
    """Return a wall with grain and things on it, wider than a picture."""
    chance, size = random.Random(1), (_SIZE[0] + _PICTURES * _PAN_PX, _SIZE[1])
    scene = Image.effect_noise((size[0] // 8, size[1] // 8), 40).resize(size).convert("RGB")
    draw = ImageDraw.Draw(scene)
    for _ in range(30):
        x, y = chance.randrange(size[0]), chance.randrange(size[1])
        draw.ellipse((x, y, x + 60, y + 60), fill=(chance.randrange(256), 90, 160))
    return scene


def _picture(scene: Image.Image, number: int) -> bytes:
    """Return what a camera sees that turns to and fro."""
    left = min(number, _PICTURES - number) * 2 * _PAN_PX
    buffer = io.BytesIO()
    scene.crop((left, 0, left + _SIZE[0], _SIZE[1])).save(buffer, "JPEG", quality=75)
    return buffer.getvalue()


def _say(notes: Notes, operator: PageOperator) -> None:
    bad, last = notes.phases[-2], notes.sizes[-1]
    print(
        f"{bad.name:20} {bad.seconds:5.1f} s; {last.pss_mb:.1f} MB, {last.files} files, "
        f"{last.threads} threads, {last.sessions} sessions ({operator.sessions} so far), "
        f"{notes.rates[-1][1] if notes.rates else 0:.0f} kbit/s",
        file=sys.stderr, flush=True,
    )  # fmt: skip


def table(found: Figures) -> str:
    """The figures for people."""
    phases = ", ".join(f"{count} x {name}" for name, count in found.phases.items())
    lines = [f"{found.minutes:g} min, seed {found.seed}: {phases}"]
    lines += [
        f"{'ok  ' if each.is_kept else 'FAIL'} {each.rule}: {each.found} (limit {each.limit})"
        + (f"; {each.excused} beside a stall" if each.excused else "")
        for each in found.findings
    ]
    lines += [
        f"{found.commands_sent} commands sent in {found.sessions} sessions, {found.left} ended by "
        f"the robot; {found.frames} pictures in {found.views} sessions of the page; control "
        f"requested {found.asked} times",
        f"this machine stood still {found.stalls} times, {found.stalled_s:.2f} s at most; the host "
        f"kept {found.stolen_ms} ms of processor time",
    ]
    return "\n".join(lines)


def main() -> int:
    """Command line; 1 when a rule was broken."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with running_robot() as robot:
        found = asyncio.run(measure(robot, options.minutes, options.seed))
    print(json.dumps(asdict(found)) if options.json else table(found))
    return 0 if all(each.is_kept for each in found.findings) else 1


if __name__ == "__main__":
    sys.exit(main())
