"""How old a picture is when it is on the operator's screen: from a camera with a readable counter
to the frame that headless Chromium shows on the page "Remote", beside a bare aiortc sender in the
same browser, in turns. The robot is whole: server and head with their real processes and bus.

`python -m tools.bench.glass [--seconds 8] [--turns 3]`. Both ends read the same clock: they are one
machine. `until received` is camera, bus, encoder and network, the rest is the browser. The second
bare sender gets the pictures of the same camera as every program does: as JPEG, over the bus.
"""

import argparse
import asyncio
import io
import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import VideoStreamTrack
from PIL import Image, ImageDraw

from saint_services.lib.bus import Bus, Sample
from saint_services.lib.bus.open import open_bus
from saint_services.lib.generated import topics
from saint_services.lib.generated.sensor_msgs import CompressedImage
from saint_services.lib.generated.std_msgs import Bool
from tests.integration.robot import running_robot
from tests.waiting import let_pass, until
from tools.screenshots import ARGUMENTS, windowless
from tools.sim.camera import RECORDED

_BITS = 6
_SIZE = (640, 480)
_BLOCK = _SIZE[0] // _BITS
# Not half of the screen's 60: how long pictures wait for the screen would be luck, a whole turn.
_RATE_HZ = 29.3
_WARM_S = 3.0
_START_S = 15.0
_CLOCK = Fraction(1, 90_000)

# Reads the counter of every frame that is presented, when the browser says so. Its forecast of the
# screen (expectedDisplayTime) is no measure here: without a request to hold nothing back it is the
# moment of the presentation, with it the end of the next frame.
_READ = """(bits) => {
  const video = document.querySelector("video"), seen = (window.seen = []);
  const canvas = new OffscreenCanvas(bits, 1), pen = canvas.getContext("2d",
    { willReadFrequently: true });
  const note = (_, { receiveTime }) => {
    const shown = performance.now();
    pen.drawImage(video, 0, 0, video.videoWidth, video.videoHeight / 12, 0, 0, bits, 1);
    const { data } = pen.getImageData(0, 0, bits, 1);
    let number = 0;
    for (let bit = 0; bit < bits; bit++) number = number * 2 + (data[4 * bit] > 127 ? 1 : 0);
    seen.push([number, receiveTime + performance.timeOrigin, shown + performance.timeOrigin]);
    video.requestVideoFrameCallback(note);
  };
  video.requestVideoFrameCallback(note);
}"""
_OFFER = """async () => {
  const peer = (window.peer = new RTCPeerConnection());
  peer.addTransceiver("video", { direction: "recvonly" });
  peer.ontrack = (event) => {
    const video = document.createElement("video");
    video.muted = video.autoplay = true;
    video.srcObject = new MediaStream([event.track]);
    event.receiver.jitterBufferTarget = 0;
    document.body.append(video);
  };
  await peer.setLocalDescription(await peer.createOffer());
  while (peer.iceGatheringState !== "complete") await new Promise((r) => setTimeout(r, 20));
  return peer.localDescription.sdp;
}"""
_ANSWER = "(sdp) => window.peer.setRemoteDescription({ type: 'answer', sdp })"


class RobotCamera:
    """The camera of the robot's head, which sends pictures whose number is readable; when each was
    taken is in its header.
    """

    def __init__(self, bus: Bus, hardware: Path) -> None:
        self.taken: dict[int, float] = {}
        self.newest = b""
        self.came = asyncio.Event()
        self._numbers: dict[bytes, int] = {}
        folder = hardware / RECORDED
        folder.mkdir()
        for number in range(1 << _BITS):
            data = _jpeg(_picture(number))
            self._numbers[data] = number
            (folder / f"{number:03}.jpg").write_bytes(data)
        bus.subscribe(topics.HEAD_CAMERA, self._take)
        self._switch = bus.publisher(topics.HEAD_CAMERA_CMD)

    async def switch_on(self) -> None:
        """Return when the camera has sent its first picture."""
        await until(lambda: self._switch.has_readers, _START_S)
        self._switch.publish(Bool(True))
        await until(self.came.is_set, _START_S)

    def _take(self, sample: Sample[CompressedImage]) -> None:
        message = sample.message
        self.newest = bytes(message.data)
        taken = message.header.stamp
        self.taken[self._numbers[self.newest]] = taken.sec + taken.nanosec / 1e9
        self.came.set()


class Camera:
    """The same pictures, made here."""

    def __init__(self) -> None:
        self.pictures = [_picture(number) for number in range(1 << _BITS)]
        self.taken: dict[int, float] = {}
        self._count, self._began_s = 0, time.monotonic()

    async def next(self) -> int:
        """Wait for the next picture; return its number."""
        self._count += 1
        await let_pass(self._began_s + self._count / _RATE_HZ - time.monotonic())
        number = self._count % len(self.pictures)
        self.taken[number] = time.time()
        return number

    @property
    def time(self) -> int:
        """When the newest picture was due, by the clock of video."""
        return round(self._count / _RATE_HZ / _CLOCK)


class BareTrack(VideoStreamTrack):
    """The same pictures, encoded by aiortc."""

    def __init__(self, camera: Camera) -> None:
        super().__init__()
        self._camera = camera
        made: Callable[[Image.Image], av.VideoFrame] = getattr(av.VideoFrame, "from_image")  # noqa: B009
        self._frames: list[av.VideoFrame] = [made(each) for each in camera.pictures]

    async def recv(self) -> av.VideoFrame:
        frame = self._frames[await self._camera.next()]
        frame.pts, frame.time_base = self._camera.time, _CLOCK
        return frame


