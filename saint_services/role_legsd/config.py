"""Settings, /etc/saint/role-legsd.yaml. What the role drives comes with its assignment."""

from pydantic import BaseModel, ConfigDict, Field


class Config(BaseModel):
    """role-legsd.yaml"""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    # A report of the controller that is older counts as none: then the robot is damped.
    report_timeout_ms: int = Field(default=250, ge=50, le=500)
