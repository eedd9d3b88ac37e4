"""A camera on the Pi's ribbon cable, by picamera2 (Raspberry Pi OS brings it; Debian does not). Its
pictures are compressed by the processor.
"""

import contextlib
import io
import time
from importlib.util import find_spec
from typing import Any

from ...errors import Code, SaintError
from ...role_config.model import Camera
from .camera import Picture, taken_at

_WAIT_S = 1.0


def is_there() -> bool:
    """Return True when picamera2 is installed and finds a camera on the ribbon cable."""
    if find_spec("picamera2") is None:
        return False
    try:
        return _number() is not None
    except (ImportError, RuntimeError, OSError):  # libcamera without permission, or without cameras
        return False


def _number() -> int | None:
    """Return the first ribbon camera's number. libcamera lists USB cameras too, whose pictures
    come compressed only by V4L2.
    """
    for place, camera in enumerate(_library().Picamera2.global_camera_info()):
        if "usb" not in str(camera.get("Id", "")).lower():
            return int(camera.get("Num", place))
    return None


class PiCamera:
    """Implements CameraSource."""

    def __init__(self, settings: Camera) -> None:
        self._settings = settings
        self._camera: Any = None
        self.damaged = 0

    def open(self) -> None:
        """Configure and start the camera."""
        try:
            camera = self._camera = _library().Picamera2(_number() or 0)
            main = {"size": self._settings.resolution}
            controls = {"FrameRate": float(self._settings.framerate)}
            camera.configure(camera.create_video_configuration(main=main, controls=controls))
            camera.start()
        except (RuntimeError, IndexError) as err:  # the camera is in use, or gone
            raise SaintError(Code.HARDWARE_MISSING, f"the camera does not start ({err})") from err

    def read(self) -> Picture | None:
        """Return the next picture; a camera without one in time raises OSError."""
        data = io.BytesIO()
        try:
            about = self._camera.capture_file(data, format="jpeg", wait=_WAIT_S)
        except TimeoutError:
            return None
        except RuntimeError as err:
            raise OSError(5, str(err)) from err
        return Picture("jpeg", data.getvalue(), _taken_ns(about))

    def close(self) -> None:
        """Release the camera."""
        if self._camera is not None:
            camera, self._camera = self._camera, None
            with contextlib.suppress(RuntimeError):  # a camera that is gone does not stop
                camera.close()


def _taken_ns(about: Any) -> int:
    """Return when the sensor began the picture: its metadata count from the start of the system."""
    began_ns = about.get("SensorTimestamp", 0) if isinstance(about, dict) else 0
    now_ns = time.clock_gettime_ns(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
    return taken_at(int(began_ns), now_ns)


def _library() -> Any:
    import picamera2  # a head without this camera does not pay for it

    return picamera2
