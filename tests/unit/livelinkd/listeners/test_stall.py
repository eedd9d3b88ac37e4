"""Datagrams that waited in sockets during a stall of livelinkd move no face."""

import asyncio
import json
from pathlib import Path

import pytest

from tests.unit.livelinkd.rig import CAPTURE, Ears, listening
from tests.waiting import let_pass, stand_still, turns, until

pytestmark = pytest.mark.timed

OLD = "the datagram waited while livelinkd was stalled"
BEAT_S = 0.3  # its watch has begun


async def running(ears: Ears) -> None:
    await let_pass(BEAT_S)
    ears.send(CAPTURE[0])
    await until(lambda: len(ears.samples) == 1)


async def test_datagrams_that_waited_out_a_stall_are_dropped_and_counted(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        await running(ears)
        ears.send(*CAPTURE[1:6])
        stand_still(0.8)
        found = await ears.refusals(5)
        assert found.refused == {OLD: 5}
        assert len(ears.samples) == 1


async def test_more_than_one_batch_that_waited_is_dropped(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        await running(ears)
        ears.send(*[CAPTURE[1]] * 150)
        stand_still(0.8)
        found = await ears.refusals(150)
        assert found.refused == {OLD: 150}
        assert len(ears.samples) == 1


async def test_datagram_after_a_stall_counts(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        await running(ears)
        stand_still(0.8)
        await let_pass(BEAT_S + 0.1)  # the watch has seen that it is over
        ears.send(CAPTURE[1])  # the first read after the stall: its socket was never seen empty
        ears.send(CAPTURE[2])
        await turns()
        ears.send(CAPTURE[3])
        await until(lambda: len(ears.samples) >= 2)


async def test_line_that_waited_out_a_stall_is_dropped(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        await running(ears)
        reader, writer = await asyncio.open_connection("127.0.0.1", ears.ports["lines"])
        await turns()  # it is accepted
        writer.write(b'{"subject": "a", "values": {"jawOpen": 1.0}}\n')
        stand_still(0.8)
        assert json.loads(await reader.readline()) == {"refused": OLD}
        assert len(ears.samples) == 1
        writer.close()
