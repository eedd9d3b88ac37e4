"""A camera at /dev/video<n> that compresses by itself (USB cameras send Motion JPEG): its pictures
are passed on as they are. By the kernel's Video for Linux API, part I of its documentation, with
structures and numbers of videodev2.h on 64-bit machines. Not here: libcamera (pi_camera.py).
"""

import contextlib
import fcntl
import mmap
import os
import select
import struct
import time
from pathlib import Path
from typing import Any, Protocol

from ...errors import Code, SaintError
from ...role_config.model import Camera
from .camera import Picture, taken_at

QUERYCAP, S_FMT, S_PARM = 0x80685600, 0xC0D05605, 0xC0CC5616
REQBUFS, QUERYBUF, QBUF, DQBUF = 0xC0145608, 0xC0585609, 0xC058560F, 0xC0585611
STREAMON, STREAMOFF = 0x40045612, 0x40045613
CAPTURE, MMAP = 1, 1  # enum v4l2_buf_type, v4l2_memory
CAN_CAPTURE, CAN_STREAM, HAS_DEVICE_CAPS = 0x1, 0x04000000, 0x80000000
BUFFER_ERROR, CLOCK_MASK, CLOCK_MONOTONIC = 0x40, 0xE000, 0x2000
MJPEG = b"MJPG"
CAPABILITY = struct.Struct("<16s32s32sIII12x")
FORMAT = struct.Struct("<I4xII4sIIIII168x")  # v4l2_format with v4l2_pix_format
PARAMETERS = struct.Struct("<IIIIIII16x160x")  # v4l2_streamparm with v4l2_captureparm
REQUEST = struct.Struct("<IIIII")
# v4l2_buffer: index, type, bytes used, flags, field, s, us, sequence, memory, offset, length
BUFFER = struct.Struct("<IIIII4xqq16xIIQIII4x")
_BUFFERS = 3
_WAIT_S = 1.0


class V4l2System(Protocol):
    """Calls of the operating system, which tests replace."""

    def open(self, path: Path) -> int: ...

    def ioctl(self, descriptor: int, request: int, data: bytearray) -> None: ...

    def map(self, descriptor: int, length: int, offset: int) -> mmap.mmap | memoryview: ...

    def is_readable(self, descriptor: int, limit_s: float) -> bool: ...

    def close(self, descriptor: int) -> None: ...


class V4l2Kernel:
    """The real calls."""

    def open(self, path: Path) -> int:
        """Open without blocking: is_readable waits for pictures."""
        return os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)

    def ioctl(self, descriptor: int, request: int, data: bytearray) -> None:
        """Call the driver, which writes its reply to `data`."""
        fcntl.ioctl(descriptor, request, data, True)

    def map(self, descriptor: int, length: int, offset: int) -> mmap.mmap:
        """Map a buffer of the driver."""
        return mmap.mmap(descriptor, length, mmap.MAP_SHARED, mmap.PROT_READ, offset=offset)

    def is_readable(self, descriptor: int, limit_s: float) -> bool:
        """Wait until a picture is ready."""
        return bool(select.select([descriptor], [], [], limit_s)[0])

    def close(self, descriptor: int) -> None:
        """Close the descriptor."""
        os.close(descriptor)


class V4l2Camera:
    """Implements CameraSource with the first camera that compresses."""

    def __init__(
        self, settings: Camera, devices: Path = Path("/dev"), system: V4l2System | None = None
    ) -> None:
        self._settings = settings
        self._devices = devices
        self._system = system or V4l2Kernel()
        self._descriptor = -1
        self._buffers: list[mmap.mmap | memoryview] = []
        self.damaged = 0

    def open(self) -> None:
        """Find, configure and start the camera."""
        refused = []
        for path in sorted(self._devices.glob("video[0-9]*")):
            try:
                self._open(path)
                return
            except OSError as err:
                refused.append(f"{path.name}: {err.strerror or err}")
                self.close()
        found = "; ".join(refused) or "no /dev/video* is there"
        raise SaintError(
            Code.HARDWARE_MISSING,
            f"no camera that sends Motion JPEG ({found[:300]})",
            fix="Plug in a USB camera, or use one that picamera2 knows.",
        )

    def read(self) -> Picture | None:
        """Return the next whole picture; skip damaged ones."""
        for _ in range(2 * _BUFFERS):
            if not self._system.is_readable(self._descriptor, _WAIT_S):
                return None
            data = bytearray(_buffer(0))
            self._system.ioctl(self._descriptor, DQBUF, data)
            index, _, used, flags, _, seconds, micros, *_ = BUFFER.unpack(data)
            if index >= len(self._buffers):
                raise OSError(5, f"the driver gave buffer {index} of {len(self._buffers)}")
            picture = bytes(self._buffers[index][:used])
            self._system.ioctl(self._descriptor, QBUF, data)
            if picture.startswith(b"\xff\xd8") and not flags & BUFFER_ERROR:
                is_timed = flags & CLOCK_MASK == CLOCK_MONOTONIC
                device_ns = (seconds * 1_000_000 + micros) * 1000 if is_timed else 0
                return Picture("jpeg", picture, taken_at(device_ns, time.monotonic_ns()))
            self.damaged += 1
        return None

    def close(self) -> None:
        """Release the device."""
        if self._descriptor >= 0:
            descriptor, self._descriptor = self._descriptor, -1
            for buffer in self._buffers:
                if isinstance(buffer, mmap.mmap):
                    buffer.close()
            self._buffers.clear()
            self._system.close(descriptor)  # streaming ends with the last descriptor

    def _open(self, path: Path) -> None:
        self._descriptor = self._system.open(path)
        self._check()
        self._set_format()
        count = self._query(REQBUFS, REQUEST.pack(_BUFFERS, CAPTURE, MMAP, 0, 0), REQUEST)[0]
        for index in range(min(count, _BUFFERS)):
            empty = _buffer(index)
            *_, offset, length, _, _ = self._query(QUERYBUF, empty, BUFFER)
            mapped = self._system.map(self._descriptor, length, offset & 0xFFFFFFFF)
            self._buffers.append(mapped)
            self._query(QBUF, empty, BUFFER)
        if not self._buffers:
            raise OSError(12, "the driver has no buffers")
        self._query(STREAMON, struct.pack("<I", CAPTURE), struct.Struct("<I"))

    def _check(self) -> None:
        *_, everything, own = self._query(QUERYCAP, bytes(CAPABILITY.size), CAPABILITY)
        can = own if everything & HAS_DEVICE_CAPS else everything
        if not (can & CAN_CAPTURE and can & CAN_STREAM):
            raise OSError(22, "it does not capture")

    def _set_format(self) -> None:
        width, height = self._settings.resolution
        wanted = FORMAT.pack(CAPTURE, width, height, MJPEG, 0, 0, 0, 0, 0)
        got = self._query(S_FMT, wanted, FORMAT)
        if got[3] != MJPEG:
            raise OSError(22, "it does not compress")
        rate = PARAMETERS.pack(CAPTURE, 0, 0, 1, self._settings.framerate, 0, 0)
        with contextlib.suppress(OSError):  # not every driver lets its rate be chosen
            self._query(S_PARM, rate, PARAMETERS)

    def _query(self, request: int, data: bytes, shape: struct.Struct) -> tuple[Any, ...]:
        answer = bytearray(data)
        self._system.ioctl(self._descriptor, request, answer)
        return shape.unpack(answer)


def _buffer(index: int) -> bytes:
    return BUFFER.pack(index, CAPTURE, 0, 0, 0, 0, 0, 0, MMAP, 0, 0, 0, 0)
