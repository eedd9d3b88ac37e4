"""Settings, /etc/saint/role-partsd.yaml. None yet: the assignment says all."""

from pydantic import BaseModel, ConfigDict


class Config(BaseModel):
    """role-partsd.yaml"""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
