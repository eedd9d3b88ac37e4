"""Settings of webd.yaml."""

from pydantic import Field

from ..lib.config import Settings


class AuthSettings(Settings):
    """Whether a sign-in is required; otherwise anyone on the network is admin."""

    required: bool = True


class ListenSettings(Settings):
    """Ports of a start by hand, without sockets from the service manager."""

    address: str = "127.0.0.1"
    http_port: int = Field(default=8080, ge=0, le=65535)  # pages, /api/ws, /metrics; 0: any free
    saint_port: int = Field(default=9090, ge=0, le=65535)  # /saint


class Config(Settings):
    """Content of webd.yaml."""

    auth: AuthSettings = AuthSettings()
    listen: ListenSettings = ListenSettings()
    # manifests/robots/<robot>.yaml
    robot: str = Field(default="saint", pattern=r"^[a-z0-9_-]{1,64}$")
    # Host names in addition to IP addresses, localhost and *.local.
    names: list[str] = Field(default_factory=list)
    # Pages of other sites that may connect: "https://panel.example".
    origins: list[str] = Field(default_factory=list)
    max_clients: int = Field(default=64, ge=1, le=1000)  # WebSocket connections at once
