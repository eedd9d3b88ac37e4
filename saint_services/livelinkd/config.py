"""What an operator may set in livelinkd.yaml."""

from pydantic import Field

from ..lib.config import Settings


class Config(Settings):
    """livelinkd.yaml"""

    # Only used when no socket is passed in, that is without systemd and without the launcher.
    address: str = "0.0.0.0"
    port: int = Field(default=11111, ge=1, le=65535)
    # 256 KiB hold a second of six phones, should the processor be busy for so long.
    receive_buffer_bytes: int = Field(default=262_144, ge=4096, le=16_777_216)
    # A phone sends 60 a second. More from one address are not even looked at.
    datagrams_per_second: int = Field(default=500, ge=1, le=100_000)
