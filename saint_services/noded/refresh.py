"""Keeps an adopted node's configuration current: asks the server when it comes back, and now and
then. A server that is away changes nothing.
"""

import asyncio
from typing import Protocol

from ..lib.bus import Bus, Sample
from ..lib.errors import Code, SaintError
from ..lib.generated.saint_msgs import SystemStatus
from ..lib.generated.topics import SYSTEM_STATUS
from .lifecycle import model as lives
from .lifecycle.node import NodeLife
from .server.configuration import ConfigServer

_AWAY_S = 3.0  # three of its life signs


class Refreshed(Protocol):
    """The node that is kept current."""

    @property
    def life(self) -> NodeLife: ...

    server: ConfigServer

    def handle(self, event: lives.Event, slot: int = 0) -> None: ...

    async def rename(self, display_name: str) -> None: ...

    async def server_answers(self) -> None: ...


class Refresher:
    """Watches for the server."""

    def __init__(self, node: Refreshed, bus: Bus, interval_s: float) -> None:
        self._node = node
        self._interval_s = interval_s
        self._heard_s = float("-inf")
        self._origin = ""
        self._is_back = asyncio.Event()
        bus.subscribe(SYSTEM_STATUS, self._heard)

    async def refresh(self) -> None:
        """Forever."""
        while True:
            try:
                async with asyncio.timeout(self._interval_s):
                    await self._is_back.wait()
            except TimeoutError:
                pass
            self._is_back.clear()
            await self._check()

    def wake(self) -> None:
        """Ask the server now."""
        self._is_back.set()

    def _heard(self, sample: Sample[SystemStatus]) -> None:
        is_new = sample.origin != self._origin or sample.received_s - self._heard_s > _AWAY_S
        self._heard_s, self._origin = sample.received_s, sample.origin
        if is_new:
            self._is_back.set()

    async def _check(self) -> None:
        await self._node.server_answers()
        if not self._node.server.is_known:
            return  # its keys were lost; the server exchanges them again
        for slot, life in self._node.life.lives.items():
            if life.held and not await self._is_answered(slot, life.held):
                return  # it is away: the other roles wait too

    async def _is_answered(self, slot: int, held: lives.Assignment) -> bool:
        try:
            word = await self._node.server.fetch(held.wanted, known=held)
        except SaintError as err:
            if err.code is Code.BUS_TIMEOUT:
                return False
            self._node.handle(lives.ConfigChecked(notice=err.message), slot)
            return True
        await self._node.rename(word.display_name)
        self._node.handle(lives.ConfigChecked(newer=word.assignment), slot)
        return True
