"""Datagrams that waited in sockets during a stall of livelinkd move no face."""

import asyncio
import json
import time
from pathlib import Path

import pytest

from tests.unit.livelinkd.rig import CAPTURE, Ears, listening

pytestmark = pytest.mark.timed

OLD = "the datagram waited while livelinkd was stalled"
BEAT_S = 0.3  # its watch has begun


def stall(seconds: float) -> None:
    """The whole process stands still."""
    time.sleep(seconds)


async def running(ears: Ears) -> None:
    await asyncio.sleep(BEAT_S)
    ears.send(CAPTURE[0])
    await ears.until(lambda: len(ears.samples) == 1)


async def test_datagrams_that_waited_out_a_stall_are_dropped_and_counted(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        await running(ears)
        ears.send(*CAPTURE[1:6])
        stall(0.8)
        found = await ears.refusals(5)
        assert found.refused == {OLD: 5}
        assert len(ears.samples) == 1


async def test_more_than_one_batch_that_waited_is_dropped(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        await running(ears)
        ears.send(*[CAPTURE[1]] * 150)
        stall(0.8)
        found = await ears.refusals(150)
        assert found.refused == {OLD: 150}
        assert len(ears.samples) == 1


async def test_datagram_after_a_stall_counts(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        await running(ears)
        stall(0.8)
        await asyncio.sleep(BEAT_S + 0.1)
        ears.send(CAPTURE[1])  # the first read after the stall: its socket was never seen empty
        ears.send(CAPTURE[2])
        await asyncio.sleep(0.05)
        ears.send(CAPTURE[3])
        await ears.until(lambda: len(ears.samples) >= 2)


async def test_line_that_waited_out_a_stall_is_dropped(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        await running(ears)
        reader, writer = await asyncio.open_connection("127.0.0.1", ears.ports["lines"])
        await asyncio.sleep(0.05)
        writer.write(b'{"subject": "a", "values": {"jawOpen": 1.0}}\n')
        stall(0.8)
        assert json.loads(await reader.readline()) == {"refused": OLD}
        assert len(ears.samples) == 1
        writer.close()
