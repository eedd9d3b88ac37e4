"""Settings, /etc/saint/role-consoled.yaml. What the role drives comes with its assignment."""

from pydantic import Field

from ..lib.strict import StrictModel


class Config(StrictModel):
    """role-consoled.yaml"""

    # Of the lights: at 1 each draws up to 60 mA from the Pi's 5 V, and dazzles in a room.
    brightness: float = Field(default=0.2, gt=0, le=1)
