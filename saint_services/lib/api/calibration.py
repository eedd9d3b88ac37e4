"""adoptiond's socket: how a role's own hardware differs from its manifest. Kept with the role on
the server, so that it moves with the role to another node.
"""

from pydantic import Field

from ..access.levels import Level
from . import Reply, Request
from .endpoint import Rows


class GetCalibration(Request):
    """Of one role."""

    target: str = Field(pattern=r"^[a-z][a-z0-9_.]{0,63}$")  # "arms.left"


class Calibrate(GetCalibration):
    """One field of a role, in its unit. What is left out stays."""

    field: str = Field(min_length=1, max_length=64)
    offset: float | None = None  # the servo stands so far beside what it is told
    minimum: float | None = None
    maximum: float | None = None
    is_reversed: bool | None = None  # the servo turns the other way than the manifest says
    clear: bool = False  # as the manifest says, from now on


class CalibratedField(Reply):
    """One field of a role, and what is in force for it."""

    field: str
    unit: str
    offset: float
    limits: tuple[float, float]
    manifest_limits: tuple[float, float]
    has_offset: bool  # a servo turns it: an offset and a direction make sense
    largest_offset: float  # either way; 0: it has none
    is_reversed: bool  # against the manifest


class CalibrationReply(Reply):
    """What is in force for every field of a role, and what its manifest says."""

    target: str
    revision: int  # rises with every change
    fields: list[CalibratedField]
    message: str = ""


ROWS = Rows("management", "adoptiond")
_PATH = "/roles/{target}/calibration"

# fmt: off
GET_CALIBRATION = ROWS.row(
    "get_calibration", "GET", _PATH, GetCalibration, CalibrationReply,
    "What is in force for every field of a role, and what its manifest says.",
)
CALIBRATE = ROWS.row(
    "calibrate", "POST", _PATH, Calibrate, CalibrationReply,
    "Changes it, within the manifest. The role starts anew with it as soon as nothing moves.",
    level=Level.ADMIN, log="{target}.{field} was calibrated",
)
