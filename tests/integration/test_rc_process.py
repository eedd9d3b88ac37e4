"""rcd as a process of its own on the bus, with a pseudo terminal for each receiver: every protocol,
unplugged and plugged again, a second receiver, killed; and what the router makes of a lost signal.
"""

import asyncio
import contextlib
import json
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from saint_services.lib.api import routing
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.rc import (
    DetectReport,
    DetectRequest,
    ProtocolInfo,
    RcStatus,
    SetEnabled,
    SetProtocol,
)
from saint_services.lib.api.routing import RouterStatus
from saint_services.lib.bus import Sample
from saint_services.lib.errors import SaintError
from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.lib.generated.topics import INPUT_AUTONOMOUS, INPUT_RC
from saint_services.lib.ipc import Client
from tests.integration import bus_rig
from tests.integration.clearing import clear_estop
from tests.integration.robot import short_folder
from tests.router_writers import serving_writers
from tests.unit.rcd.rig import Line, crsf
from tests.waiting import every, let_pass, until

pytestmark = [pytest.mark.integration, pytest.mark.timeout(90)]
ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
FRAMES = {
    "crsf": crsf(),
    "sbus": (DATA / "sbus-single.bin").read_bytes(),
    "ibus": (DATA / "ibus-single.bin").read_bytes(),
}


class Place:
    """Folders, lines and processes of one test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.line = Line(folder / "receiver")
        self.second = Line(folder / "second")
        self.samples: list[InputSample] = []
        for name in ("etc", "state", "run"):
            (folder / name).mkdir()

    def settings(self, **changes: object) -> None:
        """rcd.yaml; JSON is YAML."""
        uart = {"device": str(self.line.path)}
        receiver = {"enabled": True, "protocol": "crsf", "uart": uart, **changes}
        (self.folder / "etc" / "rcd.yaml").write_text(json.dumps({"rc_receiver": receiver}))

    @contextlib.asynccontextmanager
    async def running(self, name: str) -> AsyncIterator[Process]:
        """A daemon; killed at the end."""
        environment = {
            "CONFIGURATION_DIRECTORY": str(self.folder / "etc"),
            "STATE_DIRECTORY": str(self.folder / "state"),
            "RUNTIME_DIRECTORY": str(self.folder / "run"),
            "ROS_DOMAIN_ID": str(bus_rig.DOMAIN),
            "SAINT_DDS_INTERFACE": "lo",
            "SAINT_HW": f"sim:{self.folder}",
        }
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", f"saint_services.{name}", cwd=ROOT, env=os.environ | environment
        )
        try:
            await self._answers(name)
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    @contextlib.asynccontextmanager
    async def hearing(self) -> AsyncIterator[None]:
        """Collects the samples on the bus. A stand-in for the router admits their writer."""

        def receive(sample: Sample[InputSample]) -> None:
            self.samples.append(sample.message)

        async with serving_writers(self.folder / "run"), bus_rig.opened("ear") as (bus,):
            bus.subscribe(INPUT_RC, receive)
            yield

    @contextlib.asynccontextmanager
    async def sending(self, data: bytes, line: Line | None = None) -> AsyncIterator[None]:
        """The receiver's frames, 100 a second."""

        async def send() -> None:
            async for _ in every(0.01):
                with contextlib.suppress(OSError):  # unplugged
                    (line or self.line).send(data)

        task = asyncio.create_task(send())
        try:
            yield
        finally:
            task.cancel()

    def client(self, name: str) -> Client:
        return Client(self.folder / "run" / f"{name}.sock")

    async def status(self) -> RcStatus:
        async with self.client("rcd") as rcd:
            return await rcd.get("/status", RcStatus)

    async def is_stopped(self) -> bool:
        async with self.client("routerd") as routerd:
            return (await routerd.request(routing.GET_STATUS, Nothing())).estop.active

    @property
    def live(self) -> list[InputSample]:
        return [sample for sample in self.samples if not sample.failsafe]

    async def until_live(self) -> None:
        """A new sample that counts."""
        before = len(self.live)
        await until(lambda: len(self.live) > before)

    async def _answers(self, name: str) -> None:
        async def is_there() -> bool:
            with contextlib.suppress(SaintError):
                async with self.client(name) as daemon:
                    await daemon.get("/status", _STATUS[name])
                    return True
            return False

        await until(is_there, 30.0)


_STATUS: dict[str, type[RcStatus] | type[RouterStatus]] = {"rcd": RcStatus, "routerd": RouterStatus}


@pytest.fixture
def place() -> Iterator[Place]:
    with short_folder() as folder:
        made = Place(folder)
        yield made
        made.line.unplug()
        made.second.unplug()


async def test_every_protocol_is_received_and_changed_live(place: Place) -> None:
    place.settings(protocol="crsf")
    async with place.hearing(), place.running("rcd"), place.client("rcd") as rcd:
        for protocol, frame in FRAMES.items():
            body = SetProtocol.model_validate({"protocol": protocol})
            await rcd.post("/protocol", body, ProtocolInfo)
            async with place.sending(frame):
                await place.until_live()
            status = await place.status()
            assert (status.protocol, status.rejected, status.discarded_bytes) == (protocol, 0, 0)


