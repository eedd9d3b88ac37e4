"""Calibration of roles: how the hardware of a role deviates from its manifest. Stored on the server
with the role, so that it moves with the role to another node.
"""

from pydantic import Field

from ..access.levels import Level
from . import Reply, Request
from .endpoint import Rows


class GetCalibration(Request):
    """A role."""

    target: str = Field(pattern=r"^[a-z][a-z0-9_.]{0,63}$")  # "arms.left"


class Calibrate(GetCalibration):
    """Change one field of a role, in its unit. Values that are left out stay unchanged."""

    field: str = Field(min_length=1, max_length=64)
    offset: float | None = Field(
        default=None, description="Trim: added to each commanded position, in the field's unit."
    )
    minimum: float | None = Field(default=None, description="Lower limit, in the field's unit.")
    maximum: float | None = Field(default=None, description="Upper limit, in the field's unit.")
    is_reversed: bool | None = Field(
        default=None, description="The servo turns reversed to the manifest, or as it says."
    )
    clear: bool = Field(default=False, description="Return to the values of the manifest.")


class CalibratedField(Reply):
    """A field of a role with the values in force."""

    field: str
    unit: str
    offset: float
    limits: tuple[float, float]
    manifest_limits: tuple[float, float]
    has_offset: bool  # driven by a servo: has an offset and a direction
    largest_offset: float  # in both directions; 0: no offset possible
    is_reversed: bool  # against the manifest


class CalibrationReply(Reply):
    """The calibration in force for every field of a role, beside its manifest."""

    target: str
    revision: int  # rises with every change
    fields: list[CalibratedField]
    message: str = ""


ROWS = Rows("management", "adoptiond")
_PATH = "/roles/{target}/calibration"

# fmt: off
GET_CALIBRATION = ROWS.row(
    "get_calibration", "GET", _PATH, GetCalibration, CalibrationReply,
    "Get the calibration in force for every field of a role, beside its manifest.",
)
CALIBRATE = ROWS.row(
    "calibrate", "POST", _PATH, Calibrate, CalibrationReply,
    "Change the calibration within the manifest's limits. The role restarts when nothing moves.",
    level=Level.ADMIN, log="{target}.{field} was calibrated",
)
