"""The head's camera as pages see it: newest picture, bounded viewers, read only while watched."""

import asyncio

import aiohttp

from saint_services.lib.bus import Bus
from saint_services.lib.generated import topics
from saint_services.lib.generated.sensor_msgs import CompressedImage
from saint_services.webd.pages.camera import MOST_VIEWERS
from tests.unit.webd.web_rig import Rig


class Eye:
    """A head's camera."""

    def __init__(self, bus: Bus) -> None:
        self._publisher = bus.publisher(topics.HEAD_CAMERA)

    def show(self, data: bytes, format: str = "jpeg") -> None:
        self._publisher.publish(CompressedImage(format=format, data=data))


async def picture(eye: Eye, answer: aiohttp.ClientResponse, data: bytes, format: str) -> bytes:
    """What is shown for this picture; it is repeated until the viewer is there."""
    seen = b""
    async with asyncio.timeout(5):
        while data not in seen or not seen.endswith(b"--picture\r\n"):
            eye.show(data, format)
            chunk = asyncio.ensure_future(answer.content.readany())
            done, _ = await asyncio.wait({chunk}, timeout=0.1)
            seen += chunk.result() if done else b""
            chunk.cancel()
    return seen


async def test_pictures_come_as_parts_that_end_with_their_boundary(rig: Rig):
    eye = Eye(rig.domain.bus("head"))
    async with rig.http.get(rig.url + "/api/camera") as answer:
        assert answer.headers["Content-Type"].startswith("multipart/x-mixed-replace")
        seen = await picture(eye, answer, b"\xff\xd8one", "jpeg")
        assert b"Content-Type: image/jpeg\r\nContent-Length: 5\r\n\r\n\xff\xd8one\r\n--" in seen
        assert b"Content-Type: image/png" in await picture(eye, answer, b"two", "png")


async def test_one_viewer_too_many_is_refused_with_a_sentence(rig: Rig):
    viewers = [await rig.http.get(rig.url + "/api/camera") for _ in range(MOST_VIEWERS)]
    async with rig.http.get(rig.url + "/api/camera") as answer:
        assert answer.status >= 400
        assert f"{MOST_VIEWERS} viewers" in (await answer.json())["message"]
    for viewer in viewers:
        viewer.close()


async def test_unknown_user_sees_nothing(locked: Rig):
    async with locked.http.get(locked.url + "/api/camera") as answer:
        assert answer.status == 401
