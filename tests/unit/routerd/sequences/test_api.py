"""Requests about sequences, through the socket of a running router."""

from pathlib import Path

import pytest

from saint_services.lib.api import routing, sequences
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.sequences import (
    ImportEpisode,
    JointSequence,
    PlaySequence,
    RecordSequence,
    SaveSequence,
    SequenceParams,
    StopSequence,
)
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.machine.service_manager import Directories
from saint_services.routerd.sequences.store import SequenceStore
from tests.unit.routerd.daemon_rig import RunningRouter, alive, places
from tests.waiting import until

WAVE = JointSequence(
    joints=["joint_0"], units=["deg"], frames=[[0.0, 5.0], [600.0, 6.0]], source="by hand"
)
ARM = "arms.left"


@pytest.fixture
def directories(tmp_path: Path) -> Directories:
    return places(tmp_path)


async def saved(robot: RunningRouter, name: str = "wave") -> None:
    row, body = sequences.SAVE_SEQUENCE, SaveSequence(sequence_name=name, sequence=WAVE)
    await robot.client.request(row, body)


async def test_sequence_is_stored_listed_and_deleted(directories: Directories) -> None:
    async with alive(directories) as robot:
        await saved(robot)
        (info,) = (await robot.client.request(sequences.LIST_SEQUENCES, Nothing())).sequences
        assert (info.name, info.duration_s, info.source) == ("wave", 600.0, "by hand")
        name = SequenceParams(sequence_name="wave")
        assert await robot.client.request(sequences.GET_SEQUENCE, name) == WAVE
        await robot.client.request(sequences.DELETE_SEQUENCE, name)
        with pytest.raises(SaintError) as err:
            await robot.client.request(sequences.GET_SEQUENCE, name)
        assert err.value.code is Code.NOT_FOUND


async def test_played_sequence_drives_holds_the_lock_and_is_recorded(
    directories: Directories,
) -> None:
    async with alive(directories) as robot:
        await saved(robot)
        await robot.client.request(
            sequences.RECORD_SEQUENCE, RecordSequence(sequence_name="copy", target=ARM)
        )
        request = PlaySequence(sequence_name="wave", target=ARM)
        await robot.client.request(sequences.PLAY_SEQUENCE, request)
        status = await robot.client.request(routing.GET_STATUS, Nothing())
        assert [each.holder for each in status.control] == ["autonomous:sequence_arms_left"]

        async def is_recorded() -> bool:
            listed = await robot.client.request(sequences.LIST_SEQUENCES, Nothing())
            return listed.recording is not None and listed.recording.frames > 3

        await until(is_recorded)
        await robot.client.request(sequences.STOP_SEQUENCE, StopSequence(target=ARM))
        status = await robot.client.request(routing.GET_STATUS, Nothing())
        assert status.control == []
        info = await robot.client.request(sequences.FINISH_RECORDING, Nothing())
        assert (info.name, info.source) == (
            "copy", "recorded from autonomous:sequence_arms_left",
        )  # fmt: skip


async def test_requests_that_cannot_be_met_say_why(directories: Directories) -> None:
    async with alive(directories) as robot:
        await saved(robot)
        for row, body, reason in (
            (
                sequences.PLAY_SEQUENCE,
                PlaySequence(sequence_name="wave", target="head"),
                "no joint",
            ),
            (sequences.PLAY_SEQUENCE, PlaySequence(sequence_name="wvae", target=ARM), "wave"),
            (sequences.PLAY_SEQUENCE, PlaySequence(sequence_name="wave", target="tail"), "tail"),
            (sequences.STOP_SEQUENCE, StopSequence(target=ARM), "plays no sequence"),
            (sequences.FINISH_RECORDING, Nothing(), "nothing is being recorded"),
            (
                sequences.IMPORT_EPISODE,
                ImportEpisode(sequence_name="x", target=ARM, text="?"),
                "no rows",
            ),
        ):
            with pytest.raises(SaintError, match=reason):
                await robot.client.request(row, body)


def test_damaged_file_is_listed_with_its_fault(directories: Directories) -> None:
    store = SequenceStore(directories.state)
    store.write("wave", WAVE)
    (directories.state / "sequences" / "wave.json").write_text("{")
    (info,) = store.infos()
    assert info.name == "wave" and info.fault
