"""`saintctl livelink` with a running livelinkd that receives datagrams."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from saint_services.lib.api.livelink import StartRecording
from saint_services.saintctl.app import app
from saint_services.saintctl.livelink.record import _record
from tests.unit.livelinkd.rig import CAPTURE, Ears, listening
from tests.waiting import every, until

pytestmark = pytest.mark.slow

WHO = "FaceCapture-p"


@pytest.fixture
async def ears(tmp_path: Path) -> AsyncIterator[Ears]:
    async with listening(tmp_path) as made:
        made.send(CAPTURE[0])
        await until(lambda: len(made.samples) == 1)
        yield made


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path


async def saintctl(root: Path, *words: str, code: int = 0) -> Result:
    line = ["--run", str(root), "livelink", *words]
    result = await asyncio.to_thread(CliRunner().invoke, app, line)
    assert result.exit_code == code, result.output + result.stderr
    return result


async def test_subjects_are_listed_with_what_was_refused(ears: Ears, root: Path) -> None:
    ears.send(CAPTURE[1], host="127.0.0.2")
    await ears.refusals(1)
    text = (await saintctl(root, "list")).output
    assert WHO in text and "127.0.0.1" in text
    assert "the subject belongs to another sender" in text
    reply = json.loads((await saintctl(root, "list", "--json")).output)
    assert reply["sources"][0]["properties"][0] == "eyeBlinkLeft"


async def test_a_subject_is_shown_zeroed_scaled_and_released(ears: Ears, root: Path) -> None:
    assert "jawOpen" in (await saintctl(root, "show", WHO)).output
    assert "zero" in (await saintctl(root, "zero", WHO)).output
    reply = json.loads((await saintctl(root, "show", WHO, "--json")).output)
    assert reply["output"]["headYaw"] == 0.0 != reply["values"]["headYaw"]
    shown = (await saintctl(root, "scale", WHO, "eyeBlinkLeft=0.5", "headRoll=-1")).output
    assert "times 0.5" in shown and "times -1" in shown
    assert "is released" in (await saintctl(root, "release", WHO)).output
    assert "(released)" in (await saintctl(root, "list")).output
    await saintctl(root, "zero", WHO, "--clear")


async def test_wrong_arguments_are_explained(ears: Ears, root: Path) -> None:
    for words, code, reply in (
        (("show", "nobody"), 4, "'nobody' is not known"),
        (("scale", WHO, "headYaw"), 2, "'headYaw' is not NAME=FACTOR"),
        (("scale", WHO, "headYaw=nan"), 2, "headYaw"),
        (("scale", WHO, "wing=2"), 4, "'wing'"),
        (("record", "../x"), 2, "name"),
        (("record",), 2, "name"),
        (("record", "x", "--format", "smoke"), 2, "formats"),
        (("record", "--stop"), 4, "no recording is in progress"),
        (("play", "x", "--speed", "0"), 2, "speed"),
        (("play", "x"), 4, "no recording 'x'"),
        (("remove", "x"), 4, "no recording 'x'"),
        (("decode", "--format", "x", "-"), 2, "not known"),
    ):
        assert reply in (await saintctl(root, *words, code=code)).stderr


async def test_a_recording_is_made_listed_played_and_removed(ears: Ears, root: Path) -> None:
    recording = asyncio.create_task(saintctl(root, "record", "smile", "--seconds", "0.4"))
    async for number in every(0.02, times=20):
        ears.send(CAPTURE[number])
    made = (await recording).output
    assert "datagrams in 0.4 s (the time limit was reached)" in made
    assert "smile" in (await saintctl(root, "recordings")).output
    assert "llf" in (await saintctl(root, "recordings", "smile")).output
    path = root / "recordings" / "smile.jsonl"
    summary = (await saintctl(root, "decode", "--format", "llf", str(path))).output
    assert json.loads(summary.splitlines()[-1])["frames"] >= 1
    assert "Playing smile" in (await saintctl(root, "play", "smile", "--again")).output
    assert "stopped" in (await saintctl(root, "play", "--stop")).output
    assert "removed" in (await saintctl(root, "remove", "smile")).output
    assert "no recordings" in (await saintctl(root, "recordings")).output


async def test_ctrl_c_ends_and_keeps_a_recording(ears: Ears, root: Path) -> None:
    work = asyncio.create_task(_record(str(root), StartRecording(name="a")))
    path = root / "recordings" / "a.jsonl.part"
    await until(lambda: asyncio.to_thread(path.exists))
    ears.send(CAPTURE[1])
    await until(lambda: len(ears.samples) == 2)
    work.cancel()
    assert (await work).datagrams == 1
    assert await asyncio.to_thread((root / "recordings" / "a.jsonl").exists)


async def test_stop_ends_and_keeps_a_recording_that_was_started_elsewhere(
    ears: Ears, root: Path
) -> None:
    elsewhere = asyncio.create_task(saintctl(root, "record", "smile", "--seconds", "60"))
    path = root / "recordings" / "smile.jsonl.part"
    await until(lambda: asyncio.to_thread(path.exists))
    ears.send(CAPTURE[1])
    await until(lambda: len(ears.samples) == 2)
    refused = await saintctl(root, "record", "other", code=5)
    assert "saintctl livelink record --stop" in refused.stderr
    assert "smile: 1 datagrams in" in (await saintctl(root, "record", "--stop")).output
    assert "1 datagrams in" in (await elsewhere).output
    assert await asyncio.to_thread((root / "recordings" / "smile.jsonl").exists)


async def test_formats_are_listed_with_their_ports(ears: Ears, root: Path) -> None:
    text = (await saintctl(root, "formats")).output
    for name, port in ears.ports.items():
        assert name in text and str(port) in text


async def test_formats_are_switched_and_the_limit_is_set(ears: Ears, root: Path) -> None:
    reply = json.loads((await saintctl(root, "switch", "vmc", "off", "--json")).output)
    assert not next(each for each in reply["formats"] if each["format"] == "vmc")["enabled"]
    assert "900 datagrams" in (await saintctl(root, "limit", "900")).output


async def test_format_that_is_not_known_is_wrong_usage(ears: Ears, root: Path) -> None:
    assert "formats" in (await saintctl(root, "switch", "vmcc", "on", code=2)).stderr
    assert "formats.vmc" in (await saintctl(root, "switch", "vmc", "perhaps", code=2)).stderr


async def test_sender_is_listed_accepted_and_revoked(tmp_path: Path) -> None:
    async with listening(tmp_path, accept="known") as ears:
        ears.send(CAPTURE[0])
        await ears.refusals(1)
        waiting = (await saintctl(tmp_path, "senders")).output
        assert "waits, moves nothing" in waiting and WHO in waiting and "127.0.0.1" in waiting
        await saintctl(tmp_path, "accept", "FaceCapture-q", code=4)
        assert "accepted" in (await saintctl(tmp_path, "accept", WHO)).output
        ears.send(CAPTURE[1])
        await until(lambda: len(ears.samples) == 1)
        assert (
            "No sender is waiting"
            in (await saintctl(tmp_path, "revoke", WHO, "--ip", "127.0.0.1")).output
        )
        await saintctl(tmp_path, "revoke", WHO, code=4)


async def test_code_is_shown_and_renewed_and_the_check_is_switched(tmp_path: Path) -> None:
    async with listening(tmp_path, accept="known"):
        first = json.loads((await saintctl(tmp_path, "code", "--json")).output)["code"]
        assert f"Anna-{first}" in (await saintctl(tmp_path, "code")).output
        second = json.loads((await saintctl(tmp_path, "code", "--new", "--json")).output)["code"]
        assert first != second
        assert "The check is off" in (await saintctl(tmp_path, "check", "all")).output
        assert "The check is off" not in (await saintctl(tmp_path, "check", "known")).output
        await saintctl(tmp_path, "check", "some", code=2)
