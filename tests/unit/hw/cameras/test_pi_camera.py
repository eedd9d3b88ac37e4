"""The driver of ribbon-cable cameras against a stand-in with the calls of picamera2 0.3."""

import sys
import time
from io import BytesIO
from types import ModuleType
from typing import Any

import pytest

from saint_services.lib.errors import SaintError
from saint_services.lib.hw.cameras import pi_camera
from saint_services.lib.hw.cameras.opening import open_source
from saint_services.lib.hw.cameras.v4l2_camera import V4l2Camera
from saint_services.lib.role_config.model import Camera

JPEG = b"\xff\xd8 a picture \xff\xd9"
DELAY_NS = 40_000_000
SETTINGS = Camera(enabled=True, resolution=(320, 240), framerate=15)


class Ribbon:
    """A cable, and what hangs on it."""

    def __init__(self) -> None:
        self.cameras: list[dict[str, Any]] = [{"Model": "imx219", "Id": "/base/soc/i2c0mux/imx219"}]
        self.number = -1
        self.open_count = 0
        self.wanted: dict[str, Any] = {}
        self.fault: Exception | None = None
        self.is_in_use = False
        self.limits: list[float] = []


@pytest.fixture
def ribbon(monkeypatch: pytest.MonkeyPatch) -> Ribbon:
    cable = Ribbon()

    class Picamera2:
        @staticmethod
        def global_camera_info() -> list[dict[str, Any]]:
            return cable.cameras

        def __init__(self, number: int) -> None:
            cable.number = number
            if not cable.cameras:
                raise IndexError("list index out of range")
            cable.open_count += 1
            self._is_open = True

        def create_video_configuration(self, **wanted: Any) -> dict[str, Any]:
            return wanted

        def configure(self, wanted: dict[str, Any]) -> None:
            cable.wanted = wanted

        def start(self) -> None:
            if cable.is_in_use:
                raise RuntimeError("Failed to start camera: Device or resource busy")

        def capture_file(self, file: BytesIO, *, format: str, wait: float) -> dict[str, int]:
            assert format == "jpeg"
            cable.limits.append(wait)
            if cable.fault:
                raise cable.fault
            file.write(JPEG)
            return {"SensorTimestamp": time.clock_gettime_ns(time.CLOCK_BOOTTIME) - DELAY_NS}

        def close(self) -> None:
            if self._is_open:
                cable.open_count -= 1
            self._is_open = False
            if cable.fault:
                raise RuntimeError("camera is gone")

    library = ModuleType("picamera2")
    library.Picamera2 = Picamera2  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "picamera2", library)
    monkeypatch.setattr(pi_camera, "find_spec", lambda name: library)
    return cable


def opened() -> pi_camera.PiCamera:
    camera = pi_camera.PiCamera(SETTINGS)
    camera.open()
    return camera


def test_pictures_of_the_size_and_rate_of_the_manifest_come(ribbon: Ribbon) -> None:
    picture = opened().read()
    assert picture is not None
    assert (picture.format, picture.data) == ("jpeg", JPEG)
    assert DELAY_NS <= time.time_ns() - picture.taken_ns < DELAY_NS + 500_000_000
    assert ribbon.wanted == {"main": {"size": (320, 240)}, "controls": {"FrameRate": 15.0}}


def test_silent_camera_is_waited_for_no_longer_than_a_second(ribbon: Ribbon) -> None:
    camera = opened()
    ribbon.fault = TimeoutError("timed out")
    assert camera.read() is None
    assert ribbon.limits == [1.0]


def test_camera_that_breaks_is_an_error_and_is_given_back(ribbon: Ribbon) -> None:
    camera = opened()
    ribbon.fault = RuntimeError("Camera frontend has timed out")
    with pytest.raises(OSError, match="frontend has timed out"):
        camera.read()
    camera.close()
    camera.close()
    assert ribbon.open_count == 0
    ribbon.fault = None
    camera.open()
    assert camera.read() is not None


def test_camera_in_use_or_gone_says_so_and_is_given_back(ribbon: Ribbon) -> None:
    ribbon.is_in_use = True
    camera = pi_camera.PiCamera(SETTINGS)
    with pytest.raises(SaintError, match=r"the camera does not start .*busy"):
        camera.open()
    camera.close()
    assert ribbon.open_count == 0
    ribbon.cameras = []
    with pytest.raises(SaintError, match="the camera does not start"):
        camera.open()


def test_ribbon_camera_comes_first_and_a_usb_camera_where_there_is_none(ribbon: Ribbon) -> None:
    assert isinstance(open_source("real", SETTINGS), pi_camera.PiCamera)
    ribbon.cameras = []
    assert isinstance(open_source("real", SETTINGS), V4l2Camera)


def test_usb_camera_that_libcamera_lists_is_no_ribbon_camera(ribbon: Ribbon) -> None:
    usb = {"Model": "C270", "Id": "\\_SB_.PCI0.usb-1:1.0-046d:0825", "Num": 0}
    ribbon.cameras = [usb]
    assert isinstance(open_source("real", SETTINGS), V4l2Camera)
    ribbon.cameras = [usb, {"Model": "imx708", "Id": "/base/axi/imx708@1a", "Num": 1}]
    assert isinstance(open_source("real", SETTINGS), pi_camera.PiCamera)
    opened()
    assert ribbon.number == 1
