"""Requests one picture of the camera and judges it. Blocks for some seconds."""

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from ..api.selftest import SelfTestCheck
from ..errors import SaintError
from ..generated.saint_msgs import PeripheralInfo
from ..hw import peripherals
from ..hw.cameras.camera import CameraSource, Picture
from .result import failed, not_connected, passed, skipped
from .situation import Situation

_TRIES = 3  # of a second each: a camera needs some to measure the light
_NONE = "No camera is plugged in."
_USB = "A USB camera with Motion JPEG works on every board; ribbon cables on Raspberry Pi OS alone."
_HELP = "Unplug it and plug it in again; try another cable and another USB socket."


def camera(root: Path, here: Situation, source: Callable[[], CameraSource]) -> SelfTestCheck:
    """Open the camera, unless a role has it, and read a picture."""
    if user := here.devices.get("the camera"):
        return skipped("camera", f"The role {user} has it; its picture is on the page Robot.")
    try:
        return _looked(source(), _found(root))
    except SaintError as err:
        return failed("camera", f"{err.message}.", err.fix)


def _looked(source: CameraSource, found: Iterable[PeripheralInfo]) -> SelfTestCheck:
    began_s = time.monotonic()
    try:
        source.open()
        picture = _picture(source)
    except SaintError as err:
        names = ", ".join(each.description for each in found)
        if not names:
            return not_connected("camera", _NONE, _USB)
        return failed("camera", f"{names}: {err.message}.", err.fix or _HELP)
    except OSError as err:
        return failed("camera", f"Reading failed: {err.strerror or err}.", _HELP)
    finally:
        source.close()
    if picture is None:
        return failed("camera", f"It sent no picture within {_TRIES} s.", _HELP)
    took_s = time.monotonic() - began_s
    size_kb = len(picture.data) / 1000
    return passed("camera", f"A picture ({picture.format}, {size_kb:.0f} kB) after {took_s:.1f} s.")


def _picture(source: CameraSource) -> Picture | None:
    for _ in range(_TRIES):
        if (picture := source.read()) and picture.data:
            return picture
    return None


def _found(root: Path) -> list[PeripheralInfo]:
    return [each for each in peripherals.discover(root) if each.type == "camera"]
