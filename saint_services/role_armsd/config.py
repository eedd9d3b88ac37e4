"""What an operator may set: /etc/saint/role-armsd.yaml. Nothing yet: what the role drives
comes with its assignment.
"""

from pydantic import BaseModel, ConfigDict


class Config(BaseModel):
    """role-armsd.yaml"""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
