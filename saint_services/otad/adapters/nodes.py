"""The nodes on the bus: hears what each tells of its firmware, asks one to update itself; and the
registry's word on who is there. Not here: what follows from it (fleet.py, logic.py).
"""

import asyncio
import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ...lib.api.adoption import LIST_NODES, NodeInfo
from ...lib.api.endpoint import Nothing
from ...lib.api.orders import UPDATE, UpdateNode, UpdateOrder
from ...lib.bus import Bus, Sample, Subscription
from ...lib.errors import Code, SaintError
from ...lib.generated import topics
from ...lib.generated.saint_msgs import FirmwareStatus, UpdateNode_Request
from ...lib.ipc import Client
from ...lib.machine.computer import is_token
from ..rollout.fleet import MOST_MACHINES
from ..rollout.logic import UpdateRequest
from ..views import Stored

LOOK_EVERY_S = 2.0
ASK_LIMIT_S = 10.0
_IGNORE_EVERY = 30  # looks
_REGISTRY_LIMIT_S = 2.0
_TOPIC = re.compile(r"/saint/nodes/([^/]+)/firmware")

Hear = Callable[[str, FirmwareStatus, float], bool]
Register = Callable[[list[NodeInfo] | None], set[str]]


class Nodes:
    """All nodes but this machine."""

    def __init__(self, bus: Bus, runtime: Path, own: str, counters: Counter[str]) -> None:
        self._bus = bus
        self._own = own
        self._counters = counters
        self._registry = Client(runtime / "adoptiond.sock")
        self._heard: dict[str, Subscription] = {}

    async def close(self) -> None:
        """The bus closes the rest."""
        await self._registry.close()

    async def request(self, ask: UpdateRequest, release: Stored | None, url: str) -> str:
        """Request a node to update; return its message. Raises SaintError when the node refuses or
        does not answer."""
        order = UpdateOrder(
            action="rollback" if ask.is_rollback else "install",
            version=ask.version,
            url=url,
            checksum_sha256=release.release.checksum_sha256 if release else "",
            size_bytes=release.release.size_bytes if release else 0,
            force=ask.is_forced,
        )
        try:
            # The registry has the key that nodes obey.
            wanted = UpdateNode(node_id=ask.node_id, **order.model_dump())
            done = await self._registry.request(UPDATE, wanted)
        except SaintError as err:
            if err.code is not Code.NOT_FOUND:
                raise
            return await self._request_unsigned(ask.node_id, order)
        return done.message[:400]

    async def _request_unsigned(self, node_id: str, order: UpdateOrder) -> str:
        """A node that no server has adopted obeys unsigned requests; any other one refuses."""
        request = UpdateNode_Request(node_id=node_id, **order.model_dump())
        service = topics.NODE_UPDATE.at(node_id=node_id)
        answer = await self._bus.call(service, request, ASK_LIMIT_S)
        if not answer.success:
            raise SaintError(Code.REFUSED, answer.message[:400])
        return answer.message[:400]

    async def watch(self, hear: Hear, register: Register) -> None:
        """For ever. `hear` returns False for what it refuses; `register`, told None while the
        registry is silent, returns whom it knows.
        """
        looks = 0
        while True:
            known = register(await self._registered())
            shown = (_TOPIC.fullmatch(topic) for topic in self._bus.graph().topics)
            for node_id in {*known, *(found[1] for found in shown if found)}:
                self._listen(node_id, hear)
            looks += 1
            if looks % _IGNORE_EVERY == 0:
                self._ignore(known)
            await asyncio.sleep(LOOK_EVERY_S)

    async def _registered(self) -> list[NodeInfo] | None:
        try:
            asked = self._registry.request(LIST_NODES, Nothing(), timeout_s=_REGISTRY_LIMIT_S)
            return (await asked).nodes
        except SaintError:
            self._counters["registry_silent"] += 1
            return None

    def _listen(self, node_id: str, hear: Hear) -> None:
        if node_id in self._heard or node_id == self._own or not is_token(node_id):
            return
        if len(self._heard) >= 2 * MOST_MACHINES:
            self._counters["nodes_not_listened_to"] += 1
            return
        self._heard[node_id] = self._bus.subscribe(
            topics.NODE_FIRMWARE.at(node_id=node_id), partial(self._told, node_id, hear)
        )

    def _ignore(self, known: set[str]) -> None:
        """Our own ears show in the graph too: close those of nodes that nobody knows."""
        for node_id in self._heard.keys() - known:
            self._heard.pop(node_id).close()

    def _told(self, node_id: str, hear: Hear, sample: Sample[FirmwareStatus]) -> None:
        if not hear(node_id, sample.message, sample.received_s):
            self._counters["statuses_refused"] += 1
