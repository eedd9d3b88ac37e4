"""A running rcd on pseudo terminals and an in-process bus, for tests."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

from saint_services.lib.api.rc import RcStatus
from saint_services.lib.bus import Bus, Sample
from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.daemon import running
from saint_services.lib.generated.saint_msgs import InputSample, RCReceiverState
from saint_services.lib.generated.topics import INPUT_RC, RC_STATE
from saint_services.lib.ipc import Client
from saint_services.lib.machine.service_manager import Directories
from saint_services.rcd.config import Config
from saint_services.rcd.daemon import run
from saint_services.rcd.protocols.crsf import crc8
from tests.router_writers import registered, serving_writers
from tests.waiting import every

FRAMES = (Path(__file__).parents[2] / "data" / "crsf-receiver.bin").read_bytes()
FRAME = FRAMES[:26]


class Line:
    """A serial line as a link to a pseudo terminal, so that it can be unplugged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._ours = -1
        self.plug()

    def plug(self) -> None:
        self._ours, theirs = os.openpty()
        self.path.symlink_to(os.ttyname(theirs))
        self._theirs = theirs

    def unplug(self) -> None:
        if self._ours < 0:
            return
        self.path.unlink()
        os.close(self._theirs)
        os.close(self._ours)
        self._ours = -1

    def send(self, data: bytes) -> None:
        os.write(self._ours, data)

    def sent_back(self) -> bytes:
        """What rcd has sent to the receiver since."""
        os.set_blocking(self._ours, False)
        with contextlib.suppress(BlockingIOError):
            return os.read(self._ours, 4096)
        return b""


@dataclass
class Robot:
    """A running rcd and what it has published."""

    line: Line
    client: Client
    ear: Bus
    samples: list[InputSample] = field(default_factory=list)
    states: list[RCReceiverState] = field(default_factory=list)

    async def drive(self, frame: bytes = FRAME, line: Line | None = None) -> None:
        """Frames at 100 Hz until one counts."""
        before = len(self.live)
        await self.drive_until(lambda: len(self.live) > before, frame, line)

    async def drive_until(
        self, is_so: Callable[[], bool], frame: bytes = FRAME, line: Line | None = None
    ) -> None:
        """Frames at 100 Hz until it is so."""
        async for _ in every(0.01, until=is_so):
            (line or self.line).send(frame)

    @contextlib.asynccontextmanager
    async def stick(self, frame: bytes, line: Line | None = None) -> AsyncIterator[None]:
        """Frames at 100 Hz meanwhile."""

        async def send() -> None:
            async for _ in every(0.01):
                (line or self.line).send(frame)

        task = asyncio.create_task(send())
        try:
            yield
        finally:
            task.cancel()

    @property
    def live(self) -> list[InputSample]:
        return [sample for sample in self.samples if not sample.failsafe]

    def raw(self, number: int) -> int:
        """A channel as the last state shows it; 0 while the signal is lost."""
        state = self.states[-1] if self.states else RCReceiverState()
        return 0 if state.failsafe or not state.channels else state.channels[number - 1].raw_value

    async def status(self) -> RcStatus:
        return await self.client.get("/status", RcStatus)


def crsf(**channels: int) -> bytes:
    """A frame with these channels (ch1=1000) in microseconds, the others in the middle."""
    us = [channels.get(f"ch{number}", 1500) for number in range(1, 17)]
    bits = sum(round((each - 880) * 1.6) << 11 * i for i, each in enumerate(us))
    body = b"\x16" + bits.to_bytes(22, "little")
    return b"\xc8\x18" + body + bytes([crc8(body)])


@contextlib.asynccontextmanager
async def robot(line: Line, root: Path, **changes: object) -> AsyncIterator[Robot]:
    domain = LocalDomain()
    settings = {
        "enabled": True,
        "protocol": "crsf",
        "uart": {"device": str(line.path)},
        **changes,
    }
    config = Config.model_validate({"rc_receiver": settings})
    directories = Directories(root / "etc", root / "state", root / "run", root / "share")
    for folder in (directories.state, directories.runtime):
        folder.mkdir(exist_ok=True)
    ear = domain.bus("ear")
    async with (
        serving_writers(directories.runtime),
        running("rcd", config, run, directories, bus=domain.bus("rcd")) as context,
        Client(directories.runtime / "rcd.sock") as client,
    ):
        await registered(context.health)
        made = Robot(line, client, ear)

        def collect(sample: Sample[InputSample]) -> None:
            made.samples.append(sample.message)

        def see(sample: Sample[RCReceiverState]) -> None:
            made.states.append(sample.message)

        ear.subscribe(INPUT_RC, collect)
        ear.subscribe(RC_STATE, see)
        yield made
    await ear.close()
