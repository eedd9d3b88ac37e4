"""Settings, /etc/saint/role-headd.yaml. None yet: the assignment says all."""

from pydantic import BaseModel, ConfigDict


class Config(BaseModel):
    """role-headd.yaml"""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
