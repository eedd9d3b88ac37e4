"""Hostile bytes and floods on the ports of the bridge for menlo-sdk: counted, without motion, and
without growing memory.
"""

import asyncio
import gc
import socket
import struct
import tracemalloc
from collections.abc import AsyncIterator
from random import Random
from typing import Any

import pytest

from saint_services.client.menlo.__main__ import SdkPorts, SdkServer
from saint_services.client.menlo.hold import SdkHold
from saint_services.lib.walker.codec import encode_command
from saint_services.lib.walker.model import Protocol, WalkCommand, WalkMode
from tests.waiting import every, until
from tools.fuzz.menlo import LEGS

SEED = 20261126
ALLOWED, OTHER = "127.0.0.1", "127.0.0.2"
STAND = encode_command(Protocol.IO, WalkCommand(WalkMode.STAND, sequence=1))
WALK = encode_command(Protocol.IO, WalkCommand(WalkMode.MOVE, 0.3, sequence=1))


def policy(*numbers: float) -> bytes:
    """Mode 2 with velocities, protocol version 1, written by hand."""
    fields = b"".join(
        bytes((number << 3 | 5,)) + struct.pack("<f", value)
        for number, value in enumerate(numbers, 1)
    )
    return b"\x08\x02\x1a" + bytes((len(fields),)) + fields + b"\x40\x01"


HOSTILE = {
    "empty": b"",
    "cut": WALK[:-1],
    "NaN": policy(float("nan")),
    "infinite": policy(0.0, float("inf")),
    "minus infinite": policy(0.0, 0.0, float("-inf")),
    "mode beyond its range": b"\x08\xff\xff\xff\xff\x0f\x40\x01",
    "fault as a mode": b"\x08\x05\x40\x01",
    "velocities as a number": b"\x08\x02\x18\x01\x40\x02",
    "no version": b"\x08\x02",
    "another version": b"\x08\x02\x40\x02",
    "joint targets": b"\x08\x02\x10\x01\x40\x01",
    "oversized": WALK + b"\x7a\x90\x4e" + bytes(10_000),
    "length without end": b"\x1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    "nested groups": b"\x0b" * 1500,
    "text": b"GET /api/version HTTP/1.1\r\n\r\n",
}


def server() -> SdkServer:
    return SdkServer(ALLOWED, SdkPorts(), SdkHold())


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_hostile_datagram_is_counted_and_commands_nothing(data: bytes) -> None:
    made = server()
    made.received(data, ALLOWED)
    assert made.malformed == 1
    assert made.hold.command(0.0) is None


def test_mode_of_a_wrong_type_damps() -> None:
    made = server()
    made.received(b"\x0a\x01\x02\x40\x01", ALLOWED)  # as an unknown field: the mode is 0
    command = made.hold.command(made.hold._at_s)
    assert command is None or command.mode is WalkMode.DAMP


def test_hostile_datagrams_leave_what_the_program_has_commanded() -> None:
    made = server()
    made.received(STAND, ALLOWED)
    for data in HOSTILE.values():
        made.received(data, ALLOWED)
        made.received(WALK, OTHER)
    command = made.hold.command(made.hold._at_s)
    assert command is not None
    assert command.mode is WalkMode.STAND


def test_flood_costs_no_memory() -> None:
    made, rng = server(), Random(SEED)
    texts = [rng.randbytes(rng.randrange(1400)) for _ in range(50)]
    for data in (*texts, STAND):
        made.received(data, ALLOWED)
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for number in range(5000):
        made.received(texts[number % 50], ALLOWED)
        made.received(STAND, OTHER)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 32_768
    assert made.refused == 5000


def test_numbers_of_a_server_that_are_not_finite_are_not_sent() -> None:
    from saint_services.client.menlo.states import walk_state

    nan = float("nan")
    for wrong in ([None] * 12, [nan] * 12, [0.1] * 11, [0.1] * 13, None):
        state = walk_state(LEGS | {"velocities": wrong}, 1, 2)
        assert state is not None
        assert (state.joint_vel, len(state.joint_pos)) == ((), 12)
    flooded = walk_state(LEGS | {"active_alerts": LEGS["active_alerts"] * 99}, 1, 2)  # type: ignore[operator]
    assert flooded is not None
    assert len(flooded.alerts) == 48


@pytest.fixture
async def ports() -> AsyncIterator[tuple[SdkServer, int, int]]:
    """A bridge on free ports of loopback: the server, its port for commands, for the version."""
    made = SdkServer(ALLOWED, SdkPorts(0, 9, 0), SdkHold())
    await made.open("0.0.0.0")
    commands, version = made._opened[0], made._opened[2]
    port = commands.get_extra_info("sockname")[1]
    yield made, port, version.sockets[0].getsockname()[1]
    made.close()


def sender(address: str) -> socket.socket:
    opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    opened.bind((address, 0))
    return opened


async def test_damping_arrives_after_floods_of_both_senders(ports: Any) -> None:
    made, port, _ = ports
    rng = Random(SEED)
    damp = encode_command(Protocol.IO, WalkCommand(WalkMode.DAMP, sequence=9))
    with sender(ALLOWED) as allowed, sender(OTHER) as other:
        async for _ in every(0.002, times=40):
            for _ in range(20):
                other.sendto(WALK, (ALLOWED, port))
                allowed.sendto(rng.randbytes(rng.randrange(1, 1400)), (ALLOWED, port))
        await until(lambda: made.refused > 100 and made.malformed > 100)
        assert made.hold.command(made.hold._at_s) is None
        allowed.sendto(damp, (ALLOWED, port))

        def is_damped() -> bool:
            allowed.sendto(damp, (ALLOWED, port))
            command = made.hold.command(made.hold._at_s)
            return command is not None and command.mode is WalkMode.DAMP

        await until(is_damped)


async def test_requests_that_say_nothing_are_bounded(ports: Any) -> None:
    made, _, port = ports
    opened = [await asyncio.open_connection(ALLOWED, port) for _ in range(12)]
    await until(lambda: made.refused == 4)
    assert made.requests == 8
    for _, writer in opened:
        writer.close()
    await until(lambda: made.requests == 0)
    reader, writer = await asyncio.open_connection(ALLOWED, port)
    writer.write(b"GET /api/version HTTP/1.1\r\nHost: x\r\n\r\n")
    assert b"asimov_1" in await reader.read()
    writer.close()
