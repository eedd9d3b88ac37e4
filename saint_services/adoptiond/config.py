"""Settings of adoptiond: /etc/saint/adoptiond.yaml."""

from pydantic import Field

from ..lib.strict import StrictModel


class Config(StrictModel):
    """adoptiond.yaml"""

    # Which manifest below manifests/robots/ describes this robot.
    robot: str = Field(default="saint", pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")
    # The server's address on the internal network, as nodes store it; empty: found from the routes.
    address: str = Field(default="", max_length=64)
    # A node needs at most 17 s for its own steps; the rest is for the network.
    adopt_timeout_s: float = Field(default=20.0, gt=0, le=25)
    reset_timeout_s: float = Field(default=5.0, gt=0, le=9)
