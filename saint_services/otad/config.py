"""Settings of otad: /etc/saint/otad.yaml."""

import os

from pydantic import Field

from ..lib.config import Settings
from ..lib.update.settings import UpdateSettings
from .policy import OwnerPolicy


def _compatible() -> str:
    """Return what the image sets; a checkout uses the value of pi-gen.conf."""
    return os.environ.get("SAINT_COMPATIBLE") or "saint-os-rpi-arm64"


class Listen(Settings):
    """Used only without sockets from the service manager (a start by hand)."""

    address: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=65535)  # 0: any free


class Config(OwnerPolicy, UpdateSettings):
    """otad.yaml; UpdateSettings are for a server that is not a node."""

    listen: Listen = Listen()
    # The `compatible` that a bundle must have.
    compatible: str = Field(default_factory=_compatible, min_length=1, max_length=80)
    # The server's address on the internal network, as sent to nodes; empty: found from the routes.
    address: str = Field(default="", max_length=64)
    # Roll-outs: the server before its nodes, or after them; how many nodes at once after the first.
    server_last: bool = True
    parallel: int = Field(default=1, ge=1, le=16)
    # Writing a slot to a slow card takes 5 min, every try of a boot up to 5 min, three tries.
    machine_limit_s: float = Field(default=1800.0, gt=0, le=14400)
    # A machine that is offline for so long is skipped. A reboot for another reason takes less.
    away_after_s: float = Field(default=60.0, gt=0, le=3600)
    # How many releases are kept; the offered one and the one before it always are.
    keep_releases: int = Field(default=3, ge=1, le=50)
    largest_bundle_bytes: int = Field(default=1 << 30, ge=1 << 13, le=1 << 34)
    # Disk space kept free for the rest of the robot's state when a bundle is stored.
    reserve_bytes: int = Field(default=64 << 20, ge=0, le=1 << 34)
    # Where the card has the release that it was flashed with; a server without releases takes it.
    shipped: str = Field(default="/data/shipped", max_length=200)
    # Folders that POST /import may read.
    import_folders: list[str] = ["/media", "/mnt", "/run/media"]
    max_downloads: int = Field(default=32, ge=1, le=1000)  # connections at once
    # A client that sends or reads nothing for so long is dropped.
    stalled_after_s: float = Field(default=30.0, gt=0, le=600)
