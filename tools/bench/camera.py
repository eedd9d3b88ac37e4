"""Whether a camera disturbs the head: how evenly role-headd moves a joint (as role_loop measures
it) while its camera is off, sends 30 pictures of 100 kB a second, and sends hostile ones, in
turns. Another process reads the pictures, compressed and unpacked.

`python -m tools.bench.camera [--seconds 20] [--json]`, seconds for each of the three. Beside the
jitter: the processor time of the role's own process, and what arrived. As in role_loop, turns in
which the host kept this machine's processors do not count.
"""

import argparse
import asyncio
import contextlib
import io
import json
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

from saint_services.lib.bus import Bus
from saint_services.lib.bus.open import open_bus
from saint_services.lib.generated.std_msgs import Bool
from saint_services.lib.generated.topics import HEAD_CAMERA_CMD
from tests.integration.robot import short_folder
from tools.sim.camera import RECORDED

from .latency import at, stolen_ms
from .role_loop import BLOCK_S, CALM_MS, ROOT, moving_role, role_block

_MOST_TRIES, _SETTLE_S = 3, 3.0
_SIZE = (640, 480)
_KINDS = ("off", "30 pictures/s", "hostile")
READER = """
import asyncio, sys
from saint_services.lib.bus.open import open_bus
from saint_services.lib.generated import topics
async def main():
    bus, counts = await open_bus("reader"), [0, 0]
    def count(place):
        def add(sample):
            counts[place] += 1
        return add
    bus.subscribe(topics.HEAD_CAMERA, count(0))
    bus.subscribe(topics.HEAD_CAMERA_RAW, count(1))
    loop = asyncio.get_running_loop()
    while await loop.run_in_executor(None, sys.stdin.readline):
        print(*counts, flush=True)
asyncio.run(main())
"""


@dataclass(slots=True)
class CameraFigures:
    """One kind of picture."""

    kind: str
    jitter_ms: list[float] = field(default_factory=list)
    role_s: float = 0.0  # processor time
    seconds: float = 0.0
    compressed: int = 0
    raw: int = 0
    turns: int = 0
    tried: int = 0

    def summary(self) -> dict[str, float | str]:
        """Return what is shown."""
        values = self.jitter_ms or [0.0]
        per_s = 1.0 / max(self.seconds, 1e-9)
        return {
            "kind": self.kind,
            "p50_ms": at(values, 0.5),
            "p99_ms": at(values, 0.99),
            "max_ms": max(values),
            "samples": len(self.jitter_ms),
            "role_percent": 100.0 * self.role_s * per_s,
            "compressed_per_s": self.compressed * per_s,
            "raw_per_s": self.raw * per_s,
            "turns": self.turns,
            "tried": self.tried,
        }


def pictures(kind: str) -> list[bytes]:
    """Return the pictures of one kind: of a usual scene, or what does the most work."""
    from PIL import Image

    if kind == "off":
        return []
    usual = _jpeg(Image.effect_noise(_SIZE, 90).convert("RGB"), 62)
    if kind == "30 pictures/s":
        return [usual]
    # 4 MB that are no picture's, and five megapixels in few bytes: a second of work to unpack ten.
    return [usual + os.urandom(4_000_000), _jpeg(Image.new("RGB", (2592, 1944), 90), 90)]


def _jpeg(picture: object, quality: int) -> bytes:
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=quality)  # type: ignore[attr-defined]
    return out.getvalue()


class _Reader:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def counts(self) -> tuple[int, int]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(b"\n")
        compressed, raw = (await self._process.stdout.readline()).split()
        return int(compressed), int(raw)


@contextlib.asynccontextmanager
async def _reader() -> AsyncIterator[_Reader]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", READER, cwd=ROOT, stdin=PIPE, stdout=PIPE
    )
    try:
        yield _Reader(process)
    finally:
        process.kill()
        await process.wait()


async def measure(seconds: float) -> list[CameraFigures]:
    """Measure the three kinds in turns."""
    wanted = max(1, round(seconds / BLOCK_S))
    found = [CameraFigures(kind) for kind in _KINDS]
    with short_folder() as folder:
        async with moving_role(folder) as (router, watch), _reader() as reader:
            bus = await open_bus("bench_camera")
            role = _role_of(folder)
            for _ in range(wanted * _MOST_TRIES):
                for figures in found:
                    if figures.turns < wanted:
                        await _switch(bus, folder, figures.kind)
                        kept_ms, before_s = stolen_ms(), _processor_s(role)
                        seen = await reader.counts()
                        jitter = await role_block(router, watch, BLOCK_S)
                        after = await reader.counts()
                        figures.tried += 1
                        if stolen_ms() - kept_ms <= CALM_MS:
                            figures.turns += 1
                            figures.jitter_ms += jitter
                            figures.role_s += _processor_s(role) - before_s
                            figures.seconds += BLOCK_S
                            figures.compressed += after[0] - seen[0]
                            figures.raw += after[1] - seen[1]
            await bus.close()
    return found


async def _switch(bus: Bus, folder: Path, kind: str) -> None:
    """Give the camera its pictures, and time to open."""
    switch = bus.publisher(HEAD_CAMERA_CMD)
    recorded = folder / "hw" / RECORDED
    recorded.mkdir(exist_ok=True)
    for _ in range(5):
        switch.publish(Bool(False))
        await asyncio.sleep(0.1)
    for path in recorded.iterdir():
        path.unlink()
    for number, data in enumerate(pictures(kind)):
        (recorded / f"{number}.jpg").write_bytes(data)
    for _ in range(10):
        switch.publish(Bool(kind != "off"))
        await asyncio.sleep(_SETTLE_S / 10)
    switch.close()


def _role_of(folder: Path) -> int:
    """Return the number of the role's process: the one whose folder is ours."""
    ours = f"RUNTIME_DIRECTORY={folder / 'run'}".encode()
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command = (path / "cmdline").read_bytes().split(b"\0")
            if b"saint_services.role_headd" in command and ours in (path / "environ").read_bytes():
                return int(path.name)
    raise SystemExit("the role's process was not found")


def _processor_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def table(found: list[CameraFigures]) -> str:
    """Return the figures for people."""
    lines = [
        f"{'camera':16}{'p50 ms':>8}{'p99 ms':>8}{'max ms':>8}{'role':>8}{'jpeg/s':>8}{'rgb8/s':>8}"
    ]
    for each in found:
        s = each.summary()
        lines.append(
            f"{each.kind:16}{s['p50_ms']:8.3f}{s['p99_ms']:8.3f}{s['max_ms']:8.3f}"
            f"{s['role_percent']:7.1f}%{s['compressed_per_s']:8.1f}{s['raw_per_s']:8.1f}"
            f"   {s['samples']} samples, {each.turns} calm turns of {each.tried}"
        )
    return "\n".join(lines)


def main() -> None:
    """Print all three."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    chosen = parser.parse_args()
    found = asyncio.run(measure(chosen.seconds))
    print(json.dumps([each.summary() for each in found]) if chosen.json else table(found))


if __name__ == "__main__":
    main()
