"""What an operator may set on the server: /etc/saint/otad.yaml."""

import os

from pydantic import Field

from ..lib.config import Settings
from ..lib.update.settings import UpdateSettings


def _compatible() -> str:
    """Set by the image; a checkout has the one of pi-gen.conf."""
    return os.environ.get("SAINT_COMPATIBLE") or "saint-os-rpi-arm64"


class Listen(Settings):
    """Only without sockets from the service manager (a start by hand)."""

    address: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=65535)  # 0: any free


class Config(UpdateSettings):
    """otad.yaml; what is inherited is for a server that is no node."""

    listen: Listen = Listen()
    # What a bundle must be made for.
    compatible: str = Field(default_factory=_compatible, min_length=1, max_length=80)
    # Our address on the internal network, as nodes are told it; empty: found from the routes.
    address: str = Field(default="", max_length=64)
    # Roll-outs: the server before its nodes, or after them; how many nodes at once after the first.
    server_last: bool = True
    parallel: int = Field(default=1, ge=1, le=16)
    # Writing a slot to a slow card takes 5 min, every try of a boot up to 5 min, three tries.
    machine_limit_s: float = Field(default=1800.0, gt=0, le=14400)
    # A machine that is silent for so long is left out. A reboot for another reason is over by then.
    away_after_s: float = Field(default=60.0, gt=0, le=3600)
    # How many releases stay; the offered one and the one before it always do.
    keep_releases: int = Field(default=3, ge=1, le=50)
    largest_bundle_bytes: int = Field(default=1 << 30, ge=1 << 13, le=1 << 34)
    # Left for the rest of the robot's state when a bundle is taken.
    reserve_bytes: int = Field(default=64 << 20, ge=0, le=1 << 34)
    # Where POST /import may read from.
    import_folders: list[str] = ["/media", "/mnt", "/run/media"]
    max_downloads: int = Field(default=32, ge=1, le=1000)  # connections at once
    # A sender or reader that stands still for so long is dropped.
    stalled_after_s: float = Field(default=30.0, gt=0, le=600)
