"""Knows which machine this is, and under which address nodes reach it."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass

from ...lib.machine import computer

# Any address of the internal network: the route to it shows this machine's; nothing is sent.
_INTERNAL_PEER = "192.168.10.2"
_SERVER = "server"


@dataclass(frozen=True, slots=True)
class LocalMachine:
    """This machine."""

    own: str  # its name among the machines; empty: not part of roll-outs
    is_self_updating: bool  # a server only; on a machine that is a node too, noded updates it
    is_alone: bool  # the bus is bound to loopback, and so are the addresses
    hardware_rev: str = ""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "LocalMachine":
        """Read the environment. Blocks."""
        kind = environment.get("SAINT_MACHINE", "")
        own = ""
        if kind == "server":
            own = _SERVER
        elif kind == "both":
            own = computer.own_node(environment)
        interface = environment.get("SAINT_DDS_INTERFACE") or "lo"
        revision = computer.hardware().revision
        return cls(own, kind == "server", interface == "lo", revision)

    async def address(self, configured: str) -> str:
        """Return the address for nodes; it may change while otad runs."""
        if configured:
            return configured
        if self.is_alone:
            return "127.0.0.1"
        found = await asyncio.to_thread(computer.address, _INTERNAL_PEER)
        return found or "192.168.10.1"
