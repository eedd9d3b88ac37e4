"""Settings, /etc/saint/role-wagond.yaml. What the role drives comes with its assignment."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Config(BaseModel):
    """role-wagond.yaml"""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    # The highest mode that the computer drives in; the pilot's switch may choose a lower one.
    highest_mode: Literal["assisted", "autonomous"] = "autonomous"
    brake_at_rest: bool = True  # else the wheels roll freely at speed 0
    # Between the middles of the wheels; only the growth of the odometry's covariance needs it.
    track_width_m: float = Field(default=0.45, gt=0, le=2)
    odometry_error_m: float = Field(default=0.02, gt=0, le=1)  # as in role-tracksd.yaml
    publish_tf: bool = True  # odom -> base_link; off where a filter publishes it
