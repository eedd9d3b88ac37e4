"""What an operator may set on a node: /etc/saint/noded.yaml. Most nodes need no file."""

from pydantic import BaseModel, ConfigDict, Field


class Config(BaseModel):
    """noded.yaml"""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    # Only tells which of our addresses is the internal one; nothing is sent to it.
    server_address: str = Field(default="192.168.10.1", max_length=64)
    # The server waits 20 s for an adoption: both attempts and the role's start fit into that. A Pi
    # that is busy booting takes several seconds to start a Python process.
    config_timeout_s: float = Field(default=1.0, gt=0, le=10)
    config_attempts: int = Field(default=2, ge=1, le=5)
    role_ready_timeout_s: float = Field(default=15.0, gt=0, le=60)
    role_silence_timeout_s: float = Field(default=2.5, gt=1, le=60)
    refresh_interval_s: float = Field(default=30.0, gt=0, le=3600)
    # A node that starts asks the server for a newer release before it begins its role. One that is
    # not there costs this long; it is asked again when it is heard.
    firmware_check_timeout_s: float = Field(default=1.0, gt=0, le=10)
    # A new release has so long, from noded's start on, to be healthy, and has to stay so for
    # health_settle_s. Boot and trial together must end before the dead-man timer does
    # (saint.deadman on the kernel line).
    health_timeout_s: float = Field(default=120.0, ge=1, le=3600)
    health_settle_s: float = Field(default=10.0, ge=0, le=600)
    boot_attempts: int = Field(default=3, ge=1, le=10)  # as in RAUC's system.conf; only told
