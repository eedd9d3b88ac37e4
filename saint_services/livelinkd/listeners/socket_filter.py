"""Makes the kernel drop datagrams of some senders before they fill the socket's buffer, as a flood
would otherwise crowd out a phone. Linux only; elsewhere only the senders' rate limits apply. Not
here: which senders (senders/limits.py).
"""

import contextlib
import ctypes
import ipaddress
import socket
import struct
import sys
from collections.abc import Sequence

MOST = 16  # jumps of a filter reach 255 instructions

_ATTACH, _DETACH = 26, 27  # SO_ATTACH_FILTER, SO_DETACH_FILTER (asm-generic/socket.h)
_HEADER = 0xFFF0_0000  # SKF_NET_OFF (linux/filter.h): offsets from here are in the IP header
_INSTRUCTION = struct.Struct("=HBBI")
# Operations of classic BPF: load byte or word at, and, jump if equal, return.
_LOAD_BYTE, _LOAD_WORD, _AND, _JUMP_EQUAL, _RETURN = 0x30, 0x20, 0x54, 0x15, 0x06
_DROP, _ACCEPT = 0, 0xFFFF_FFFF
_SOURCE_4, _SOURCE_6 = _HEADER + 12, _HEADER + 8

Instruction = tuple[int, int, int, int]  # operation, jumps if true and if false, value


def drop_all(sock: socket.socket) -> bool:
    """Drop everything that arrives at the socket. Return False where that is not supported."""
    return _attach(sock, [(_RETURN, 0, 0, _DROP)])


def remove_filter(sock: socket.socket) -> None:
    """Accept all senders again."""
    shut_out(sock, [])


def shut_out(sock: socket.socket, ips: Sequence[str]) -> bool:
    """Drop datagrams of `ips`, and of no others. Return False where that is not supported."""
    if sys.platform == "linux" and not ips:
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, _DETACH, 0)
            return True
        return False
    return _attach(sock, _program(ips[:MOST]))


def _attach(sock: socket.socket, instructions: list[Instruction]) -> bool:
    if sys.platform != "linux":
        return False
    with contextlib.suppress(OSError):
        filter_ = b"".join(_INSTRUCTION.pack(*each) for each in instructions)
        buffer = ctypes.create_string_buffer(filter_, len(filter_))
        count = len(filter_) // _INSTRUCTION.size
        program = struct.pack("@HP", count, ctypes.addressof(buffer))
        sock.setsockopt(socket.SOL_SOCKET, _ATTACH, program)
        return True
    return False


def _program(ips: Sequence[str]) -> list[Instruction]:
    addresses = [ipaddress.ip_address(ip.partition("%")[0]) for ip in ips]
    four: list[Instruction] = [(_LOAD_WORD, 0, 0, _SOURCE_4)]
    six: list[Instruction] = []
    for address in addresses:
        if address.version == 4:
            four += [(_JUMP_EQUAL, 0, 1, int(address)), (_RETURN, 0, 0, _DROP)]
            continue
        for word in range(4):
            value = int.from_bytes(address.packed[word * 4 : word * 4 + 4], "big")
            to_next = (3 - word) * 2 + 1
            six += [(_LOAD_WORD, 0, 0, _SOURCE_6 + word * 4), (_JUMP_EQUAL, 0, to_next, value)]
        six.append((_RETURN, 0, 0, _DROP))
    four.append((_RETURN, 0, 0, _ACCEPT))
    return [
        (_LOAD_BYTE, 0, 0, _HEADER),
        (_AND, 0, 0, 0xF0),
        (_JUMP_EQUAL, 0, len(four), 0x40),
        *four,
        *six,
        (_RETURN, 0, 0, _ACCEPT),
    ]
