"""Settings of a machine's update: in noded.yaml on a node, in otad.yaml on a machine that is only a
server. Not here: what the numbers do (trial.py).
"""

from dataclasses import replace

from pydantic import Field

from .. import log
from ..config import Settings
from .events import UpdateLimits

# Of the dead-man's time, from the initrd to the start of the daemon, and for log, record and mark.
BOOT_S = 120.0
_log = log.get("update")


class UpdateSettings(Settings):
    """Base of the settings of a daemon that owns a machine's update."""

    # Time for a new release to become healthy, from the daemon's start; it must stay healthy for
    # health_settle_s. Both are cut to what the dead-man timer leaves (saint.deadman on the kernel
    # line) and not refused: it runs in trials alone, and a longer one is a matter of boot.env.
    health_timeout_s: float = Field(default=120.0, ge=1, le=3600)
    health_settle_s: float = Field(default=10.0, ge=0, le=600)
    boot_attempts: int = Field(
        default=3, ge=1, le=10
    )  # as in RAUC's system.conf; for messages only

    @property
    def update_limits(self) -> UpdateLimits:
        return UpdateLimits(self.health_timeout_s, self.health_settle_s, self.boot_attempts)


def fitted(limits: UpdateLimits, deadman_s: float | None) -> UpdateLimits:
    """Return limits with which boot and trial are over before the dead-man timer is."""
    if deadman_s is None:
        return limits
    room_s = max(deadman_s - BOOT_S, deadman_s / 2)
    settle_s = min(limits.settle_s, room_s / 2)
    timeout_s = min(limits.health_timeout_s, room_s - settle_s)
    fitting = replace(limits, health_timeout_s=timeout_s, settle_s=settle_s)
    if fitting != limits:
        _log.warning(
            "the settings of a trial do not fit below the dead-man timer",
            deadman_s=deadman_s,
            health_timeout_s=timeout_s,
            health_settle_s=settle_s,
        )
    return fitting
