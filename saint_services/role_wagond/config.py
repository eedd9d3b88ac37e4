"""Settings, /etc/saint/role-wagond.yaml. What the role drives comes with its assignment."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

VescId = Annotated[int, Field(ge=0, le=254)]


class Config(BaseModel):
    """role-wagond.yaml"""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    # The highest mode that the computer drives in; the pilot's switch may choose a lower one.
    highest_mode: Literal["assisted", "autonomous"] = "autonomous"
    brake_at_rest: bool = True  # else the wheels roll freely at speed 0
    # Between the middles of the wheels; only the growth of the odometry's covariance needs it.
    track_width_m: float = Field(default=0.45, gt=0, le=2)
    odometry_error_m: float = Field(default=0.02, gt=0, le=1)  # as in role-tracksd.yaml
    # Motor controllers whose currents and temperatures are shown, and their ids on the bus. A dual
    # VESC has a second id for its second motor: with four ids, each wheel has a name here.
    motors: dict[Annotated[str, Field(pattern=r"^[a-z][a-z_]{0,23}$")], VescId] = Field(
        default={"left": 68, "right": 56}, max_length=8
    )
    publish_tf: bool = True  # odom -> base_link; off where a filter publishes it
