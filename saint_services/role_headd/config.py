"""Settings, /etc/saint/role-headd.yaml. None yet: the assignment says all."""

from ..lib.strict import StrictModel


class Config(StrictModel):
    """role-headd.yaml"""
