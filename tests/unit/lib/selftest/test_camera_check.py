"""The camera of the self-test against models that work, send nothing, break off or are gone."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.cameras.camera import Picture
from saint_services.lib.selftest.camera_check import camera
from saint_services.lib.selftest.situation import Situation


@dataclass
class ModelCamera:
    """A camera that answers as a test sets it."""

    picture: Picture | None = None
    opening: Exception | None = None
    reading: Exception | None = None
    is_closed: bool = False
    damaged: int = 0

    def open(self) -> None:
        if self.opening:
            raise self.opening

    def read(self) -> Picture | None:
        if self.reading:
            raise self.reading
        return self.picture

    def close(self) -> None:
        self.is_closed = True


GONE = SaintError(Code.HARDWARE_MISSING, "no camera that sends Motion JPEG")
MODELS = {
    "works": (ModelCamera(Picture("jpeg", b"\xff\xd8" * 500, 0)), "passed", "jpeg, 1 kB"),
    "empty": (ModelCamera(Picture("jpeg", b"", 0)), "failed", "sent no picture"),
    "silent": (ModelCamera(), "failed", "sent no picture"),
    "breaks off": (ModelCamera(reading=OSError(19, "No such device")), "failed", "No such device"),
    "gone": (ModelCamera(opening=GONE), "not_connected", "No camera"),
}


@pytest.mark.parametrize(("model", "state", "said"), MODELS.values(), ids=MODELS)
def test_camera_is_judged_and_closed(
    tmp_path: Path, model: ModelCamera, state: str, said: str
) -> None:
    found = camera(tmp_path, Situation(), lambda: model)
    assert (found.state, said in found.text, model.is_closed) == (state, True, True), found


def test_camera_that_the_kernel_lists_and_nobody_can_open_fails(tmp_path: Path) -> None:
    sensor = tmp_path / "sys/class/video4linux/v4l-subdev0"
    sensor.mkdir(parents=True)
    (sensor / "name").write_text("imx219 10-0010")
    found = camera(tmp_path, Situation(), lambda: ModelCamera(opening=GONE))
    assert (found.state, "imx219" in found.text) == ("failed", True)


def test_camera_of_a_role_is_not_opened(tmp_path: Path) -> None:
    here = Situation(devices={"the camera": "head (camera)"})
    found = camera(tmp_path, here, lambda: pytest.fail("it was opened"))
    assert found.state == "skipped"
