"""Settings, /etc/saint/role-tracksd.yaml. What the role drives comes with its assignment."""

from pydantic import Field

from ..lib.strict import StrictModel


class Config(StrictModel):
    """role-tracksd.yaml"""

    # Without a meter the currents are estimated from duty and speed.
    stall_current_a: float = Field(default=12.0, gt=0, le=200)  # full duty, motor blocked
    idle_current_a: float = Field(default=0.6, ge=0, le=50)  # friction, motor turning freely
    # Of each track over a metre (standard deviation), what the odometry's covariance grows by.
    odometry_error_m: float = Field(default=0.01, gt=0, le=1)
    publish_tf: bool = True  # odom -> base_link; off where a filter publishes it
