"""What a client has to send with the router's actions that webd itself carries out. Not here: the
others (lib/api/routing.py).
"""

from pydantic import Field

from ...lib.api import Request
from ...lib.api.routing import Confirming, Target


class ImportRoutes(Confirming):
    """All routes, as YAML."""

    yaml: str = Field(max_length=60_000)  # a message has no room for more
    name: str = Field(default="routes.yaml", min_length=1, max_length=100)  # for its faults
    check_only: bool = False


class TakeControl(Request):
    """A target for this client alone, until it is silent for so long or gives it back."""

    target: Target
    timeout_ms: int = Field(default=5000, ge=200, le=600_000)


class ReleaseControl(Request):
    """Gives it back; `force` takes it from another client."""

    target: Target
    force: bool = False
