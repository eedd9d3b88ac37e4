"""What the role and its camera process say to each other: one order, then a report every second, as
lines of JSON. Not here: either side.
"""

from typing import Final

from saint_services.lib.role_config.model import Camera

from ..lib.strict import StrictModel

REPORT_S: Final = 1.0
SILENCE_S: Final = 5.0  # without a report, the process hangs
LONGEST_LINE: Final = 64 * 1024


class CameraOrder(StrictModel):
    """What the process is for. It works until its input ends."""

    hardware: str  # SAINT_HW
    node_name: str
    settings: Camera


class CameraReport(StrictModel):
    """How it goes; numbers count from the start of the process."""

    problem: str = ""
    has_pictures: bool = False
    pictures: int = 0
    damaged: int = 0  # left out: no picture, too large, or more than could be unpacked
    surplus: int = 0  # left out: sooner than the manifest's rate
