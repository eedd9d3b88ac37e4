"""One sender floods the port: the phone beside it is received without loss."""

import asyncio
import socket
import struct
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from saint_services.livelinkd.listeners.socket_filter import shut_out
from saint_services.livelinkd.senders.limits import FLOOD, FLOOD_S, MAX_FLOODS, Floods
from tests.unit.livelinkd.rig import CAPTURE, listening
from tests.waiting import every, until

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's socket filters")

_FLOOD = """
import contextlib, socket, sys
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.bind(("127.0.0.9", 0))
sender.connect(("127.0.0.1", int(sys.argv[1])))
for _ in range(50_000):
    with contextlib.suppress(OSError):
        sender.send(b"not a face " * 10)
"""
_PAUSE_S = 1 / 240  # four phones


def numbered(number: int) -> bytes:
    """A captured datagram with another frame number."""
    data = CAPTURE[0]
    at = len(data) - 61 * 4 - 1 - 16
    return data[:at] + struct.pack(">i", number) + data[at + 4 :]


@linux
@pytest.mark.timed
async def test_a_flood_of_50_000_does_not_delay_the_phone(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        ears.send(numbered(0))
        await until(lambda: len(ears.samples) == 1)
        port = str(ears.ports["llf"])
        flood = await asyncio.create_subprocess_exec(sys.executable, "-c", _FLOOD, port)
        ended = asyncio.create_task(flood.wait())
        async for sent in every(_PAUSE_S):
            if ended.done() and sent >= 60:
                break
            ears.send(numbered(sent + 1))
        found = await ears.subjects()
        longest_s = max(later - earlier for earlier, later in pairwise(ears.times_s))
        assert longest_s < 0.25  # half of the router's time-out; a few milliseconds when alone
        # Until the flood is noticed, the buffer may have been full: on a busy computer for long.
        assert found.sources[0].lost <= sent // 4
        reason = "the sender floods; its datagrams are dropped for 2 s"
        assert found.refused_by_sender["127.0.0.9"][reason] >= 1


def test_a_flood_is_what_goes_far_beyond_the_limit() -> None:
    floods = Floods()
    assert not any(floods.count("a", i * 3.0) for i in range(10 * FLOOD))  # now and then
    floods_begun = [floods.count("b", 1.0) for _ in range(FLOOD)]
    assert floods_begun == [False] * (FLOOD - 1) + [True]
    assert floods.senders == ["b"]
    assert not floods.over(1.0 + FLOOD_S - 0.1) and floods.over(1.0 + FLOOD_S)
    assert floods.senders == []


def test_forged_floods_are_bounded() -> None:
    floods = Floods()
    for i in range(500):
        for _ in range(FLOOD):
            floods.count(f"10.0.{i // 256}.{i % 256}", 1.0)
    assert len(floods.senders) == MAX_FLOODS and len(floods._excess) <= 64


@linux
@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_only_filtered_senders_are_dropped(family: socket.AddressFamily) -> None:
    """A socket of both families too, where IPv4 senders arrive with their own header."""
    with socket.socket(family, socket.SOCK_DGRAM) as ear:
        if family == socket.AF_INET6:
            ear.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        try:
            ear.bind(("::" if family == socket.AF_INET6 else "127.0.0.1", 0))
        except OSError:
            pytest.skip("no IPv6 here")
        ear.setblocking(False)
        port = ear.getsockname()[1]
        assert shut_out(ear, ["127.0.0.7", "127.0.0.8", "fe80::1", "2001:db8::5"])
        assert received(ear, port, "127.0.0.6") and received(ear, port, "127.0.0.9")
        assert not received(ear, port, "127.0.0.7") and not received(ear, port, "127.0.0.8")
        if family == socket.AF_INET6:
            assert received(ear, port, "::1")
            assert shut_out(ear, ["127.0.0.8", "::1"])
            assert not received(ear, port, "::1") and received(ear, port, "127.0.0.7")
        assert shut_out(ear, [])
        assert received(ear, port, "127.0.0.7")
        many = [f"127.0.1.{i}" for i in range(16)]
        assert shut_out(ear, many) and not received(ear, port, "127.0.1.15")


def received(ear: socket.socket, port: int, host: str) -> bool:
    """Loopback delivers while sending, so what is not there now never comes."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as sender:
        sender.bind((host, 0))
        sender.sendto(b"x", ("::1" if ":" in host else "127.0.0.1", port))
    try:
        return ear.recv(10) == b"x"
    except BlockingIOError:
        return False
