"""Settings, /etc/saint/role-armsd.yaml. None yet: the assignment says all."""

from ..lib.strict import StrictModel


class Config(StrictModel):
    """role-armsd.yaml"""
