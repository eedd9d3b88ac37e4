"""Settings of the router."""

from pydantic import Field

from ..lib.config import Settings


class Config(Settings):
    """routerd.yaml"""

    robot: str = Field(default="saint", pattern=r"^[A-Za-z0-9_-]{1,64}$")  # manifests/robots
    # manifests/routes; in force until routes are saved for the first time
    preset: str = Field(default="default", pattern=r"^[A-Za-z0-9_-]{1,64}$")
