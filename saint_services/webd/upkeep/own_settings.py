"""The few settings that an admin gives webd by the page, kept over restarts: how the robot is
called. Not here: webd.yaml (config.py), users (users.py).
"""

import asyncio
from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from ...lib.backup.sections import Section
from ...lib.state import StateStore

VERSION = 1


class SavedSettings(BaseModel):
    """settings.json. Empty: as shipped."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(default="", max_length=64)


class OwnSettings:
    """In force and on disk. `use` is told what is in force from now on."""

    def __init__(
        self, folder: Path, shipped_name: str, use: Callable[[SavedSettings], None]
    ) -> None:
        self.shipped_name = shipped_name
        self._store = StateStore(folder / "settings.json", SavedSettings, VERSION)
        self._use = use
        self.saved = SavedSettings()
        self._turn = asyncio.Lock()

    async def load(self) -> None:
        """As it was left."""
        self.saved = await asyncio.to_thread(self._store.load)
        self._use(self.saved)

    async def save(self, saved: SavedSettings) -> None:
        """On disk first. One after the other: the last that asked is the one that counts."""
        async with self._turn:
            await asyncio.to_thread(self._store.save, saved)
            self.saved = saved
            self._use(saved)

    def section(self) -> Section[SavedSettings]:
        """For backups."""

        async def current() -> SavedSettings:
            return self.saved

        async def check(_: SavedSettings) -> list[str]:
            return []

        return Section("settings", SavedSettings, VERSION, current, check, self.save)
