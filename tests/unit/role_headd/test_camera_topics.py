"""What the camera's process publishes, over the real encoding of messages."""

from typing import Any

import pytest

from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.generated import topics
from saint_services.lib.hw.cameras import unpacking
from saint_services.lib.hw.cameras.camera import Picture
from saint_services.lib.role_config.camera import CameraCalibration
from saint_services.lib.role_config.model import Camera
from saint_services.role_headd.camera_topics import PictureTopics
from tests.unit.hw.cameras.test_unpacking import jpeg
from tests.waiting import turns

TAKEN_NS = 1_790_000_000_123_456_789
SETTINGS = Camera(enabled=True, resolution=(64, 48), framerate=30)
LENS = {
    "image_width": 64,
    "image_height": 48,
    "camera_name": "head",
    "distortion_model": "plumb_bob",
    "camera_matrix": {"rows": 3, "cols": 3, "data": [50, 0, 32, 0, 50, 24, 0, 0, 1]},
    "distortion_coefficients": {"rows": 1, "cols": 5, "data": [0.1, -0.2, 0, 0, 0]},
    "rectification_matrix": {"rows": 3, "cols": 3, "data": [1, 0, 0, 0, 1, 0, 0, 0, 1]},
    "projection_matrix": {"rows": 3, "cols": 4, "data": [50, 0, 32, 0, 0, 50, 24, 0, 0, 0, 1, 0]},
}


class Eye:
    """A camera's topics, and a program that may read them."""

    def __init__(self, settings: Camera = SETTINGS) -> None:
        domain = LocalDomain()
        self.topics = PictureTopics(domain.bus("camera"), settings)
        self.reader = domain.bus("reader")
        self.seen: dict[str, list[Any]] = {}

    def read(self, *wanted: Any) -> None:
        for topic in wanted:
            seen = self.seen.setdefault(topic.name, [])
            self.reader.subscribe(topic, lambda sample, seen=seen: seen.append(sample.message))

    async def show(self, data: bytes, now_s: float = 1.0) -> None:
        self.topics.show(Picture("jpeg", data, TAKEN_NS), now_s)
        await turns()


async def test_picture_is_published_as_it_came_with_the_time_when_it_was_taken() -> None:
    eye = Eye()
    eye.read(topics.HEAD_CAMERA)
    await eye.show(jpeg(64, 48))
    (image,) = eye.seen[topics.HEAD_CAMERA.name]
    assert (image.format, bytes(image.data)) == ("jpeg", jpeg(64, 48))
    stamp = image.header.stamp
    assert (stamp.sec, stamp.nanosec) == divmod(TAKEN_NS, 10**9)
    assert image.header.frame_id == "head_camera"


async def test_picture_is_unpacked_only_while_that_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unpacked = []
    real = unpacking.unpack
    monkeypatch.setattr(unpacking, "unpack", lambda data: unpacked.append(1) or real(data))
    eye = Eye()
    eye.read(topics.HEAD_CAMERA)
    await eye.show(jpeg(64, 48))
    assert unpacked == []
    eye.read(topics.HEAD_CAMERA_RAW)
    await eye.show(jpeg(64, 48), 2.0)
    (raw,) = eye.seen[topics.HEAD_CAMERA_RAW.name]
    assert (raw.width, raw.height, raw.encoding, raw.step) == (64, 48, "rgb8", 192)
    assert len(raw.data) == 64 * 48 * 3
    assert raw.header == eye.seen[topics.HEAD_CAMERA.name][-1].header


async def test_damaged_pictures_are_counted_and_the_next_one_is_shown() -> None:
    eye = Eye()
    eye.read(topics.HEAD_CAMERA_RAW)
    await eye.show(jpeg(64, 48)[:-300])
    await eye.show(jpeg(64, 48), 2.0)
    assert len(eye.seen[topics.HEAD_CAMERA_RAW.name]) == 1
    assert eye.topics.counters == {"pictures": 2, "damaged": 1}


async def test_picture_larger_than_its_pixels_is_not_put_on_the_network() -> None:
    eye = Eye(SETTINGS.model_copy(update={"resolution": (640, 480)}))
    eye.read(topics.HEAD_CAMERA)
    await eye.show(jpeg() + bytes(4_000_000))
    assert eye.seen[topics.HEAD_CAMERA.name] == []
    assert eye.topics.counters["damaged"] == 1


async def test_camera_that_sends_sooner_is_held_to_the_rate_of_the_manifest() -> None:
    eye = Eye()
    eye.read(topics.HEAD_CAMERA)
    for number in range(240):
        await eye.show(b"\xff\xd8", 10.0 + number / 120)
    assert 59 <= len(eye.seen[topics.HEAD_CAMERA.name]) <= 63
    assert eye.topics.counters["surplus"] >= 177


async def test_camera_that_sends_unevenly_loses_no_picture() -> None:
    eye = Eye()
    eye.read(topics.HEAD_CAMERA)
    for number in range(90):
        await eye.show(b"\xff\xd8", 10.0 + number / 30 + (0.007 if number % 2 else 0.0))
    assert len(eye.seen[topics.HEAD_CAMERA.name]) == 90


async def test_lens_is_published_as_it_was_calibrated() -> None:
    calibration = CameraCalibration.model_validate(LENS)
    eye = Eye(SETTINGS.model_copy(update={"calibration": calibration}))
    eye.read(topics.HEAD_CAMERA_INFO)
    await eye.show(jpeg(64, 48))
    await eye.show(jpeg(32, 24), 2.0)
    known, other = eye.seen[topics.HEAD_CAMERA_INFO.name]
    assert (known.width, known.height, known.distortion_model) == (64, 48, "plumb_bob")
    assert (known.k[0], known.d[1], known.p[5]) == (50.0, -0.2, 50.0)
    assert (other.width, other.k[0]) == (32, 0.0)  # measured with another resolution


async def test_camera_without_a_calibration_is_an_uncalibrated_one() -> None:
    eye = Eye()
    eye.read(topics.HEAD_CAMERA_INFO)
    await eye.show(jpeg(64, 48))
    (info,) = eye.seen[topics.HEAD_CAMERA_INFO.name]
    assert (info.width, info.height, info.k, info.d) == (64, 48, (0.0,) * 9, ())


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("camera_matrix", {"rows": 3, "cols": 3, "data": [1, 2]}, "2 numbers for 3 x 3"),
        ("projection_matrix", {"rows": 3, "cols": 3, "data": [1] * 9}, "projection_matrix is 3"),
        ("distortion_model", "fisheye", "distortion_model"),
        ("camera_matrix", {"rows": 3, "cols": 3, "data": [float("nan")] * 9}, "finite"),
    ],
)
def test_calibration_that_is_wrong_is_refused(name: str, value: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        CameraCalibration.model_validate(LENS | {name: value})
