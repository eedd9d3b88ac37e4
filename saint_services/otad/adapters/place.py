"""Where we are: which machine this is, and under which address nodes reach us."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass

from ...lib.machine import computer

# Any address of the internal network: shows which of ours is on it; nothing is sent there.
_INTERNAL_PEER = "192.168.10.2"
_SERVER = "server"


@dataclass(frozen=True, slots=True)
class Place:
    """This machine."""

    own: str  # its name among the machines; empty: it takes no part in roll-outs
    is_self_updating: bool  # only a server; on a machine that is a node too, noded does it
    is_alone: bool  # the bus keeps to this machine, so do its addresses

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Place":
        """Blocks."""
        kind = environment.get("SAINT_MACHINE", "")
        own = ""
        if kind == "server":
            own = _SERVER
        elif kind == "both":
            own = environment.get("SAINT_NODE_ID") or computer.hardware_id()
        interface = environment.get("SAINT_DDS_INTERFACE") or "lo"
        return cls(own, kind == "server", interface == "lo")

    async def address(self, configured: str) -> str:
        """As nodes are told it; it may change while we run."""
        if configured:
            return configured
        if self.is_alone:
            return "127.0.0.1"
        found = await asyncio.to_thread(computer.address, _INTERNAL_PEER)
        return found or "192.168.10.1"
