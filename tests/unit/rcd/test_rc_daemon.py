"""rcd at work: bytes into a pseudo terminal, samples out of the bus."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from saint_services.lib.api.rc import RcStatus, SetEnabled
from saint_services.lib.bus import Sample
from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.daemon import running
from saint_services.lib.generated.saint_msgs import InputSample, RCReceiverState
from saint_services.lib.generated.topics import INPUT_RC, RC_STATE
from saint_services.lib.ipc import Client
from saint_services.lib.sd import Directories
from saint_services.rcd.config import Config
from saint_services.rcd.daemon import run

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


@dataclass
class Robot:
    """A running rcd and what it has published."""

    line: Line
    client: Client
    samples: list[InputSample] = field(default_factory=list)
    states: list[RCReceiverState] = field(default_factory=list)

    async def until(self, is_so: Callable[[], bool]) -> None:
        for _ in range(1000):
            if is_so():
                return
            await asyncio.sleep(0.005)
        raise TimeoutError

    async def drive(self) -> None:
        """Frames at 100 Hz until one counts."""
        before = len(self.live)
        async with asyncio.timeout(5):
            while len(self.live) == before:
                self.line.send(FRAME)
                await asyncio.sleep(0.01)

    @property
    def live(self) -> list[InputSample]:
        return [sample for sample in self.samples if not sample.failsafe]

    async def status(self) -> RcStatus:
        return await self.client.get("/status", RcStatus)


@pytest.fixture
def line(tmp_path: Path) -> Iterator[Line]:
    made = Line(tmp_path / "receiver")
    yield made
    made.unplug()


@contextlib.asynccontextmanager
async def robot(line: Line, root: Path, **changes: object) -> AsyncIterator[Robot]:
    domain = LocalDomain()
    settings = {"enabled": True, "uart": {"device": str(line.path)}, **changes}
    config = Config.model_validate({"rc_receiver": settings})
    directories = Directories(root / "etc", root / "state", root / "run", root / "share")
    for folder in (directories.state, directories.runtime):
        folder.mkdir(exist_ok=True)
    ear = domain.bus("ear")
    async with (
        running("rcd", config, run, directories, bus=domain.bus("rcd")),
        Client(directories.runtime / "rcd.sock") as client,
    ):
        made = Robot(line, client)

        def hear(sample: Sample[InputSample]) -> None:
            made.samples.append(sample.message)

        def see(sample: Sample[RCReceiverState]) -> None:
            made.states.append(sample.message)

        ear.subscribe(INPUT_RC, hear)
        ear.subscribe(RC_STATE, see)
        yield made
    await ear.close()


async def test_capture_becomes_samples_in_order(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc:
        line.send(FRAMES)
        await rc.until(lambda: len(rc.live) == 14)
        first = rc.live[0]
        assert first.source == "rc"
        assert first.names[:2] == ("channel_1", "channel_2") and len(first.names) == 16
        assert first.values[0] == -1.0 and first.values[1] == 0.0
        assert all(-1.0 <= value <= 1.0 for value in first.values)
        numbers = [sample.sequence for sample in rc.live]
        assert numbers == list(range(numbers[0], numbers[0] + 14))
        assert first.stamp.sec > 0


async def test_silence_is_told_once_with_the_values_held(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc:
        line.send(FRAME)
        await rc.until(lambda: len(rc.samples) == 2)
        assert [sample.failsafe for sample in rc.samples] == [False, True]
        assert rc.samples[1].values == rc.samples[0].values
        assert rc.samples[1].sequence == rc.samples[0].sequence + 1
        await rc.until(lambda: bool(rc.states) and rc.states[-1].channel_count == 16)
        await rc.until(lambda: rc.states[-1].failsafe)
        assert (await rc.status()).reason == "no new frame arrives"


async def test_state_and_status_show_the_channels(line: Line, tmp_path: Path) -> None:
    channel = {"number": 1, "name": "steering", "min": 1000, "center": 1500, "max": 2000}
    async with robot(line, tmp_path, channels=[channel]) as rc:
        await rc.drive()
        await rc.until(lambda: bool(rc.states) and rc.states[-1].connected)
        shown = (await rc.status()).channels[0]
        assert (shown.channel, shown.name, shown.raw, shown.us) == (1, "steering", 172, 988)
        assert shown.normalized == -1.0
        state = rc.states[-1]
        assert (state.protocol, state.channel_count) == ("crsf", 16)
        assert state.channels[0].raw_value == 172


async def test_noise_is_counted_and_frames_go_on(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc:
        line.send(bytes(range(256)) * 4)
        await asyncio.sleep(0.02)
        line.send(FRAME)
        await rc.until(lambda: len(rc.live) == 1)
        assert (await rc.status()).discarded_bytes >= 1000


async def test_unplugged_line_is_told_and_found_again(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc:
        await rc.drive()
        line.unplug()
        await rc.until(lambda: rc.samples[-1].failsafe)
        status = await rc.status()
        assert status.failsafe and str(line.path) in status.reason
        line.plug()
        await rc.drive()
        assert (await rc.status()).reason == ""


async def test_missing_line_is_no_reason_to_end(line: Line, tmp_path: Path) -> None:
    line.unplug()
    async with robot(line, tmp_path) as rc:
        status = await rc.status()
        assert not status.connected and "there is no such device" in status.reason
        line.plug()
        await rc.drive()


async def test_switching_off_stops_samples_and_is_remembered(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc:
        await rc.drive()
        status = await rc.client.post("/enabled", SetEnabled(enabled=False), RcStatus)
        assert not status.enabled and not status.connected
        await rc.until(lambda: rc.samples[-1].failsafe)
    async with robot(line, tmp_path) as rc:
        assert (await rc.status()).reason == "it is switched off"
        await rc.client.post("/enabled", SetEnabled(enabled=True), RcStatus)
        await rc.drive()


async def test_stopping_says_that_the_signal_is_lost(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc:
        await rc.drive()
    await asyncio.sleep(0)
    assert rc.samples[-1].failsafe


async def test_settings_without_receiver_keep_quiet(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path, enabled=False) as rc:
        line.send(FRAMES)
        await rc.until(lambda: bool(rc.states))
        assert rc.samples == []
        assert (await rc.status()).enabled is False
