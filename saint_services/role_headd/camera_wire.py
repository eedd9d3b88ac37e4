"""What the role and its camera process say to each other: one order, then a report every second, as
lines of JSON. Not here: either side.
"""

from saint_services.lib.role.side_process import SideReport
from saint_services.lib.role_config.model import Camera

from ..lib.strict import StrictModel


class CameraOrder(StrictModel):
    """What the process is for. It works until its input ends."""

    hardware: str  # SAINT_HW
    node_name: str
    settings: Camera


class CameraReport(SideReport):
    """How it goes; numbers count from the start of the process."""

    has_pictures: bool = False
    pictures: int = 0
    damaged: int = 0  # left out: no picture, too large, or more than could be unpacked
    surplus: int = 0  # left out: sooner than the manifest's rate
