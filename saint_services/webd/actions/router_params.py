"""What a client has to send with the router's actions. Not here: the envelopes and the other groups
(webd/messages.py), what an action does (router.py).
"""

from pydantic import Field

from ...lib.api import Request
from ...lib.api.routing import Blending, PresetName, Route, Target
from .. import messages as m


class RoutePriority(m.RouteParams):
    """Higher wins; null is the source's default."""

    priority: int | None = Field(ge=0, le=1000)


class PresetParams(Request):
    """One preset."""

    preset_name: PresetName


class LoadPreset(PresetParams, m.Confirming):
    """Its routes take the place of all others."""


class SavePreset(PresetParams):
    """The routes in force where they are not given."""

    routes: list[Route] | None = Field(default=None, max_length=128)
    blending: Blending | None = None


class SetBlending(m.Confirming):
    """How rivals for one field are combined."""

    blending: Blending


class OutputParams(Request):
    """One field: "tracks.linear"."""

    output: str = Field(pattern=r"^[A-Za-z0-9_.]{1,129}$")


class PreviewRoute(Request):
    """What a route would make of these inputs; nothing is saved."""

    route: Route
    values: dict[str, m.Number] = Field(default={}, max_length=256)


class PreviewCurve(Request):
    """What one mapping of a route makes of a range of inputs; nothing is saved."""

    route: Route
    index: int = Field(ge=0, le=127)  # of the mapping
    low: m.Number = -1.0
    high: m.Number = 1.0
    steps: int = Field(default=64, ge=2, le=128)


class ImportRoutes(m.Confirming):
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
