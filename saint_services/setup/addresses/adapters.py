"""Accesses the network interface and runs dnsmasq: a packet socket that receives the replies of
DHCP servers only, the kernel's reports of links, one child process. No rules.
"""

import array
import asyncio
import contextlib
import os
import socket
import struct
from collections.abc import Callable
from pathlib import Path

from . import dhcp

_ETH_P_IP = 0x0800  # linux/if_ether.h
_SO_ATTACH_FILTER, _RTMGRP_LINK = 26, 1  # asm-generic/socket.h, linux/rtnetlink.h
_BROADCAST = b"\xff" * 6
_MOST_AT_ONCE = 64
_LONGEST_BYTES = 2048
_STOP_LIMIT_S = 3.0
# Only unfragmented UDP from port 67 wakes the process: the bus is on the same interface.
_FILTER = (
    (0x30, 0, 0, 9),  # A = protocol
    (0x15, 0, 6, 17),  # UDP, else none
    (0x28, 0, 0, 6),  # A = flags and offset
    (0x45, 4, 0, 0x1FFF),  # a later fragment: none
    (0xB1, 0, 0, 0),  # X = bytes of the header
    (0x48, 0, 0, 0),  # A = source port
    (0x15, 0, 1, dhcp.SERVER_PORT),
    (0x06, 0, 0, 0xFFFF),  # all
    (0x06, 0, 0, 0),  # none
)


def has_link(interface: str, root: Path = Path("/sys/class/net")) -> bool:
    """Return whether the interface exists, is up and has a carrier."""
    try:
        return (root / interface / "carrier").read_text(encoding="ascii").strip() == "1"
    except OSError:  # the kernel refuses to read it while the interface is down
        return False


def mac_address(interface: str, root: Path = Path("/sys/class/net")) -> str:
    """Return the hardware address, twelve digits; zeros without one."""
    with contextlib.suppress(OSError):
        digits = (root / interface / "address").read_text(encoding="ascii").strip().replace(":", "")
        if len(digits) == 12 and int(digits, 16):
            return digits.lower()
    return "0" * 12


class LinkReports:
    """Calls `on_change` whenever the kernel reports a change of any interface."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        self._on_change = on_change
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_NONBLOCK, 0)
        self._socket.bind((0, _RTMGRP_LINK))
        asyncio.get_running_loop().add_reader(self._socket, self._read)

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # ENOBUFS: reports were lost, so look as well
            for _ in range(_MOST_AT_ONCE):
                self._socket.recv(_LONGEST_BYTES)
        self._on_change()

    def close(self) -> None:
        """Stop listening."""
        asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()


class PacketSocket:
    """Sends searches on one interface and calls `on_packet` when replies wait."""

    def __init__(self, interface: str, on_packet: Callable[[], None]) -> None:
        self._interface = interface
        self._on_packet = on_packet
        self._socket: socket.socket | None = None

    def search(self, number: int) -> str:
        """Send a search; return why that failed, empty when it is sent."""
        try:
            opened = self._socket or self._open()
            mac = bytes.fromhex(mac_address(self._interface))
            to = (self._interface, _ETH_P_IP, 0, 0, _BROADCAST)
            opened.sendto(dhcp.discover(mac, number), to)
        except OSError as err:
            self.close()
            return err.strerror or type(err).__name__
        return ""

    def _open(self) -> socket.socket:
        # Without a protocol until the filter is in place: nothing else may be queued before.
        opened = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK, 0)
        try:
            program = array.array("B", b"".join(struct.pack("HBBI", *each) for each in _FILTER))
            address, _ = program.buffer_info()
            opened.setsockopt(
                socket.SOL_SOCKET, _SO_ATTACH_FILTER, struct.pack("HP", len(_FILTER), address)
            )
            opened.bind((self._interface, _ETH_P_IP))
        except OSError:
            opened.close()
            raise
        asyncio.get_running_loop().add_reader(opened, self._on_packet)
        self._socket = opened
        return opened

    def replies(self) -> list[dhcp.DhcpServer]:
        """Return the servers that have replied since the last call."""
        found = []
        try:
            for _ in range(_MOST_AT_ONCE if self._socket else 0):
                assert self._socket is not None
                packet, (_, _, _, _, mac) = self._socket.recvfrom(_LONGEST_BYTES)
                if server := dhcp.decode(packet, mac.hex(":")):
                    found.append(server)
        except BlockingIOError:
            pass
        except OSError:  # the interface went down; a search opens the socket again
            self.close()
        return found

    def close(self) -> None:
        """Close the socket; the next search opens it again."""
        if self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket)
            self._socket.close()
            self._socket = None


class DnsmasqProcess:
    """dnsmasq as a child, with one lease time."""

    def __init__(self, command: tuple[str, ...], on_end: Callable[[], None]) -> None:
        self._command = command
        self._on_end = on_end
        self._process: asyncio.subprocess.Process | None = None
        self._watch: asyncio.Task[None] | None = None

    @property
    def has_ended(self) -> bool:
        """Whether it ended by itself."""
        return self._process is not None and self._process.returncode is not None

    async def start(self, *options: str) -> None:
        """Start it."""
        self._process = await asyncio.create_subprocess_exec(
            *self._command, *options, stdin=asyncio.subprocess.DEVNULL
        )
        self._watch = asyncio.create_task(self._wait(self._process), name="dnsmasq")

    async def _wait(self, process: asyncio.subprocess.Process) -> None:
        await process.wait()
        self._on_end()

    async def stop(self) -> None:
        """Stop it, and wait until it is gone."""
        process, self._process = self._process, None
        if process is None or self._watch is None:
            return
        if process.returncode is None:
            process.terminate()
        done, _ = await asyncio.wait({self._watch}, timeout=_STOP_LIMIT_S)
        if not done:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await self._watch


def random_number() -> int:
    """Return 32 random bits, the number of a search."""
    return int.from_bytes(os.urandom(4))