class BusTrack(VideoStreamTrack):
    """The newest picture of the bus, encoded by aiortc."""

    def __init__(self, camera: RobotCamera) -> None:
        super().__init__()
        self._camera = camera
        self._decoder = av.VideoCodecContext.create("mjpeg", "r")
        self._began_s = time.monotonic()

    async def recv(self) -> av.VideoFrame:
        self._camera.came.clear()
        await self._camera.came.wait()
        packet = av.Packet(self._camera.newest)
        pictures: list[av.VideoFrame] = await asyncio.to_thread(self._decoder.decode, packet)
        pictures[0].pts = round((time.monotonic() - self._began_s) / _CLOCK)
        pictures[0].time_base = _CLOCK
        return pictures[0]


@dataclass
class Ages:
    """How old the pictures of a turn were, in ms."""

    name: str
    seconds: float = 0.0
    received: list[float] = field(default_factory=list)
    shown: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        late = statistics.quantiles(self.shown, n=20)[-1]
        return (
            f"{self.name}: p50 {self.middle:.1f} ms, p95 {late:.0f} ms, until received "
            f"{statistics.median(self.received):.1f}, {len(self.shown) / self.seconds:.0f}/s"
        )

    @property
    def middle(self) -> float:
        return statistics.median(self.shown)


async def main() -> int:
    """Print the age of the pictures, ours and bare."""
    parser = argparse.ArgumentParser(description="Age of the picture on the screen.")
    parser.add_argument("--seconds", type=float, default=8.0, help="of a turn")
    parser.add_argument("--turns", type=int, default=3)
    given = parser.parse_args()
    from playwright.async_api import async_playwright

    with running_robot("--robot", "head") as robot:
        os.environ.update(robot.environment)
        bus = await open_bus("glass", backend="dds", domain_id=robot.domain)
        filming = RobotCamera(bus, robot.hw("head"))
        await filming.switch_on()
        async with async_playwright() as driver:
            browser = await driver.chromium.launch(
                executable_path=windowless(), args=list(ARGUMENTS)
            )
            for turn in range(given.turns):
                await _turn(f"turn {turn + 1}", browser, robot.http_url, filming, given.seconds)
            await browser.close()
        await bus.close()
    return 0


async def _turn(name: str, browser: Any, url: str, filming: RobotCamera, seconds: float) -> None:
    ours = await _ours(browser, f"{url}/operate", filming, seconds)
    camera = Camera()
    bare = await _bare(browser, "bare aiortc", camera, BareTrack(camera), seconds)
    track = BusTrack(filming)
    by_bus = await _bare(browser, "bare aiortc, JPEG by the bus", filming, track, seconds)
    for each in (ours, bare, by_bus):
        print(f"{name}: {each}")
    ratios = [ours.middle / each.middle for each in (bare, by_bus)]
    print(f"{name}: {ratios[0]:.2f} x bare (1.3), {ratios[1]:.2f} x with JPEG by the bus")


async def _ours(browser: Any, url: str, camera: RobotCamera, seconds: float) -> Ages:
    page = await browser.new_page()
    await page.goto(url)
    await page.click("[data-operate]")
    await page.wait_for_selector("[data-picture=live]", state="attached")
    ages = await _ages(Ages("page Remote"), page, camera, seconds)
    await page.close()
    return ages


async def _bare(
    browser: Any,
    name: str,
    camera: Camera | RobotCamera,
    track: VideoStreamTrack,
    seconds: float,
) -> Ages:
    page = await browser.new_page()
    await page.goto("about:blank")
    sender = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    sender.addTrack(track)
    await sender.setRemoteDescription(RTCSessionDescription(await page.evaluate(_OFFER), "offer"))
    await sender.setLocalDescription(await sender.createAnswer())
    await page.evaluate(_ANSWER, sender.localDescription.sdp)
    await page.wait_for_selector("video", state="attached")
    ages = await _ages(Ages(name), page, camera, seconds)
    await page.close()
    await sender.close()
    return ages


async def _ages(ages: Ages, page: Any, camera: Camera | RobotCamera, seconds: float) -> Ages:
    await let_pass(_WARM_S)
    await page.evaluate(_READ, _BITS)
    began_ms = time.time() * 1000
    for _ in range(round(seconds)):
        await let_pass(1.0)
        taken = dict(camera.taken)  # before a number comes again
        for number, received_ms, shown_ms in await page.evaluate("window.seen.splice(0)"):
            taken_ms = taken.get(number, 0.0) * 1000
            if 0 < shown_ms - taken_ms < 2000 and shown_ms > began_ms:
                ages.received.append(received_ms - taken_ms)
                ages.shown.append(shown_ms - taken_ms)
    ages.seconds += time.time() - began_ms / 1000
    return ages


def _picture(number: int) -> Image.Image:
    picture = Image.linear_gradient("L").resize(_SIZE).convert("RGB")
    draw = ImageDraw.Draw(picture)
    for bit in range(_BITS):
        colour = (255, 255, 255) if number >> (_BITS - 1 - bit) & 1 else (0, 0, 0)
        draw.rectangle((bit * _BLOCK, 0, (bit + 1) * _BLOCK - 1, 60), fill=colour)
    draw.ellipse((number * 2, 200, number * 2 + 80, 280), fill=(240, 190, 40))
    return picture


def _jpeg(picture: Image.Image) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=80)
    return buffer.getvalue()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
