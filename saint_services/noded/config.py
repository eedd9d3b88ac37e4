"""Settings of a node, /etc/saint/noded.yaml. Most nodes need no file."""

from pydantic import Field

from ..lib.update.settings import UpdateSettings


class Config(UpdateSettings):
    """noded.yaml"""

    # Selects which of our addresses is the internal one; nothing is sent to it.
    server_address: str = Field(default="192.168.10.1", max_length=64)
    # The server waits 20 s for an adoption: both attempts and the role's start fit into that. A Pi
    # that is busy booting takes several seconds to start a Python process.
    config_timeout_s: float = Field(default=1.0, gt=0, le=10)
    config_attempts: int = Field(default=2, ge=1, le=5)
    role_ready_timeout_s: float = Field(default=15.0, gt=0, le=60)
    role_silence_timeout_s: float = Field(default=2.5, gt=1, le=60)
    refresh_interval_s: float = Field(default=30.0, gt=0, le=3600)
    # A button to ground here, held for 5 s, removes role and server; a role that uses this pin
    # has it instead. BCM number; the next ground on the header is two pins further.
    reset_pin: int | None = Field(default=26, ge=0, le=27)
    # A node requests a newer release from its server before its roles start. One request:
    firmware_check_timeout_s: float = Field(default=1.0, gt=0, le=10)
    # After a start of the machine the roles wait for the answer, since a server that is switched on
    # with its nodes starts as slowly as they do. Without a server nothing could move them anyway.
    offer_wait_s: float = Field(default=20.0, ge=0, le=45)
    # A release that is offered later is taken when the outputs have been safe for so long; the
    # request is repeated after offer_again_s of rest.
    offer_rest_s: float = Field(default=300.0, gt=0, le=86400)
    offer_again_s: float = Field(default=3600.0, ge=60, le=86400)
