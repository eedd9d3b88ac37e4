"""A camera on the Pi's ribbon cable, by picamera2 (Raspberry Pi OS brings it; Debian does not). Its
pictures are compressed by the processor.
"""

import contextlib
import io
from importlib.util import find_spec
from typing import Any

from ...errors import Code, SaintError
from ...role_config.model import Camera
from .camera import Picture

_WAIT_S = 1.0


def is_there() -> bool:
    """Return True when picamera2 is installed and finds a camera."""
    if find_spec("picamera2") is None:
        return False
    try:
        return bool(_library().Picamera2.global_camera_info())
    except (ImportError, RuntimeError, OSError):  # libcamera without permission, or without cameras
        return False


class PiCamera:
    """Implements CameraSource."""

    def __init__(self, settings: Camera) -> None:
        self._settings = settings
        self._camera: Any = None

    def open(self) -> None:
        """Configure and start the camera."""
        try:
            camera = self._camera = _library().Picamera2()
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
            self._camera.capture_file(data, format="jpeg", wait=_WAIT_S)
        except TimeoutError:
            return None
        except RuntimeError as err:
            raise OSError(5, str(err)) from err
        return Picture("jpeg", data.getvalue())

    def close(self) -> None:
        """Release the camera."""
        if self._camera is not None:
            camera, self._camera = self._camera, None
            with contextlib.suppress(RuntimeError):  # a camera that is gone does not stop
                camera.close()


def _library() -> Any:
    import picamera2  # a head without this camera does not pay for it

    return picamera2
