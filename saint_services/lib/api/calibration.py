"""adoptiond's socket: how a role's own hardware differs from its manifest. Kept with the role on
the server, so that it moves with the role to another node.
"""

from pydantic import Field

from . import Reply, Request


class CalibrateRequest(Request):
    """POST /roles/{target}/calibration: of one field, in its unit. What is left out stays."""

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
    """GET and POST /roles/{target}/calibration"""

    target: str
    revision: int  # rises with every change
    fields: list[CalibratedField]
    message: str = ""
