"""Connects the rules with the interface and with dnsmasq, until stopped."""

import asyncio
import contextlib
import math
from dataclasses import dataclass, field
from pathlib import Path

from ...lib import log
from ...lib.clock import monotonic_s
from ...lib.machine import address_status
from ...lib.machine.address_status import AddressStatus
from . import adapters, dhcp, text
from .logic import AddressGuard, Pace

DNSMASQ = "/usr/sbin/dnsmasq"
RANGE = "192.168.10.10,192.168.10.254,255.255.255.0"
_log = log.get("addresses")


class ServerEndedError(Exception):
    """dnsmasq ended by itself; systemd starts the service again, and it searches first."""


@dataclass(slots=True)
class AddressService:
    """Serves addresses on one interface while that is right."""

    interface: str
    config: Path  # of dnsmasq
    status_file: Path
    pace: Pace = field(default_factory=Pace)
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    _published: AddressStatus | None = None
    _lease: str = ""  # in force

    async def run(self) -> None:
        """Serve until cancelled. Raises ServerEndedError."""
        mark = dhcp.MARK_PREFIX + adapters.mac_address(self.interface)
        guard = AddressGuard(mark, self.pace)
        command = (
            *(DNSMASQ, "--keep-in-foreground", f"--conf-file={self.config}"),
            f"--dhcp-option-force={dhcp.MARK_OPTION},{mark}",
        )
        async with contextlib.AsyncExitStack() as closing:
            links = adapters.LinkReports(self._wake.set)
            closing.callback(links.close)
            packets = adapters.PacketSocket(self.interface, self._wake.set)
            closing.callback(packets.close)
            server = adapters.DnsmasqProcess(command, self._wake.set)
            closing.push_async_callback(server.stop)
            while True:
                self._wake.clear()
                await self._turn(guard, packets, server)
                wait_s = guard.due_s(monotonic_s()) - monotonic_s()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(None if wait_s == math.inf else max(0.0, wait_s)):
                        await self._wake.wait()

    async def _turn(
        self,
        guard: AddressGuard,
        packets: adapters.PacketSocket,
        server: adapters.DnsmasqProcess,
    ) -> None:
        """Look at everything once; replies before the time, so that a late turn misses none."""
        if server.has_ended:
            raise ServerEndedError
        guard.link(is_up=adapters.has_link(self.interface), now_s=monotonic_s())
        for other in packets.replies():
            guard.received(other, monotonic_s())
        if guard.is_due(monotonic_s()):
            guard.sent(monotonic_s(), packets.search(adapters.random_number()))
        lease = guard.lease(monotonic_s())
        if lease != self._lease:
            await server.stop()
            if lease:
                await server.start(f"--dhcp-range={RANGE},{lease}")
            self._lease = lease
        self._publish(text.status(guard, self.interface))

    def _publish(self, status: AddressStatus) -> None:
        if status == self._published:
            return
        address_status.write(self.status_file, status)
        if status.text:
            _log.warning("addresses on the robot's network", state=status.state, reason=status.text)
        else:
            _log.info("addresses on the robot's network", state=status.state)
        self._published = status
