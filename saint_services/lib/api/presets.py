"""routerd's socket: whole sets of routes under a name."""

from typing import Annotated

from pydantic import Field

from ..access.levels import Level
from . import Done, Reply, Request
from .endpoint import Nothing, Rows
from .routing import CONFIRMING, Blending, Confirming, Route, RouteFile, RouteList

PresetName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


class PresetInfo(Reply):
    """One preset."""

    name: str
    is_shipped: bool  # cannot be changed or deleted
    routes: int
    fault: str = ""  # why it cannot be loaded on this robot


class PresetList(Reply):
    """All presets; `loaded` is in force, empty when routes were edited since."""

    presets: list[PresetInfo]
    loaded: str = ""


class PresetParams(Request):
    """One preset."""

    preset_name: PresetName


class LoadPreset(PresetParams, Confirming):
    """Its routes take the place of all others."""


class SavePreset(PresetParams):
    """The routes in force where they are not given."""

    routes: list[Route] | None = Field(default=None, max_length=128)
    blending: Blending | None = None


ROWS = Rows("router", "routerd")
_row = ROWS.row
_OPERATOR = Level.OPERATOR

# fmt: off
LIST_PRESETS = _row(
    "list_presets", "GET", "/presets", Nothing, PresetList,
    "Shipped ones and the operators' own.",
)
GET_PRESET = _row(
    "get_preset", "GET", "/presets/{preset_name}", PresetParams, RouteFile,
    "The routes of one preset, so that what loading it would change can be shown before.",
)
LOAD_PRESET = _row(
    "load_preset", "POST", "/presets/{preset_name}/load", LoadPreset, RouteList,
    "All routes by those of the preset.",
    level=_OPERATOR, log="Preset {preset_name} was loaded", query=CONFIRMING,
)
SAVE_PRESET = _row(
    "save_preset", "PUT", "/presets/{preset_name}", SavePreset, PresetInfo,
    "The routes in force, or those given, under a name.",
    level=_OPERATOR, log="Preset {preset_name} was saved",
)
DELETE_PRESET = _row(
    "delete_preset", "DELETE", "/presets/{preset_name}", PresetParams, Done,
    "Only an operator's own.",
    level=_OPERATOR, log="Preset {preset_name} was deleted",
)
