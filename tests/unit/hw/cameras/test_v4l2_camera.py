"""The driver of USB cameras against a camera that answers as the kernel does, byte by byte."""

import struct
import time
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.errors import SaintError
from saint_services.lib.hw.cameras.v4l2_camera import (
    BUFFER,
    CAPABILITY,
    DQBUF,
    FORMAT,
    PARAMETERS,
    QBUF,
    QUERYBUF,
    QUERYCAP,
    REQBUFS,
    S_FMT,
    S_PARM,
    STREAMON,
    V4l2Camera,
)
from saint_services.lib.role_config.model import Camera

JPEG = b"\xff\xd8 a picture \xff\xd9"
SETTINGS = Camera(enabled=True, resolution=(640, 480), framerate=15)
# _IOR, _IOWR, _IOW of <linux/videodev2.h>: direction, size, 'V', number
NUMBERS = {
    QUERYCAP: (2, 104, 0), S_FMT: (3, 208, 5), S_PARM: (3, 204, 22), REQBUFS: (3, 20, 8),
    QUERYBUF: (3, 88, 9), QBUF: (3, 88, 15), DQBUF: (3, 88, 17), STREAMON: (1, 4, 18),
}  # fmt: skip


class FakeCamera:
    """Implements System: one device with three buffers."""

    def __init__(self, **changes: Any) -> None:
        self.capabilities = changes.get("capabilities", 0x84200001)
        self.device_capabilities = changes.get("device_capabilities", 0x04200001)
        self.format = changes.get("format", b"MJPG")
        self.has_rate = changes.get("has_rate", True)
        self.count = changes.get("count", 3)
        self.delay_ns = 0
        self.pictures: list[tuple[bytes, int]] = [(JPEG, 0)] * 9
        self.memory = [bytearray(4096) for _ in range(3)]
        self.queued: list[int] = []
        self.asked: dict[int, bytes] = {}
        self.is_streaming = False
        self.open_count = 0

    def open(self, path: Path) -> int:
        self.open_count += 1
        return 7

    def ioctl(self, descriptor: int, request: int, data: bytearray) -> None:
        assert descriptor == 7
        direction, size, number = NUMBERS[request]
        assert request == direction << 30 | size << 16 | ord("V") << 8 | number
        assert len(data) == size
        self.asked[request] = bytes(data)
        if request == QUERYCAP:
            everything, own = self.capabilities, self.device_capabilities
            data[:] = CAPABILITY.pack(b"uvcvideo", b"Cam", b"usb", 0x60600, everything, own)
        elif request == S_FMT:
            data[:] = FORMAT.pack(1, 320, 240, self.format, 1, 0, 65536, 0, 0)
        elif request == S_PARM and not self.has_rate:
            raise OSError(25, "Inappropriate ioctl for device")
        elif request == REQBUFS:
            struct.pack_into("<I", data, 0, self.count)
        elif request == QUERYBUF:
            index = struct.unpack_from("<I", data)[0]
            data[:] = BUFFER.pack(index, 1, 0, 0, 0, 0, 0, 0, 1, index * 4096, 4096, 0, 0)
        elif request == QBUF:
            self.queued.append(struct.unpack_from("<I", data)[0])
        elif request == STREAMON:
            assert self.queued == list(range(min(self.count, 3)))
            self.is_streaming = True
        elif request == DQBUF:
            index, (picture, flags) = self.queued.pop(0), self.pictures.pop(0)
            self.memory[index][: len(picture)] = picture
            stamp = divmod((time.monotonic_ns() - self.delay_ns) // 1000, 1_000_000)
            used = len(picture)
            data[:] = BUFFER.pack(index, 1, used, flags, 0, *stamp, 9, 1, 0, 4096, 0, 0)

    def map(self, descriptor: int, length: int, offset: int) -> memoryview:
        return memoryview(self.memory[offset // 4096])[:length]

    def is_readable(self, descriptor: int, limit_s: float) -> bool:
        return self.is_streaming and bool(self.pictures)

    def close(self, descriptor: int) -> None:
        self.open_count -= 1
        self.queued, self.is_streaming = [], False


@pytest.fixture
def devices(tmp_path: Path) -> Path:
    (tmp_path / "video0").touch()
    return tmp_path


def opened(devices: Path, fake: FakeCamera) -> V4l2Camera:
    camera = V4l2Camera(SETTINGS, devices, fake)
    camera.open()
    return camera


def test_pictures_are_passed_on_as_they_are(devices: Path) -> None:
    fake = FakeCamera()
    camera = opened(devices, fake)
    for _ in range(6):
        picture = camera.read()
        assert picture is not None
        assert (picture.format, picture.data) == ("jpeg", JPEG)
    assert len(fake.queued) == 3  # every buffer was given back


def test_size_and_rate_of_the_manifest_are_requested(devices: Path) -> None:
    fake = FakeCamera()
    opened(devices, fake)
    assert FORMAT.unpack(fake.asked[S_FMT])[1:4] == (640, 480, b"MJPG")
    assert PARAMETERS.unpack(fake.asked[S_PARM])[3:5] == (1, 15)


def test_camera_whose_rate_is_fixed_works(devices: Path) -> None:
    assert opened(devices, FakeCamera(has_rate=False)).read() is not None


def test_damaged_pictures_are_left_out(devices: Path) -> None:
    fake = FakeCamera()
    fake.pictures = [(JPEG, 0x40), (b"", 0), (b"garbage", 0), (JPEG, 0)]
    camera = opened(devices, fake)
    picture = camera.read()
    assert picture is not None
    assert picture.data == JPEG
    assert fake.pictures == []
    assert camera.damaged == 3


@pytest.mark.parametrize(
    ("flags", "delay_ms", "shown_ms"),
    [
        (0x2000, 50, 50),  # V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC
        (0x0000, 50, 0),  # a clock that is not named
        (0x2000, -60_000, 0),  # the future
        (0x2000, 60_000, 0),  # a minute ago
    ],
)
def test_picture_has_the_time_when_it_was_taken(
    devices: Path, flags: int, delay_ms: int, shown_ms: int
) -> None:
    fake = FakeCamera()
    fake.pictures = [(JPEG, flags)]
    fake.delay_ns = delay_ms * 1_000_000
    picture = opened(devices, fake).read()
    assert picture is not None
    age_ms = (time.time_ns() - picture.taken_ns) / 1e6
    assert shown_ms - 1 <= age_ms < shown_ms + 500


def test_camera_that_sends_nothing_gives_no_picture(devices: Path) -> None:
    fake = FakeCamera()
    fake.pictures = []
    assert opened(devices, fake).read() is None


def test_camera_that_is_unplugged_while_it_streams_is_an_error_and_can_be_opened_again(
    devices: Path,
) -> None:
    fake = FakeCamera()
    camera = opened(devices, fake)
    assert camera.read() is not None
    ioctl = fake.ioctl

    def gone(descriptor: int, request: int, data: bytearray) -> None:
        raise OSError(19, "No such device")

    fake.ioctl = gone  # type: ignore[method-assign]
    with pytest.raises(OSError, match="No such device"):
        camera.read()
    camera.close()
    with pytest.raises(SaintError, match="video0: No such device"):
        camera.open()
    assert fake.open_count == 0
    fake.ioctl = ioctl  # type: ignore[method-assign]
    camera.open()
    assert camera.read() is not None


def test_camera_in_use_by_another_program_is_reported(devices: Path) -> None:
    fake = FakeCamera()

    def busy(path: Path) -> int:
        raise OSError(16, "Device or resource busy")

    fake.open = busy  # type: ignore[method-assign]
    with pytest.raises(SaintError, match="video0: Device or resource busy"):
        opened(devices, fake)


def test_buffer_that_the_driver_never_gave_is_not_read(devices: Path) -> None:
    fake = FakeCamera(count=2)
    camera = opened(devices, fake)
    fake.queued = [2]
    with pytest.raises(OSError, match="gave buffer 2 of 2"):
        camera.read()


def test_closing_gives_the_device_back(devices: Path) -> None:
    fake = FakeCamera()
    camera = opened(devices, fake)
    camera.close()
    camera.close()
    assert fake.open_count == 0
    camera.open()
    assert fake.open_count == 1


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"device_capabilities": 0x04200000}, "does not capture"),  # the second node of a camera
        ({"format": b"YUYV"}, "does not compress"),
        ({"count": 0}, "no buffers"),
    ],
)
def test_unsuitable_device_is_named_and_closed(
    devices: Path, changes: dict[str, Any], says: str
) -> None:
    fake = FakeCamera(**changes)
    with pytest.raises(SaintError, match=f"video0: .*{says}"):
        opened(devices, fake)
    assert fake.open_count == 0


def test_computer_without_cameras_says_so(tmp_path: Path) -> None:
    with pytest.raises(SaintError, match="no /dev/video"):
        V4l2Camera(SETTINGS, tmp_path, FakeCamera()).open()


def test_first_device_that_suits_is_taken(devices: Path) -> None:
    (devices / "video1").touch()
    fake = FakeCamera()
    formats = iter([b"YUYV", b"MJPG"])
    ioctl = fake.ioctl

    def choose(descriptor: int, request: int, data: bytearray) -> None:
        if request == S_FMT:
            fake.format = next(formats)
        ioctl(descriptor, request, data)

    fake.ioctl = choose  # type: ignore[method-assign]
    assert opened(devices, fake).read() is not None
    assert fake.open_count == 1
