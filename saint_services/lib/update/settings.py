"""Settings of a machine's update: in noded.yaml on a node, in otad.yaml on a machine that is only a
server. Not here: what the numbers do (trial.py).
"""

from pydantic import Field

from ..config import Settings
from .events import UpdateLimits


class UpdateSettings(Settings):
    """Base of the settings of a daemon that owns a machine's update."""

    # Time for a new release to become healthy, from the daemon's start; it must stay healthy for
    # health_settle_s. Boot and trial together must end before the dead-man timer does
    # (saint.deadman on the kernel line).
    health_timeout_s: float = Field(default=120.0, ge=1, le=3600)
    health_settle_s: float = Field(default=10.0, ge=0, le=600)
    boot_attempts: int = Field(
        default=3, ge=1, le=10
    )  # as in RAUC's system.conf; for messages only

    @property
    def update_limits(self) -> UpdateLimits:
        return UpdateLimits(self.health_timeout_s, self.health_settle_s, self.boot_attempts)
