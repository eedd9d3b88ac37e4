"""Which formats are on and how much one sender may send, as an admin set it; above livelinkd.yaml,
kept over restarts. In force at once. Not here: sockets (listening.py), limits (senders.py).
"""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack

from pydantic import BaseModel, ConfigDict, Field

from ..lib.api import livelink
from ..lib.api.endpoint import Nothing
from ..lib.api.livelink import FormatList, FormatName, Rate, SetFormats
from ..lib.backup.sections import Section
from ..lib.ipc import Api, Call
from ..lib.state import StateStore
from .config import Config
from .listeners.listeners import Listeners, formats_of

VERSION = 1
FILE = "switches.json"


class SavedSwitches(BaseModel):
    """switches.json: only what differs from livelinkd.yaml by somebody's word."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    formats: dict[FormatName, bool] = Field(default={}, max_length=6)
    datagrams_per_second: Rate | None = None


def formats_on(config: Config, saved: SavedSwitches) -> dict[str, bool]:
    """All formats that have a listener."""
    given = {str(name): is_on for name, is_on in saved.formats.items()}
    return {name: given.get(name, each.enabled) for name, each in formats_of(config).items()}


class FormatSwitches:
    """In force, and on disk."""

    def __init__(
        self,
        config: Config,
        store: StateStore[SavedSwitches],
        listening: Listeners,
        limit: Callable[[int], None],
        capture: Callable[[bool], None],
    ) -> None:
        self.saved = SavedSwitches()
        self._config = config
        self.store = store
        self._listening = listening
        self._use_limit = limit
        self._use_capture = capture
        self._changing = asyncio.Lock()

    def add_to(self, api: Api) -> None:
        """The paths."""
        api.bind(livelink.LIST_FORMATS, self.list_formats)
        api.bind(livelink.SET_FORMATS, self.set_formats)

    async def follow(self, saved: SavedSwitches) -> None:
        """This is in force from now on; raises SaintError when a port cannot be opened."""
        for name, is_on in formats_on(self._config, saved).items():
            await self._listening.switch(name, is_on)
            if name == "capture":
                self._use_capture(is_on)
        self._use_limit(self._limit(saved))
        self.saved = saved

    def section(self) -> Section[SavedSwitches]:
        """For backups."""

        async def current() -> SavedSwitches:
            return self.saved

        async def check(_: SavedSwitches) -> list[str]:
            return []

        return Section("switches", SavedSwitches, VERSION, current, check, self._keep)

    def _told(self) -> FormatList:
        limit = self._limit(self.saved)
        return FormatList(formats=self._listening.told(), datagrams_per_second=limit)

    async def list_formats(self, _: Call[Nothing]) -> FormatList:
        return self._told()

    async def set_formats(self, call: Call[SetFormats]) -> FormatList:
        async with self._changing:
            wish, saved = call.body, self.saved
            wished = SavedSwitches(
                formats={**saved.formats, **wish.formats},
                datagrams_per_second=wish.datagrams_per_second or saved.datagrams_per_second,
            )
            await self._use(wished)
        return self._told()

    async def _keep(self, saved: SavedSwitches) -> None:
        async with self._changing:
            await self._use(saved)

    async def _use(self, saved: SavedSwitches) -> None:
        """What cannot be in force is not kept either."""
        async with AsyncExitStack() as undoing:  # whatever ends the attempt
            undoing.push_async_callback(self.follow, self.saved)
            await self.follow(saved)
            await asyncio.to_thread(self.store.save, saved)
            undoing.pop_all()

    def _limit(self, saved: SavedSwitches) -> int:
        return saved.datagrams_per_second or self._config.datagrams_per_second
