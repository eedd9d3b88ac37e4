"""Settings, /etc/saint/role-leaderd.yaml. None yet: the assignment says all."""

from pydantic import BaseModel, ConfigDict


class Config(BaseModel):
    """role-leaderd.yaml"""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
