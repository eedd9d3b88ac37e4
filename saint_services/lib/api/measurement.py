"""What livelinkd measures of a subject, and routerd makes the routes of a face of."""

from typing import Annotated

from pydantic import Field

from . import Request

ValueName = Annotated[str, Field(min_length=1, max_length=128)]
Measure = Annotated[float, Field(ge=-1e6, le=1e6)]


class MeasuredValue(Request):
    """How one value moved while it was measured, as the router gets it."""

    low: Measure  # 5 % of the frames are below
    middle: Measure  # median
    high: Measure  # 5 % of the frames are above
    noise: float = Field(ge=0, le=1e6)  # standard deviation from frame to frame, outliers apart


class Measurement(Request):
    """What a subject sent while it was measured."""

    frames: int = Field(ge=0)  # that arrived; one that repeats the frame before counts once
    tracked: int = Field(ge=0)  # of these, with a face
    rate_hz: float = Field(ge=0, le=1000)
    values: dict[ValueName, MeasuredValue] = Field(default={}, max_length=256)
