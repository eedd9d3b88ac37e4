"""Receives the firmware reports of nodes, sends them update requests, and reads from the registry
which nodes are online. Not here: what follows from it (rollout/).
"""

import asyncio
import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ...lib.api.adoption import LIST_NODES, NodeInfo
from ...lib.api.endpoint import Nothing
from ...lib.api.orders import SIGN_OFFER, UPDATE, UpdateNode, UpdateOrder, offer_in
from ...lib.bus import Bus, Sample, Subscription
from ...lib.bus.graph_scans import GraphScans
from ...lib.errors import Code, SaintError
from ...lib.generated import topics
from ...lib.generated.saint_msgs import (
    FirmwareCheck_Request,
    FirmwareCheck_Response,
    FirmwareStatus,
    UpdateNode_Request,
)
from ...lib.ipc import Client
from ...lib.machine.computer import is_token
from ..rollout.fleet import MOST_MACHINES
from ..rollout.logic import UpdateRequest
from ..views import StoredRelease

DISCOVER_INTERVAL_S = 2.0
REQUEST_LIMIT_S = 10.0
_CLEAN_EVERY = 30  # rounds
_REGISTRY_LIMIT_S = 2.0
_TOPIC = re.compile(r"/saint/nodes/([^/]+)/firmware")

Receive = Callable[[str, FirmwareStatus, float], bool]
Register = Callable[[list[NodeInfo] | None], set[str]]


class NodeFirmwareClient:
    """The firmware of all nodes except this machine."""

    def __init__(self, bus: Bus, runtime: Path, own: str, counters: Counter[str]) -> None:
        self._bus = bus
        self._graph_scans = GraphScans(bus)
        self._own = own
        self._counters = counters
        self._registry = Client(runtime / "adoptiond.sock")
        self._subscriptions: dict[str, Subscription] = {}

    async def close(self) -> None:
        """Close the connection to the registry; the bus closes the subscriptions."""
        await self._registry.close()

    async def request(self, request: UpdateRequest, release: StoredRelease | None, url: str) -> str:
        """Request a node to update; return its message. Raises SaintError when the node refuses or
        does not answer."""
        order = UpdateOrder(
            action="rollback" if request.is_rollback else "install",
            version=request.version,
            url=url,
            checksum_sha256=release.release.checksum_sha256 if release else "",
            size_bytes=release.release.size_bytes if release else 0,
            force=request.is_forced,
        )
        try:
            # The registry holds the key that nodes obey.
            wanted = UpdateNode(node_id=request.node_id, **order.model_dump())
            done = await self._registry.request(UPDATE, wanted)
        except SaintError as err:
            if err.code is not Code.NOT_FOUND:
                raise
            return await self._request_unsigned(request.node_id, order)
        return done.message[:400]

    async def offer_signature(
        self, request: FirmwareCheck_Request, answer: FirmwareCheck_Response
    ) -> str:
        """Return this server's signature of an offer; empty where the node belongs to another one,
        or where nobody can sign."""
        try:
            offer = offer_in(request, answer)
            return (await self._registry.request(SIGN_OFFER, offer)).signature
        except (SaintError, ValueError):
            self._counters["offers_unsigned"] += 1
            return ""

    async def _request_unsigned(self, node_id: str, order: UpdateOrder) -> str:
        """Send an unsigned request: a node that no server has adopted obeys it, any other one
        refuses."""
        request = UpdateNode_Request(node_id=node_id, **order.model_dump())
        service = topics.NODE_UPDATE.at(node_id=node_id)
        answer = await self._bus.call(service, request, REQUEST_LIMIT_S)
        if not answer.success:
            raise SaintError(Code.REFUSED, answer.message[:400])
        return answer.message[:400]

    async def watch(self, receive: Receive, register: Register) -> None:
        """Subscribe to the nodes' reports until stopped. `receive` returns False for a refused
        report; `register` receives None while the registry does not answer, and returns the known
        nodes."""
        rounds = 0
        while True:
            known = register(await self._registered())
            names = self._bus.graph().topics if self._graph_scans.is_due() else ()
            shown = (_TOPIC.fullmatch(name) for name in names)
            for node_id in {*known, *(found[1] for found in shown if found)}:
                self._listen(node_id, receive)
            rounds += 1
            if rounds % _CLEAN_EVERY == 0:
                self._close_unknown(known)
            await asyncio.sleep(DISCOVER_INTERVAL_S)

    async def _registered(self) -> list[NodeInfo] | None:
        try:
            reply = self._registry.request(LIST_NODES, Nothing(), timeout_s=_REGISTRY_LIMIT_S)
            return (await reply).nodes
        except SaintError:
            self._counters["registry_silent"] += 1
            return None

    def _listen(self, node_id: str, receive: Receive) -> None:
        if node_id in self._subscriptions or node_id == self._own or not is_token(node_id):
            return
        if len(self._subscriptions) >= 2 * MOST_MACHINES:
            self._counters["nodes_not_listened_to"] += 1
            return
        self._subscriptions[node_id] = self._bus.subscribe(
            topics.NODE_FIRMWARE.at(node_id=node_id), partial(self._received, node_id, receive)
        )

    def _close_unknown(self, known: set[str]) -> None:
        """Close the subscriptions of nodes that the registry does not know: this daemon's own
        subscriptions show in the graph too."""
        for node_id in self._subscriptions.keys() - known:
            self._subscriptions.pop(node_id).close()
            self._graph_scans.renew()

    def _received(self, node_id: str, receive: Receive, sample: Sample[FirmwareStatus]) -> None:
        if not receive(node_id, sample.message, sample.received_s):
            self._counters["statuses_refused"] += 1
