"""Route presets on routerd's socket: sets of routes under a name."""

from typing import Annotated

from pydantic import Field

from ..access.levels import Level
from . import Done, Reply, Request
from .endpoint import Nothing, Rows
from .routing import CONFIRMING, Blending, Confirming, Route, RouteFile, RouteList

PresetName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


class PresetInfo(Reply):
    """A preset."""

    name: str
    is_shipped: bool  # cannot be changed or deleted
    routes: int
    fault: str = ""  # why the preset does not fit this robot


class PresetList(Reply):
    """All presets. `loaded` is in force; empty if routes were edited since."""

    presets: list[PresetInfo]
    loaded: str = ""


class PresetParams(Request):
    """A preset by name."""

    preset_name: PresetName


class LoadPreset(PresetParams, Confirming):
    """Replace all routes by those of the preset."""


class SavePreset(PresetParams):
    """Save routes as a preset; without `routes` those in force."""

    routes: list[Route] | None = Field(default=None, max_length=128)
    blending: Blending | None = None


ROWS = Rows("router", "routerd")
_row = ROWS.row
_OPERATOR = Level.OPERATOR

# fmt: off
LIST_PRESETS = _row(
    "list_presets", "GET", "/presets", Nothing, PresetList,
    "List the shipped presets and those that operators saved.",
)
GET_PRESET = _row(
    "get_preset", "GET", "/presets/{preset_name}", PresetParams, RouteFile,
    "Get the routes of a preset, to show what loading it would change.",
)
LOAD_PRESET = _row(
    "load_preset", "POST", "/presets/{preset_name}/load", LoadPreset, RouteList,
    "Replace all routes by those of the preset.",
    level=_OPERATOR, log="Preset {preset_name} was loaded", query=CONFIRMING,
)
SAVE_PRESET = _row(
    "save_preset", "PUT", "/presets/{preset_name}", SavePreset, PresetInfo,
    "Save the routes in force, or the given ones, as a preset.",
    level=_OPERATOR, log="Preset {preset_name} was saved",
)
DELETE_PRESET = _row(
    "delete_preset", "DELETE", "/presets/{preset_name}", PresetParams, Done,
    "Delete a preset that an operator saved.",
    level=_OPERATOR, log="Preset {preset_name} was deleted",
)
