"""Senders are accepted once: livelinkd at work, from the socket to the bus and back."""

from pathlib import Path

import pytest

from saint_services.lib.api import livelink
from saint_services.lib.api.backup import DaemonBackup
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.livelink import (
    PlayRecording,
    SenderList,
    SenderRef,
    SetCheck,
    StartRecording,
)
from saint_services.lib.errors import Code, SaintError
from saint_services.livelinkd.config import Config
from tests.unit.livelinkd.rig import CAPTURE, Ears, listening
from tests.waiting import until

REF = SenderRef(format="llf", ip="127.0.0.1", subject_name="FaceCapture-p")


async def senders(ears: Ears) -> SenderList:
    return await ears.client.request(livelink.LIST_SENDERS, Nothing())


async def accept(ears: Ears, sender: SenderRef = REF) -> SenderList:
    return await ears.client.request(livelink.ACCEPT_SENDER, sender)


async def revoke(ears: Ears, sender: SenderRef = REF) -> SenderList:
    return await ears.client.request(livelink.REVOKE_SENDER, sender)


async def check(ears: Ears, wanted: str) -> SenderList:
    body = SetCheck.model_validate({"accept": wanted})
    return await ears.client.request(livelink.SET_SENDER_CHECK, body)


async def test_unknown_sender_moves_nothing_and_is_shown_with_its_numbers(tmp_path: Path) -> None:
    async with listening(tmp_path, accept="known") as ears:
        ears.send(*CAPTURE[:6])
        found = await ears.refusals(6)
        assert found.refused == {
            "the sender is not accepted; accept it on the page, under Inputs": 6
        }
        assert found.sources == []
        (waiting,) = (await senders(ears)).waiting
        assert (waiting.subject_name, waiting.ip, waiting.format) == (
            "FaceCapture-p",
            "127.0.0.1",
            "llf",
        )
        assert (waiting.frames, waiting.tracked, waiting.accepted_by) == (6, True, "")
        assert "eyeBlinkLeft" in waiting.values
        assert (ears.samples, ears.frames, ears.described) == ([], [], [])


def test_default_settings_accept_nobody() -> None:
    assert (Config().accept, Config().senders) == ("known", [])


async def test_accepted_sender_is_known_after_a_restart_until_it_is_revoked(tmp_path: Path) -> None:
    async with listening(tmp_path, accept="known") as ears:
        ears.send(CAPTURE[0])
        await ears.refusals(1)
        assert [each.accepted_by for each in (await accept(ears)).accepted] == ["person"]
        ears.send(CAPTURE[1])
        await until(lambda: len(ears.samples) == 1)
    async with listening(tmp_path, accept="known") as ears:
        ears.send(CAPTURE[2])
        await until(lambda: len(ears.samples) == 1)
        assert (await revoke(ears)).accepted == []
        await until(lambda: len(ears.samples) == 2)
        last = ears.samples[-1]
        assert (last.failsafe, last.names) == (
            True,
            (),
        )  # the router does not wait for its time-out
        assert last.sequence > ears.samples[0].sequence
        ears.send(CAPTURE[3])
        await ears.refusals(1)
        assert len(ears.samples) == 2
    async with listening(tmp_path, accept="known") as ears:
        ears.send(CAPTURE[4])
        await ears.refusals(1)
        assert ears.samples == []


async def test_damaged_list_of_senders_accepts_nobody(tmp_path: Path) -> None:
    async with listening(tmp_path, accept="known") as ears:
        await accept(ears)
    (tmp_path / "senders.json").write_text("{")
    async with listening(tmp_path, accept="known") as ears:
        ears.send(CAPTURE[0])
        await ears.refusals(1)
        assert ears.samples == []


