"""Cuts the power of the server, or of the whole robot, at each point of an adoption: before and
after everything that is written to its disk or passes between it and the node.
"""

import asyncio
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from saint_services.lib.api import orders
from saint_services.lib.api.orders import OrderKind
from saint_services.lib.bus.local import LocalBus, LocalDomain
from saint_services.lib.crypto import signing
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated import saint_msgs as msgs
from saint_services.lib.generated import topics
from saint_services.lib.machine.service_manager import Directories
from tests.unit.adoptiond.adoption_rig import FakeNode, Robot

_DISK = ((os, "write"), (os, "fsync"), (Path, "replace"))


class TrustingNode(FakeNode):
    """A node that reports its server, and forgets it with the power unless it holds a role."""

    def __init__(self, domain: LocalDomain, node_id: str) -> None:
        super().__init__(domain, node_id)
        self.code = ""
        self._met: tuple[str, str] = ("", "")
        self._trust = self.bus.publisher(topics.NODE_TRUST.at(node_id=node_id))

    def live(self) -> None:
        name = "SAINT-01" if self.server_key else ""
        public = self.key.public
        self._trust.publish(msgs.NodeTrust(self.node_id, public, name, self.server_key, self.code))
        super().live()

    def lose_power(self, *, between: bool) -> None:
        """The server's key is stored after the first role; `between`: the power fails there."""
        if between or not self.role:
            self.server_key = self.code = ""

    def _obeyed(
        self, order: msgs.SignedOrder_Request, answer: msgs.SignedOrder_Response
    ) -> BaseModel:
        if order.kind == OrderKind.MEET:
            self._met = order.server_key, signing.nonce()
            return orders.MeetReply(nonce=self._met[1])
        if order.kind == OrderKind.BIND:
            nonce = orders.BindOrder.model_validate_json(order.body).nonce
            key, ours = self._met
            self.code = signing.pairing_code(key, self.key.public, nonce, ours)
        return super()._obeyed(order, answer)


class ServerCut:
    """Cuts the power at the n-th point; what is on the disk then is in `snapshot`."""

    def __init__(self, robot: Robot, at: int, node: TrustingNode, without: str) -> None:
        self.count = 0
        self.is_cut = False
        self.snapshot = robot.root / "snapshot"
        self._state = robot.directories.state
        self._at = at
        self._node = node
        self._without = without  # power: "server", "robot", or a robot between two writes
        self._is_armed = False

    def arm(self) -> None:
        """Count from now on."""
        self._is_armed = True

    def point(self) -> bool:
        """Pass a point; return whether the power is off."""
        if self._is_armed and not self.is_cut:
            if self.count == self._at:
                shutil.copytree(self._state, self.snapshot)
                if self._without != "server":
                    self._node.lose_power(between=self._without == "between")
                self.is_cut = True
            self.count += 1
        return self.is_cut

    def cut_disk(self, patch: pytest.MonkeyPatch) -> None:
        """Make everything that reaches the disk a point."""
        for owner, name in _DISK:
            patch.setattr(owner, name, self._counted(getattr(owner, name)))

    def _counted(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            if self.point():
                raise OSError(5, "the power is off")
            return real(*args, **kwargs)

        return counted

    def cut_bus(self, bus: LocalBus, patch: pytest.MonkeyPatch) -> None:
        """Make each request to the node, and each reply, a point."""
        real = bus.call

        async def call(service: Any, request: Any, timeout_s: float) -> Any:
            if not await asyncio.to_thread(self.point):
                reply = await real(service, request, timeout_s)
                if not await asyncio.to_thread(self.point):
                    return reply
            raise SaintError(Code.BUS_TIMEOUT, "the power is off")

        patch.setattr(bus, "call", call)

    def directories(self, before: Directories) -> Directories:
        """Return where the next start finds what was on the disk."""
        return replace(before, state=self.snapshot, runtime=before.runtime.parent / "run-again")
