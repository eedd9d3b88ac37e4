"""Keeps datagrams of other computers away from a bus that is local to this machine: the library
receives on every address, so the kernel drops each datagram whose sender is not a loopback address.
Not here: which network the bus uses (settings.py).
"""

import contextlib
import ctypes
import os
import socket
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

from ...errors import SaintError
from ...generated.errors import Code

_ATTACH = 26  # SO_ATTACH_FILTER (asm-generic/socket.h)
_SENDER = 0xFFF0_0000 + 12  # SKF_NET_OFF (linux/filter.h): source address in the IPv4 header
_LOAD_WORD, _AND, _JUMP_EQUAL, _RETURN = 0x20, 0x54, 0x15, 0x06
_PROGRAM = (
    (_LOAD_WORD, 0, 0, _SENDER),
    (_AND, 0, 0, 0xFF00_0000),
    (_JUMP_EQUAL, 0, 1, 0x7F00_0000),
    (_RETURN, 0, 0, 0xFFFF_FFFF),
    (_RETURN, 0, 0, 0),
)
# Ports of a domain: DDSI-RTPS 2.3, 9.6.1.1.
_FIRST_PORT, _PORTS_OF_DOMAIN = 7400, 250
_OPEN = Path("/proc/self/fd")


@contextlib.contextmanager
def local_only(domain: int) -> Iterator[None]:
    """Filter the sockets that the library opens in this context to local senders. Raises
    bus_unavailable if a socket cannot be filtered. Blocks; for Linux.
    """
    before = _descriptors()
    yield
    ports = range(
        _FIRST_PORT + domain * _PORTS_OF_DOMAIN, _FIRST_PORT + (domain + 1) * _PORTS_OF_DOMAIN
    )
    for descriptor in _descriptors() - before:
        with contextlib.suppress(OSError):  # closed again, or not a socket
            _filter(descriptor, ports)


def refuse_others(sock: socket.socket) -> None:
    """Make a socket receive datagrams from loopback addresses only."""
    code = b"".join(struct.pack("=HBBI", *each) for each in _PROGRAM)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(_PROGRAM), ctypes.addressof(buffer))
    try:
        sock.setsockopt(socket.SOL_SOCKET, _ATTACH, program)
    except OSError as err:
        text = f"the bus cannot be kept to this machine: {err.strerror}"
        fix = "Allow socket filters, or name the interface with SAINT_DDS_INTERFACE."
        raise SaintError(Code.BUS_UNAVAILABLE, text, fix=fix) from err


def _filter(descriptor: int, ports: range) -> None:
    with socket.socket(fileno=os.dup(descriptor)) as sock:
        if sock.family is not socket.AF_INET or sock.type is not socket.SOCK_DGRAM:
            return
        address, port = sock.getsockname()
        if address == "0.0.0.0" and port in ports:
            refuse_others(sock)


def _descriptors() -> set[int]:
    if sys.platform != "linux":
        return set()
    return {int(path.name) for path in _OPEN.iterdir()}