async def test_code_in_the_name_accepts_and_a_new_code_ends_it(tmp_path: Path) -> None:
    async with listening(tmp_path, accept="known") as ears:
        code = (await ears.client.request(livelink.GET_SENDER_CODE, Nothing())).code
        assert len(code) == 10
        datagram = b'{"Anna-%s": {"Parameter": [{"Name": "jawOpen", "Value": 0.5}]}}'
        ears.send(datagram % code.encode(), format="json")
        await until(lambda: len(ears.samples) == 1)
        assert ears.samples[0].source == "livelink:Anna"
        (known,) = (await senders(ears)).accepted
        assert (known.subject_name, known.accepted_by) == ("Anna", "code")
        with pytest.raises(SaintError) as caught:
            await revoke(ears, SenderRef(format="json", ip="127.0.0.1", subject_name="Anna"))
        assert caught.value.code is Code.REFUSED
        new = (await ears.client.request(livelink.RENEW_SENDER_CODE, Nothing())).code
        assert new != code
        await until(lambda: len(ears.samples) == 2)
        assert ears.samples[1].failsafe
        ears.send(datagram % code.encode(), format="json")
        await ears.refusals(1)
        assert len(ears.samples) == 2
    async with listening(tmp_path, accept="known") as ears:
        assert (await ears.client.request(livelink.GET_SENDER_CODE, Nothing())).code == new


async def test_check_can_be_turned_off_and_on_while_it_runs(tmp_path: Path) -> None:
    async with listening(tmp_path, accept="known") as ears:
        assert (await check(ears, "all")).accept == "all"
        ears.send(CAPTURE[0])
        await until(lambda: len(ears.samples) == 1)
        assert (await check(ears, "known")).accept == "known"
        await until(lambda: ears.samples[-1].failsafe)
        ears.send(CAPTURE[1])
        await ears.refusals(1)
        await check(ears, "all")
    async with listening(tmp_path, accept="known") as ears:
        assert (await senders(ears)).accept == "all"


async def test_sender_of_the_settings_needs_nobody_and_cannot_be_revoked(tmp_path: Path) -> None:
    known = [{"format": "llf", "address": "127.0.0.1"}]
    async with listening(tmp_path, accept="known", senders=known) as ears:
        ears.send(CAPTURE[0])
        await until(lambda: len(ears.samples) == 1)
        with pytest.raises(SaintError) as caught:
            await revoke(ears)
        assert caught.value.code is Code.REFUSED
        ears.send(CAPTURE[1], host="127.0.0.2")
        await ears.refusals(1)


async def test_recording_that_a_person_plays_needs_nobody_to_accept_it(tmp_path: Path) -> None:
    async with listening(tmp_path, accept="known") as ears:
        await ears.client.request(livelink.RECORD, StartRecording(name="phone"))
        ears.send(*CAPTURE[:3])
        await ears.refusals(3)
        await ears.client.request(livelink.STOP_RECORDING, Nothing())
        await ears.client.request(livelink.PLAY, PlayRecording(name="phone", speed=1000))
        await until(lambda: bool(ears.samples))


async def test_revoking_one_sender_leaves_the_others(tmp_path: Path) -> None:
    async with listening(tmp_path, accept="known") as ears:
        other = SenderRef(format="llf", ip="127.0.0.2", subject_name="FaceCapture-p")
        await accept(ears)
        await accept(ears, other)
        ears.send(CAPTURE[0])
        await until(lambda: len(ears.samples) == 1)
        await revoke(ears, other)
        ears.send(CAPTURE[1])
        await until(lambda: len(ears.samples) == 2)
        assert not ears.samples[1].failsafe


async def test_unknown_sender_is_not_accepted_by_a_revocation_that_names_nobody(
    tmp_path: Path,
) -> None:
    async with listening(tmp_path, accept="known") as ears:
        with pytest.raises(SaintError) as caught:
            await revoke(ears)
        assert caught.value.code is Code.NOT_FOUND


async def test_backup_has_the_senders_and_not_the_code(tmp_path: Path) -> None:
    async with listening(tmp_path, accept="known") as ears:
        await accept(ears)
        backup = await ears.client.get("/backup", DaemonBackup)
        code = (await ears.client.request(livelink.GET_SENDER_CODE, Nothing())).code
        assert code not in backup.model_dump_json()
        assert "FaceCapture-p" in backup.model_dump_json()
