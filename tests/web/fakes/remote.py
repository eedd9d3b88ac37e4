"""Remote operation around the fake robot: a real teleopd on its bus, and a camera that shows a
counter.
"""

import asyncio
import contextlib
import io
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from saint_services.lib.api import routing
from saint_services.lib.api.routing import ReleaseControl, RouterStatus, TakeControl
from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.clock import stamp
from saint_services.lib.daemon import running
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.lib.generated.sensor_msgs import BatteryState, CompressedImage
from saint_services.lib.generated.std_msgs import Header
from saint_services.lib.ipc import Api, Call
from saint_services.lib.machine.service_manager import Directories
from saint_services.teleopd.config import Config
from saint_services.teleopd.daemon import run
from tests.waiting import every

_ROOT = Path(__file__).resolve().parents[3]
_SIZE = (640, 400)


def add_locks(api: Api, status: Any) -> None:
    """Answer the requests for exclusive control as a router does that grants them."""

    async def take(call: Call[TakeControl]) -> RouterStatus:
        return await _status(call)

    async def release(call: Call[ReleaseControl]) -> RouterStatus:
        return await _status(call)

    async def _status(call: Call[Any]) -> RouterStatus:
        found: RouterStatus = await status(call)
        return found

    api.bind(routing.TAKE_CONTROL, take)
    api.bind(routing.RELEASE_CONTROL, release)


@dataclass
class RemoteOperation:
    """The samples of operators, and the camera."""

    domain: LocalDomain
    hardware: Path
    samples: list[InputSample] = field(default_factory=list)
    is_filming: bool = True

    def driven(self, target: str = "tracks") -> list[dict[str, float]]:
        """Return the values that were commanded."""
        found = [each for each in self.samples if each.target == target and each.names]
        return [dict(zip(each.names, each.values, strict=True)) for each in found]

    async def film(self) -> None:
        """Publish 30 pictures per second, and the battery."""
        bus = self.domain.bus("camera")
        camera, battery = bus.publisher(topics.HEAD_CAMERA), bus.publisher(topics.BATTERY)
        pictures = [_picture(number) for number in range(30)]
        number = 0
        async for _ in every(1 / 30):
            number += 1
            if number % 15 == 0:
                battery.publish(BatteryState(voltage=23.4, percentage=0.71))
            if self.is_filming:
                data = pictures[number % len(pictures)]
                camera.publish(CompressedImage(Header(stamp()), "jpeg", data))


@contextlib.asynccontextmanager
async def remote_operation(
    domain: LocalDomain, runtime: Path, folder: Path, robot: str = "saint", **settings: Any
) -> AsyncIterator[RemoteOperation]:
    """A running teleopd of the fake robot, or of another one beside its pages."""
    hardware = folder / "hw"
    hardware.mkdir(exist_ok=True)
    made = RemoteOperation(domain, hardware)
    listener = domain.bus("listener")
    listener.subscribe(topics.INPUT_TELEOP, lambda sample: made.samples.append(sample.message))
    state = folder / "state" / "teleopd"
    state.mkdir(parents=True, exist_ok=True)
    directories = Directories(folder / "etc", state, runtime, _ROOT)
    config = Config(robot=robot, microphone="default", loudspeaker="default", **settings)
    filming = asyncio.create_task(made.film())
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SAINT_HW", f"sim:{hardware}")
            patch.setenv("SAINT_SIMULATION", "tools.sim")
            bus = domain.bus("teleopd")
            async with running("teleopd", config, run, directories, bus=bus):
                yield made
    finally:
        filming.cancel()


def _picture(number: int) -> bytes:
    picture = Image.linear_gradient("L").resize(_SIZE).convert("RGB")
    draw = ImageDraw.Draw(picture)
    for step in range(8):
        draw.rectangle((80 * step, 250, 80 * step + 40, 390), fill=(60 + 20 * step, 90, 70))
    draw.ellipse((20 * number, 120, 20 * number + 60, 180), fill=(240, 190, 40))
    draw.text((20, 20), f"{number:02d}", fill=(255, 255, 255), font_size=80)
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=80)
    return buffer.getvalue()
