"""What survives a reboot: the e-stop latch and the routes."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from ..lib.api.routing import Blending, Route
from ..lib.state import Store
from .estop import Latch

VERSION = 1


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


def latch_store(directory: Path) -> Store[SavedLatch]:
    return Store(directory / "estop.json", SavedLatch, VERSION)


def routes_store(directory: Path) -> Store[SavedRoutes]:
    return Store(directory / "routes.yaml", SavedRoutes, VERSION)
