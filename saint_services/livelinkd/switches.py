"""Enables formats and limits one sender's rate at an admin's request: applied at once, persisted,
with precedence over livelinkd.yaml. Not here: sockets (listeners), limits (senders).
"""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack

from pydantic import Field

from ..lib.api import livelink
from ..lib.api.endpoint import Nothing
from ..lib.api.livelink import FormatList, FormatName, Rate, SetFormats
from ..lib.backup.sections import Section
from ..lib.ipc import Api, Call
from ..lib.state import StateStore
from ..lib.strict import StrictModel
from .config import Config
from .listeners.listeners import Listeners, formats_of

VERSION = 1
FILE = "switches.json"


class SavedSwitches(StrictModel):
    """switches.json: only what an admin has set over livelinkd.yaml."""

    formats: dict[FormatName, bool] = Field(default={}, max_length=6)
    datagrams_per_second: Rate | None = None


def formats_on(config: Config, saved: SavedSwitches) -> dict[str, bool]:
    """Return which formats are on."""
    given = {str(name): is_on for name, is_on in saved.formats.items()}
    return {name: given.get(name, each.enabled) for name, each in formats_of(config).items()}


class FormatSwitches:
    """Format switches and rate limit, applied and persisted."""

    def __init__(
        self,
        config: Config,
        store: StateStore[SavedSwitches],
        listeners: Listeners,
        limit: Callable[[int], None],
        capture: Callable[[bool], None],
    ) -> None:
        self.saved = SavedSwitches()
        self._config = config
        self.store = store
        self._listeners = listeners
        self._use_limit = limit
        self._use_capture = capture
        self._changing = asyncio.Lock()

    def add_to(self, api: Api) -> None:
        """Bind the handlers to their rows."""
        api.bind(livelink.LIST_FORMATS, self.list_formats)
        api.bind(livelink.SET_FORMATS, self.set_formats)

    async def apply(self, saved: SavedSwitches) -> None:
        """Apply these switches. Raises SaintError when a port cannot be opened."""
        for name, is_on in formats_on(self._config, saved).items():
            await self._listeners.switch(name, is_on)
            if name == "capture":
                self._use_capture(is_on)
        self._use_limit(self._limit(saved))
        self.saved = saved

    def section(self) -> Section[SavedSwitches]:
        """Return the section of a backup."""

        async def current() -> SavedSwitches:
            return self.saved

        async def check(_: SavedSwitches) -> list[str]:
            return []

        return Section("switches", SavedSwitches, VERSION, current, check, self._keep)

    def _list(self) -> FormatList:
        limit = self._limit(self.saved)
        return FormatList(formats=self._listeners.formats(), datagrams_per_second=limit)

    async def list_formats(self, _: Call[Nothing]) -> FormatList:
        return self._list()

    async def set_formats(self, call: Call[SetFormats]) -> FormatList:
        async with self._changing:
            body, saved = call.body, self.saved
            wanted = SavedSwitches(
                formats={**saved.formats, **body.formats},
                datagrams_per_second=body.datagrams_per_second or saved.datagrams_per_second,
            )
            await self._use(wanted)
        return self._list()

    async def _keep(self, saved: SavedSwitches) -> None:
        async with self._changing:
            await self._use(saved)

    async def _use(self, saved: SavedSwitches) -> None:
        """Apply and persist; restore the previous switches if either fails."""
        async with AsyncExitStack() as undoing:  # also when cancelled
            undoing.push_async_callback(self.apply, self.saved)
            await self.apply(saved)
            await asyncio.to_thread(self.store.save, saved)
            undoing.pop_all()

    def _limit(self, saved: SavedSwitches) -> int:
        return saved.datagrams_per_second or self._config.datagrams_per_second
