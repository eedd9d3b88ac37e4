"""How old a picture is when it is on the operator's screen: from a camera with a readable counter
to the frame that headless Chromium shows on the page "Remote", beside a bare aiortc sender in the
same browser.

`python -m tools.bench.glass [--seconds 8]`. Both ends read the same clock: they are one machine.
"""

import argparse
import asyncio
import contextlib
import io
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import VideoStreamTrack
from PIL import Image, ImageDraw

from saint_services.lib.clock import stamp
from saint_services.lib.generated import topics
from saint_services.lib.generated.sensor_msgs import CompressedImage
from saint_services.lib.generated.std_msgs import Header
from tests.waiting import every, let_pass
from tests.web.fakes.remote import remote_operation
from tests.web.fakes.robot import fake_robot
from tools.screenshots import ARGUMENTS, windowless

_BITS = 6
_SIZE = (640, 480)
_BLOCK = _SIZE[0] // _BITS
_RATE_HZ = 30
_WARM_S = 3.0

# Reads the counter of every frame that is presented.
_READ = """(bits) => {
  const video = document.querySelector("video"), seen = (window.seen = []);
  const canvas = new OffscreenCanvas(bits, 1), pen = canvas.getContext("2d",
    { willReadFrequently: true });
  const note = () => {
    const at = performance.timeOrigin + performance.now();
    pen.drawImage(video, 0, 0, video.videoWidth, video.videoHeight / 12, 0, 0, bits, 1);
    const { data } = pen.getImageData(0, 0, bits, 1);
    let number = 0;
    for (let bit = 0; bit < bits; bit++) number = number * 2 + (data[4 * bit] > 127 ? 1 : 0);
    seen.push([number, at]);
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


class Camera:
    """Pictures whose number is readable, and when each was taken."""

    def __init__(self) -> None:
        self.pictures = [_picture(number) for number in range(1 << _BITS)]
        self.taken: dict[int, float] = {}
        self._count = 0

    def next(self) -> int:
        """Take the next picture; return its number."""
        number = self._count % len(self.pictures)
        self._count += 1
        self.taken[number] = time.time()
        return number


class BareTrack(VideoStreamTrack):
    """The same pictures, encoded by aiortc."""

    def __init__(self, camera: Camera) -> None:
        super().__init__()
        self._camera = camera
        made: Callable[[Image.Image], av.VideoFrame] = getattr(av.VideoFrame, "from_image")  # noqa: B009
        self._frames: list[av.VideoFrame] = [made(each) for each in camera.pictures]
        self._began_s, self._number = time.monotonic(), 0

    async def recv(self) -> av.VideoFrame:
        due_s = self._began_s + self._number / _RATE_HZ
        await let_pass(max(0.0, due_s - time.monotonic()))
        self._number += 1
        frame = self._frames[self._camera.next()]
        frame.pts, frame.time_base = self._number, Fraction(1, _RATE_HZ)
        return frame


async def main() -> int:
    """Print the age of the pictures, ours and bare."""
    parser = argparse.ArgumentParser(description="Age of the picture on the screen.")
    parser.add_argument("--seconds", type=float, default=8.0)
    seconds = parser.parse_args().seconds
    from playwright.async_api import async_playwright

    with tempfile.TemporaryDirectory() as folder:
        async with (
            fake_robot(Path(folder)) as (robot, address, _),
            remote_operation(robot.bus._domain, robot.runtime, Path(folder)) as remote,
            async_playwright() as driver,
        ):
            remote.is_filming = False
            browser = await driver.chromium.launch(
                executable_path=windowless(), args=list(ARGUMENTS)
            )
            ours = await _ours(browser, f"http://{address}/operate", remote.domain, seconds)
            bare = await _bare(browser, seconds)
            await browser.close()
    for name, ages in (("page Remote", ours), ("bare aiortc", bare)):
        middle, late = statistics.median(ages), statistics.quantiles(ages, n=20)[-1]
        print(f"{name}: p50 {middle:.0f} ms, p95 {late:.0f} ms, {len(ages) / seconds:.0f}/s")
    print(f"ratio of the medians {statistics.median(ours) / statistics.median(bare):.2f} (1.3)")
    return 0


async def _ours(browser: Any, url: str, domain: Any, seconds: float) -> list[float]:
    camera = Camera()
    async with _filming(domain, camera):
        page = await browser.new_page()
        await page.goto(url)
        await page.click("[data-operate]")
        await page.wait_for_selector("[data-picture=live]", state="attached")
        ages = await _ages(page, camera, seconds)
        await page.close()
    return ages


async def _bare(browser: Any, seconds: float) -> list[float]:
    camera, page = Camera(), await browser.new_page()
    await page.goto("about:blank")
    sender = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    sender.addTrack(BareTrack(camera))
    await sender.setRemoteDescription(RTCSessionDescription(await page.evaluate(_OFFER), "offer"))
    await sender.setLocalDescription(await sender.createAnswer())
    await page.evaluate(_ANSWER, sender.localDescription.sdp)
    await page.wait_for_selector("video", state="attached")
    ages = await _ages(page, camera, seconds)
    await page.close()
    await sender.close()
    return ages


async def _ages(page: Any, camera: Camera, seconds: float) -> list[float]:
    await let_pass(_WARM_S)
    await page.evaluate(_READ, _BITS)
    began_ms = time.time() * 1000
    ages: list[float] = []
    for _ in range(round(seconds)):
        await let_pass(1.0)
        taken = dict(camera.taken)  # before a number comes again
        for number, at_ms in await page.evaluate("window.seen.splice(0)"):
            age_ms = at_ms - taken.get(number, 0.0) * 1000
            if 0 < age_ms < 2000 and at_ms > began_ms:
                ages.append(age_ms)
    return ages


@contextlib.asynccontextmanager
async def _filming(domain: Any, camera: Camera) -> AsyncIterator[None]:
    publisher = domain.bus("counter").publisher(topics.HEAD_CAMERA)
    jpegs = [_jpeg(each) for each in camera.pictures]

    async def film() -> None:
        async for _ in every(1 / _RATE_HZ):
            data = jpegs[camera.next()]
            publisher.publish(CompressedImage(Header(stamp()), "jpeg", data))

    task = asyncio.create_task(film())
    try:
        yield
    finally:
        task.cancel()


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
