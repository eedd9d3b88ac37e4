"""Sequences in a backup: they come back as they were, and what is damaged is refused."""

import asyncio
import base64
import math
import zlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from saint_services.lib.api import sequences
from saint_services.lib.api.backup import DaemonBackup, RestoreNotes
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.sequences import JointSequence, SaveSequence, SequenceParams
from saint_services.lib.errors import Code, SaintError
from saint_services.routerd.sequences import backup
from saint_services.routerd.sequences.backup import SequencesBackup, packed, unpacked
from saint_services.routerd.sequences.store import SequenceStore
from tests.unit.routerd.daemon_rig import RunningRouter, alive, places

WAVE = JointSequence(
    joints=["joint_0", "gripper"],
    units=["deg", "ratio"],
    frames=[[0.0, -12.5, 0.1], [0.02, -12.3, 0.123456789]],
    source="recorded from leader:left",
)


@pytest.fixture
async def robot(tmp_path: Path) -> AsyncIterator[RunningRouter]:
    async with alive(places(tmp_path)) as running:
        yield running


async def save(robot: RunningRouter, name: str) -> None:
    body = SaveSequence(sequence_name=name, sequence=WAVE)
    await robot.client.request(sequences.SAVE_SEQUENCE, body)


async def names(robot: RunningRouter) -> list[str]:
    listed = await robot.client.request(sequences.LIST_SEQUENCES, Nothing())
    return [each.name for each in listed.sequences]


async def test_sequences_come_back_as_they_were(robot: RunningRouter) -> None:
    await save(robot, "wave")
    kept = await robot.client.get("/backup", DaemonBackup)
    assert kept.sections["sequences"].version == 1
    await robot.client.request(sequences.DELETE_SEQUENCE, SequenceParams(sequence_name="wave"))
    await save(robot, "other")
    await robot.client.put("/backup", kept, RestoreNotes)
    assert await names(robot) == ["wave"]
    found = await robot.client.request(sequences.GET_SEQUENCE, SequenceParams(sequence_name="wave"))
    assert found == WAVE


async def test_backup_without_sequences_leaves_them(robot: RunningRouter) -> None:
    await save(robot, "wave")
    kept = await robot.client.get("/backup", DaemonBackup)
    del kept.sections["sequences"]  # of an older release
    await robot.client.put("/backup", kept, RestoreNotes)
    assert await names(robot) == ["wave"]


async def test_reset_removes_the_sequences(robot: RunningRouter) -> None:
    await save(robot, "wave")
    await robot.client.delete("/backup", RestoreNotes)
    assert await names(robot) == []


@pytest.mark.parametrize(
    "text",
    [
        "***",
        base64.b64encode(b"no stream").decode(),
        base64.b64encode(zlib.compress(b'{"joints": []}')).decode(),
        base64.b64encode(zlib.compress(b"[" * 20_000_000)).decode(),
        packed(WAVE)[:40],
    ],
)
def test_damaged_sequence_is_refused_with_its_name(text: str) -> None:
    with pytest.raises(SaintError) as err:
        unpacked("wave", text)
    assert err.value.code is Code.REQUEST_INVALID
    assert err.value.message.startswith("sequence wave of the backup: ")


def test_largest_sequence_is_restored() -> None:
    frames = [[i * 0.02, *(math.sin(i + j) * 1e5 for j in range(32))] for i in range(15_000)]
    long = JointSequence(joints=[f"j{j}" for j in range(32)], units=["deg"] * 32, frames=frames)
    assert unpacked("long", packed(long)) == long


def test_too_many_bytes_are_refused_with_the_largest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backup, "MOST_CHARACTERS", 100)
    store = SequenceStore(tmp_path)
    store.write("wave", WAVE)
    with pytest.raises(SaintError) as err:
        asyncio.run(SequencesBackup(store).section().current())
    assert err.value.code is Code.TOO_LARGE
    assert "wave is the largest" in err.value.message
