"""Settings, /etc/saint/role-partsd.yaml. None yet: the assignment says all."""

from ..lib.strict import StrictModel


class Config(StrictModel):
    """role-partsd.yaml"""
