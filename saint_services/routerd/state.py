"""What survives a reboot: the e-stop latch, the routes and the operators' own presets."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from ..lib.api.routing import Blending, Route
from ..lib.state import Migration, Store
from .estop import Latch

LATCH_VERSION = 1
ROUTES_VERSION = 2  # 2: weight, blending.fields, hysteresis_ms; time-outs that are obeyed; loaded
PRESET_VERSION = 1


class SavedLatch(BaseModel):
    """estop.json. The generation is kept while the latch is open too: it must never fall."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    active: bool = False
    source: str = ""
    reason: str = ""
    since: str = ""
    generation: int = Field(default=0, ge=0)

    @classmethod
    def of(cls, latch: Latch, since: str) -> "SavedLatch":
        return cls(
            active=latch.active,
            source=latch.source,
            reason=latch.reason,
            since=since,
            generation=latch.generation,
        )

    def latch(self) -> Latch:
        return Latch(self.active, self.source, self.reason, self.generation)


class SavedRoutes(BaseModel):
    """routes.yaml, in the form of a preset. None: the preset is in force."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    routes: list[Route] | None = None
    blending: Blending = Blending()
    loaded: str = ""  # the preset that they are, until they are edited


class SavedPreset(BaseModel):
    """presets/<name>.yaml"""

    model_config = ConfigDict(extra="forbid", frozen=True)

    routes: list[Route] = []
    blending: Blending = Blending()


def latch_store(directory: Path) -> Store[SavedLatch]:
    return Store(directory / "estop.json", SavedLatch, LATCH_VERSION)


def routes_store(directory: Path) -> Store[SavedRoutes]:
    path = directory / "routes.yaml"
    return Store(path, SavedRoutes, ROUTES_VERSION, ROUTES_MIGRATIONS, keeps_last_good=True)


def preset_store(directory: Path, name: str) -> Store[SavedPreset]:
    return Store(directory / "presets" / f"{name}.yaml", SavedPreset, PRESET_VERSION)


def _obeyed_timeout(data: dict[str, Any]) -> dict[str, Any]:
    """Version 1 wrote blending.source_timeout_ms and did not obey it: the robot keeps the time-outs
    that it has had.
    """
    blending = {k: v for k, v in (data.get("blending") or {}).items() if k != "source_timeout_ms"}
    return data | {"blending": blending}


ROUTES_MIGRATIONS: Final[Mapping[int, Migration]] = {1: _obeyed_timeout}
