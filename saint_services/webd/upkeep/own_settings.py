"""Settings that an admin changes on the page and that persist: the robot's name, and whether a
sign-in is required. Not here:
webd.yaml (config.py), users (accounts/users.py).
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import Field

from ...lib.backup.sections import Section
from ...lib.state import StateStore
from ...lib.strict import StrictModel

VERSION = 2


def from_1(data: dict[str, Any]) -> dict[str, Any]:
    """Version 1 left the sign-in to webd.yaml."""
    return data


MIGRATIONS = {1: from_1}


class SavedSettings(StrictModel):
    """Content of settings.json. An empty field has its shipped value."""

    name: str = Field(default="", max_length=64)
    sign_in_required: bool | None = None  # None: as webd.yaml says


class OwnSettings:
    """The settings on the disk. `use` applies new ones."""

    def __init__(
        self, folder: Path, shipped_name: str, use: Callable[[SavedSettings], None]
    ) -> None:
        self.shipped_name = shipped_name
        self._store = StateStore(folder / "settings.json", SavedSettings, VERSION, MIGRATIONS)
        self._use = use
        self.saved = SavedSettings()
        self._turn = asyncio.Lock()

    async def load(self) -> None:
        """Load and apply the stored settings."""
        self.saved = await asyncio.to_thread(self._store.load)
        self._use(self.saved)

    async def save(self, saved: SavedSettings) -> None:
        """Store and apply new settings, one request after another, so that the last one counts."""
        async with self._turn:
            await asyncio.to_thread(self._store.save, saved)
            self.saved = saved
            self._use(saved)

    def section(self) -> Section[SavedSettings]:
        """Return the settings as a part of a backup."""

        async def current() -> SavedSettings:
            return self.saved

        async def check(_: SavedSettings) -> list[str]:
            return []

        return Section("settings", SavedSettings, VERSION, current, check, self.save, MIGRATIONS)
