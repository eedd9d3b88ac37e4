"""Zero, scale and recordings by request; what lasts over a restart."""

import asyncio
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from saint_services.lib.api import livelink
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.livelink import (
    MeasureSubject,
    PlayRecording,
    RecordingDetail,
    RecordingList,
    RecordingRef,
    SetScale,
    SetZero,
    StartRecording,
)
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.health import HealthReport
from saint_services.livelinkd import recorder
from tests.unit.livelinkd.osc_packets import bone
from tests.unit.livelinkd.rig import CAPTURE, Ears, listening
from tests.waiting import turns, until

WHO = "FaceCapture-p"


def changed(data: bytes, number: int) -> bytes:
    """The captured datagram with another frame number."""
    at = len(data) - 61 * 4 - 1 - 16
    return data[:at] + number.to_bytes(4, "big") + data[at + 4 :]


async def listed(ears: Ears, is_so: Callable[[RecordingList], bool]) -> RecordingList:
    """The list of recordings, once it is so."""

    async def look() -> RecordingList | None:
        found = await ears.client.request(livelink.LIST_RECORDINGS, Nothing())
        return found if is_so(found) else None

    return await until(look)


async def test_zero_and_scale_last_over_a_restart(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        ears.send(CAPTURE[0])
        await until(lambda: len(ears.samples) == 1)
        sent = ears.values()
        assert abs(sent["headYaw"]) > 0.01
        shown = await ears.client.request(livelink.ZERO, SetZero(subject_name=WHO))
        assert shown.output["headYaw"] == 0.0 and shown.values["headYaw"] == sent["headYaw"]
        scale = SetScale(subject_name=WHO, scale={"jawOpen": -1.0, "eyeBlinkLeft": 0.5})
        shown = await ears.client.request(livelink.SCALE, scale)
        assert shown.scale == {"jawOpen": -1.0, "eyeBlinkLeft": 0.5} and shown.subject.is_tuned
    async with listening(tmp_path) as ears:
        ears.send(CAPTURE[0])
        await until(lambda: len(ears.samples) == 1)
        assert ears.values()["headYaw"] == 0.0 and ears.values()["jawOpen"] == 0.0
        assert ears.values()["eyeBlinkLeft"] == pytest.approx(sent["eyeBlinkLeft"] / 2)
        await ears.client.request(livelink.ZERO, SetZero(subject_name=WHO, clear=True))
        one = SetScale(subject_name=WHO, scale={"jawOpen": 1.0, "eyeBlinkLeft": 1.0})
        shown = await ears.client.request(livelink.SCALE, one)
        assert shown.output["headYaw"] == shown.values["headYaw"] and not shown.subject.is_tuned
    saved = json.loads((tmp_path / "subjects.json").read_text())
    assert saved["subjects"] == {}


async def test_zero_of_a_skeleton_lasts(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        ears.send(bone("Head", y=0.5, w=0.8), format="vmc")
        await until(lambda: len(ears.samples) == 1)
        await ears.client.request(livelink.ZERO, SetZero(subject_name="VMC"))
    async with listening(tmp_path) as ears:
        ears.send(bone("Head", y=0.5, w=0.8), format="vmc")
        await until(lambda: len(ears.samples) == 1)
        assert ears.values()["Head.yaw"] == pytest.approx(0, abs=1e-4)


async def test_zero_needs_a_face_and_scale_a_value(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        ears.send(CAPTURE[8])  # no face
        await until(lambda: len(ears.samples) == 1)
        with pytest.raises(SaintError, match="not tracked") as caught:
            await ears.client.request(livelink.ZERO, SetZero(subject_name=WHO))
        assert caught.value.code is Code.REFUSED
        scale = SetScale(subject_name=WHO, scale={"wing": 2.0})
        with pytest.raises(SaintError, match="'wing'"):
            await ears.client.request(livelink.SCALE, scale)
        with pytest.raises(SaintError, match="nobody"):
            await ears.client.request(livelink.ZERO, SetZero(subject_name="nobody"))


async def test_a_newer_state_is_kept_and_reported(tmp_path: Path) -> None:
    text = '{"version_of_format": 99}'
    (tmp_path / "subjects.json").write_text(text)
    async with listening(tmp_path) as ears:
        report = await ears.client.get("/health", HealthReport)
        assert [issue.code for issue in report.issues] == [Code.STATE_NEWER]
        ears.send(CAPTURE[0])
        await until(lambda: len(ears.samples) == 1)
    assert (tmp_path / "subjects.json").read_text() == text


async def test_a_recording_plays_as_it_was(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        begun = await ears.client.request(livelink.RECORD, StartRecording(name="smile"))
        assert begun.recording
        ears.send(*CAPTURE, b"noise")
        await ears.refusals(1)
        ended = await ears.client.request(livelink.STOP_RECORDING, Nothing())
        assert (ended.datagrams, ended.dropped, ended.recording) == (21, 0, False)
        detail = await ears.client.request(livelink.GET_RECORDING, RecordingRef(name="smile"))
        assert (detail.datagrams, detail.formats) == (21, {"llf": 21})
        assert detail.senders == {"127.0.0.1": 21}
    live = list(ears.samples)
    async with listening(tmp_path) as ears:
        await ears.client.request(livelink.PLAY, PlayRecording(name="smile", speed=50))
        await until(lambda: len(ears.samples) == 20)
        assert [s.values for s in ears.samples] == [s.values for s in live]
        (subject,) = (await ears.subjects()).sources
        assert subject.source_ip == "recording smile 127.0.0.1"
        found = await listed(ears, lambda found: not found.playing)
        assert found.played == 21 and [r.name for r in found.recordings] == ["smile"]


async def test_playing_again_is_not_late(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        await ears.client.request(livelink.RECORD, StartRecording(name="a"))
        ears.send(*CAPTURE[:3])
        await until(lambda: len(ears.samples) == 3)
        await ears.client.request(livelink.STOP_RECORDING, Nothing())
    async with listening(tmp_path) as ears:
        await ears.client.request(livelink.PLAY, PlayRecording(name="a", speed=1000, again=True))
        await until(lambda: len(ears.samples) >= 9)
        assert not (await ears.subjects()).refused
        done = await ears.client.request(livelink.STOP_PLAYING, Nothing())
        assert done.message == "Playback stopped"
        done = await ears.client.request(livelink.STOP_PLAYING, Nothing())
        assert done.message == "No recording was playing"


async def test_a_recording_that_is_removed_while_it_plays_ends(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        await ears.client.request(livelink.RECORD, StartRecording(name="a"))
        ears.send(CAPTURE[0])
        await until(lambda: len(ears.samples) == 1)
        await ears.client.request(livelink.STOP_RECORDING, Nothing())
        await ears.client.request(livelink.PLAY, PlayRecording(name="a", again=True))
        await ears.client.request(livelink.DELETE_RECORDING, RecordingRef(name="a"))
        await listed(ears, lambda found: not found.playing)
        assert (await ears.client.get("/health", HealthReport)).healthy


async def test_an_empty_recording_is_played_at_leisure(tmp_path: Path) -> None:
    (tmp_path / "recordings").mkdir()
    (tmp_path / "recordings/none.jsonl").write_text("")
    async with listening(tmp_path) as ears:
        await ears.client.request(livelink.PLAY, PlayRecording(name="none", again=True))
        assert (await listed(ears, lambda found: bool(found.playing))).played == 0
        await ears.client.request(livelink.STOP_PLAYING, Nothing())


async def test_a_recording_never_takes_a_living_subject(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        await ears.client.request(livelink.RECORD, StartRecording(name="a"))
        ears.send(CAPTURE[0])
        await until(lambda: len(ears.samples) == 1)
        await ears.client.request(livelink.STOP_RECORDING, Nothing())
        await ears.client.request(livelink.PLAY, PlayRecording(name="a"))
        found = await ears.refusals(1)
        assert found.refused == {"the subject belongs to another sender": 1}


async def test_recordings_are_chosen_by_format_and_end_by_time(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        request = StartRecording(name="vmc", formats=["vmc"], seconds=0.3)
        await ears.client.request(livelink.RECORD, request)
        ears.send(CAPTURE[0])
        ears.send(bone("Head"), format="vmc")
        found = await listed(ears, lambda found: not (found.current and found.current.recording))
        assert found.current and found.current.problem == "the time limit was reached"
        detail = await ears.client.request(livelink.GET_RECORDING, RecordingRef(name="vmc"))
        assert detail.formats == {"vmc": 1}


@pytest.mark.slow
async def test_a_recording_has_a_largest_size(tmp_path: Path) -> None:
    limits = {"largest_mb": 1, "most": 2}
    rate = {"datagrams_per_second": 100_000}
    async with listening(tmp_path, recordings=limits, **rate) as ears:
        await ears.client.request(livelink.RECORD, StartRecording(name="long"))
        for i in range(3000):
            ears.send(changed(CAPTURE[0], i))
            if i % 50 == 0:
                await turns(1)
        found = await listed(ears, lambda found: bool(found.recordings))
        assert found.current and found.current.problem == "the limit of 1 MB was reached"
        size = (tmp_path / "recordings/long.jsonl").stat().st_size
        assert 900_000 < size <= 1_000_000
        lines = (tmp_path / "recordings/long.jsonl").read_text().splitlines()
        assert all(json.loads(line)["format"] == "llf" for line in lines)


async def test_names_and_numbers_of_recordings_are_limited(tmp_path: Path) -> None:
    async with listening(tmp_path, recordings={"most": 1}) as ears:
        await ears.client.request(livelink.RECORD, StartRecording(name="a"))
        with pytest.raises(SaintError, match="recording 'a' is in progress"):
            await ears.client.request(livelink.RECORD, StartRecording(name="b"))
        await ears.client.request(livelink.STOP_RECORDING, Nothing())
        with pytest.raises(SaintError, match="recording 'a' already exists"):
            await ears.client.request(livelink.RECORD, StartRecording(name="a"))
        with pytest.raises(SaintError, match="the limit of 1 recordings is reached"):
            await ears.client.request(livelink.RECORD, StartRecording(name="b"))
        with pytest.raises(SaintError, match="no recording is in progress"):
            await ears.client.request(livelink.STOP_RECORDING, Nothing())
        await ears.client.request(livelink.DELETE_RECORDING, RecordingRef(name="a"))
        for ask in (
            ears.client.request(livelink.DELETE_RECORDING, RecordingRef(name="a")),
            ears.client.get("/recordings/..%2fsubjects", RecordingDetail),
            ears.client.request(livelink.PLAY, PlayRecording(name="a")),
        ):
            with pytest.raises(SaintError) as caught:
                await ask
            assert caught.value.code is Code.NOT_FOUND
    with pytest.raises(ValueError):
        StartRecording(name="../x")


async def test_a_full_disk_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "_LEFT_FREE_BYTES", 1 << 62)
    async with listening(tmp_path) as ears:
        with pytest.raises(SaintError, match="are free in") as caught:
            await ears.client.request(livelink.RECORD, StartRecording(name="a"))
        assert caught.value.code is Code.DISK_FULL
        found = await ears.client.request(livelink.LIST_RECORDINGS, Nothing())
        assert found.current is None and not found.recordings


async def test_what_power_cut_off_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "recordings").mkdir()
    whole = json.dumps({"t_us": 0, "format": "llf", "from": "[::1]:5", "hex": CAPTURE[0].hex()})
    broken = [
        '{"t_us": 1, "hex',
        "[]",
        '{"t_us": "1"}',
        '{"t_us":1,"format":"x","from":"a:1","hex":""}',
    ]
    text = "\n".join([*broken, whole]) + "\n"
    (tmp_path / "recordings/cut.jsonl").write_text(text)
    (tmp_path / "recordings/old.jsonl.part").write_text("")
    async with listening(tmp_path) as ears:
        await ears.client.request(livelink.PLAY, PlayRecording(name="cut"))
        await until(lambda: len(ears.samples) == 1)
        detail = await ears.client.request(livelink.GET_RECORDING, RecordingRef(name="cut"))
        assert detail.formats == {"llf": 1, "x": 1} and "::1" in detail.senders
        await ears.client.request(livelink.RECORD, StartRecording(name="new"))
        await ears.client.request(livelink.STOP_RECORDING, Nothing())
    assert not (tmp_path / "recordings/old.jsonl.part").exists()


async def test_a_disk_that_fails_ends_neither_daemon_nor_stop(tmp_path: Path) -> None:
    for is_stopped in (True, False):
        async with listening(tmp_path) as ears:
            await ears.client.request(livelink.RECORD, StartRecording(name="a"))
            await asyncio.to_thread((tmp_path / "recordings/a.jsonl").mkdir)
            (tmp_path / "recordings/a.jsonl/x").touch()
            if is_stopped:
                with pytest.raises(SaintError, match="cannot be written"):
                    await ears.client.request(livelink.STOP_RECORDING, Nothing())
            ears.send(CAPTURE[0])
            await until(lambda: len(ears.samples) == 1)
        shutil.rmtree(tmp_path / "recordings")


async def test_what_is_being_recorded_is_kept_at_the_end(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        await ears.client.request(livelink.RECORD, StartRecording(name="a"))
        ears.send(CAPTURE[0])
        await until(lambda: len(ears.samples) == 1)
    assert len((tmp_path / "recordings/a.jsonl").read_text().splitlines()) == 1


async def test_subject_is_measured_while_it_sends(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        ears.send(CAPTURE[0])
        await until(lambda: len(ears.samples) == 1)
        wanted = MeasureSubject(subject_name=WHO, seconds=0.5, names=["jawOpen", "headYaw"])
        measuring = asyncio.create_task(ears.client.request(livelink.MEASURE, wanted))
        number = 1000
        while not measuring.done():
            number += 1
            ears.send(changed(CAPTURE[number % 2], number))
            await turns()
        found = await measuring
    assert 0 < found.tracked <= found.frames
    assert sorted(found.values) == ["headYaw", "jawOpen"]


async def test_measurement_of_an_unknown_subject_and_one_too_many_are_refused(
    tmp_path: Path,
) -> None:
    async with listening(tmp_path) as ears:
        ears.send(CAPTURE[0])
        await until(lambda: len(ears.samples) == 1)
        with pytest.raises(SaintError, match="is not known") as caught:
            await ears.client.request(livelink.MEASURE, MeasureSubject(subject_name="Nobody"))
        assert caught.value.code is Code.NOT_FOUND
        wanted = MeasureSubject(subject_name=WHO, seconds=0.5)
        outcomes = await asyncio.gather(
            *(ears.client.request(livelink.MEASURE, wanted) for _ in range(5)),
            return_exceptions=True,
        )
    refused = [each for each in outcomes if isinstance(each, SaintError)]
    assert [each.code for each in refused] == [Code.REFUSED]
