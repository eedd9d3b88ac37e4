"""What an operator may set in webd.yaml."""

from pydantic import Field

from ..lib.config import Settings


class Auth(Settings):
    """Who may command. Without a token anyone on the network may."""

    required: bool = True


class Listen(Settings):
    """Only without sockets from the service manager (a start by hand)."""

    address: str = "127.0.0.1"
    http_port: int = Field(default=8080, ge=0, le=65535)  # pages, /api/ws, /metrics; 0: any free
    saint_port: int = Field(default=9090, ge=0, le=65535)  # /saint


class Config(Settings):
    """webd.yaml"""

    auth: Auth = Auth()
    listen: Listen = Listen()
    # manifests/robots/<robot>.yaml
    robot: str = Field(default="saint", pattern=r"^[a-z0-9_-]{1,64}$")
    names: list[str] = Field(
        default_factory=list
    )  # host names besides IP addresses, localhost and *.local
    # Pages of others that may connect: "https://panel.example".
    origins: list[str] = Field(default_factory=list)
    max_clients: int = Field(default=64, ge=1, le=1000)  # WebSocket connections at once