async def test_ppm_pulses_are_received(place: Place) -> None:
    os.mkfifo(place.folder / "edges.jsonl")
    place.settings(protocol="ppm", gpio={"ppm_pin": 18})
    async with place.hearing(), place.running("rcd"):
        wire = os.open(place.folder / "edges.jsonl", os.O_RDWR | os.O_NONBLOCK)
        at = 0
        for _ in range(10):
            for length in (1000, 2000, 1500, 1500, 15_000):
                os.write(wire, b'{"t_us": %d, "pin": 18, "high": true}\n' % at)
                at += length
        await place.until_live()
        os.close(wire)
    assert place.live[0].values == (-1.0, 1.0, 0.0, 0.0)


async def test_unplugged_receiver_is_lost_and_found(place: Place) -> None:
    place.settings()
    async with place.hearing(), place.running("rcd"), place.sending(crsf()):
        await place.until_live()
        place.line.unplug()
        await until(lambda: place.samples[-1].failsafe)
        assert str(place.line.path) in (await place.status()).reason
        place.line.plug()
        await place.until_live()


async def test_second_receiver_drives_on(place: Place) -> None:
    place.settings(failover={"protocol": "sbus", "uart": {"device": str(place.second.path)}})
    async with place.hearing(), place.running("rcd"), place.sending(FRAMES["sbus"], place.second):
        async with place.sending(crsf()):
            await until(lambda: bool(place.live) and len(place.live[-1].names) == 16)
        await until(lambda: len(place.live[-1].names) == 18)
        assert (await place.status()).receiver == "failover"
        assert all(sample.names for sample in place.samples)  # never released
        async with place.sending(crsf()):
            await until(lambda: len(place.live[-1].names) == 16)
            assert (await place.status()).receiver == "primary"


async def test_killed_rcd_goes_on_with_rising_sequences(place: Place) -> None:
    place.settings()
    async with place.hearing(), place.sending(crsf()):
        for _ in range(2):
            async with place.running("rcd") as process:
                await place.until_live()
                process.send_signal(signal.SIGKILL)
                await process.wait()
    numbers = [sample.sequence for sample in place.samples]
    assert numbers == sorted(set(numbers))


async def test_protocol_is_found_on_the_line(place: Place) -> None:
    place.settings(protocol="crsf")
    async with place.running("rcd"), place.sending(FRAMES["ibus"]), place.client("rcd") as rcd:
        body = DetectRequest(seconds=0.3, apply=True)
        report = await rcd.post("/detect", body, DetectReport, timeout_s=30)
        assert (report.protocol, report.baud_rate) == ("ibus", 115_200)
        assert (await place.status()).protocol == "ibus"


async def test_lost_signal_stops_the_robot_until_it_is_back(place: Place) -> None:
    place.settings(failsafe={"action": "estop"})
    async with place.running("routerd"), place.running("rcd"), place.client("routerd") as router:
        async with place.sending(crsf(ch6=1000)):
            await _until(place, stopped=False, live=True)
        await _until(place, stopped=True, live=False)
        with pytest.raises(SaintError, match="rc"):
            await clear_estop(router)
        async with place.sending(crsf(ch6=1000)):
            await _until(place, stopped=True, live=True)
            assert not (await clear_estop(router)).active
        await _until(place, stopped=True, live=False)
        # Without a transmitter the robot is driven again once the receiver is switched off.
        async with place.client("rcd") as rcd:
            await rcd.post("/enabled", SetEnabled(enabled=False), RcStatus)
        await let_pass(0.3)  # its last sample counts no more
        assert not (await clear_estop(router)).active


async def _until(place: Place, *, stopped: bool, live: bool) -> None:
    async def is_so() -> bool:
        is_live = not (await place.status()).failsafe
        return (await place.is_stopped(), is_live) == (stopped, live)

    await until(is_so)


@pytest.mark.parametrize(
    ("action", "drives"), [("hold", False), ("neutral", False), ("passthrough", True)]
)
async def test_others_drive_only_where_the_action_lets_them(
    place: Place, action: str, drives: bool
) -> None:
    place.settings(failsafe={"action": action})
    async with (
        place.running("routerd"),
        place.running("rcd"),
        place.client("routerd") as router,
        program("tracks", linear=0.3),
    ):

        async def drives_by_rc() -> bool:
            return await _winner(router) == "rc_drive"

        async with place.sending(crsf(ch2=1700, ch6=1000)):
            await until(drives_by_rc)
        await let_pass(0.5)  # its last sample counts no more
        assert (await place.status()).failsafe
        linear = await router.request(
            routing.GET_OUTPUT, routing.OutputParams(output="tracks.linear")
        )
        assert linear.value == pytest.approx(0.3 if drives else 0.0, abs=1e-3), linear


@contextlib.asynccontextmanager
async def program(target: str, **values: float) -> AsyncIterator[None]:
    """An autonomous program that commands these all the time."""
    async with bus_rig.opened("program") as (bus,):
        samples = bus.publisher(INPUT_AUTONOMOUS)

        async def command() -> None:
            async for number in every(0.02):
                wanted = {name: value + number % 2 * 1e-6 for name, value in values.items()}
                names, numbers = tuple(wanted), tuple(wanted.values())
                samples.publish(
                    InputSample(
                        source="autonomous:test", sequence=number + 1, target=target,
                        names=names, values=numbers,
                    )
                )  # fmt: skip

        task = asyncio.create_task(command())
        try:
            yield
        finally:
            task.cancel()


async def _winner(router: Client) -> str:
    return (
        await router.request(routing.GET_OUTPUT, routing.OutputParams(output="tracks.linear"))
    ).winner
