"""The WebSocket's actions on LiveLink, against a running livelinkd."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from saint_services.lib.access.audit import AuditRecord
from saint_services.lib.errors import Code, SaintError
from saint_services.webd.actions.act import Caller, data_of
from saint_services.webd.actions.table import ACTIONS
from saint_services.webd.robot.context import RobotContext
from saint_services.webd.robot.daemon_clients import DaemonClients
from tests.audit_log import collected
from tests.unit.livelinkd.rig import CAPTURE, Ears, listening
from tests.waiting import until

WHO = {"subject_name": "FaceCapture-p"}


class Desk:
    """A client's messages, checked as webd checks them."""

    def __init__(self, ears: Ears, entries: list[AuditRecord]) -> None:
        self._ears = ears
        self.entries = entries
        daemons = DaemonClients(*[ears.client] * 6)
        self._robot = cast(RobotContext, SimpleNamespace(daemons=daemons))

    async def notes(self, count: int) -> list[str]:
        """The sentences of the log, of which there must be so many."""
        await until(lambda: len(self.entries) >= count)
        assert {each.source for each in self.entries} == {"websocket:desk"}
        return [each.text for each in self.entries]

    async def do(self, action: str, group: str = "livelink", **params: Any) -> dict[str, Any]:
        found = ACTIONS[group][action]
        checked = found.params.model_validate(params)
        return data_of(await found.handler(self._robot, Caller("desk"), checked))


async def test_subjects_are_listed_tuned_and_released(tmp_path: Path) -> None:
    async with collected(tmp_path) as entries, listening(tmp_path) as ears:
        desk = Desk(ears, entries)
        ears.send(CAPTURE[0])
        await until(lambda: len(ears.samples) == 1)
        (source,) = (await desk.do("list_livelink_sources", "router"))["sources"]
        assert {"subject_name", "subject_type", "source_ip", "last_frame", "frame_rate",
                "properties"} <= source.keys()  # fmt: skip
        detail = await desk.do("get_livelink_subject", "router", **WHO)
        assert len(detail["values"]) == 61
        assert (await desk.do("zero", **WHO))["output"]["headYaw"] == 0.0
        assert (await desk.do("scale", **WHO, scale={"jawOpen": 2}))["scale"] == {"jawOpen": 2.0}
        assert "released" in (await desk.do("release", **WHO))["message"]
        assert len((await desk.do("list_formats"))["formats"]) == 6
        assert await desk.notes(3) == [
            "Zero offset of FaceCapture-p set",
            "Scale of FaceCapture-p set",
            "Subject FaceCapture-p was released",
        ]
        with pytest.raises(SaintError, match="did you mean 'FaceCapture-p'") as caught:
            await desk.do("zero", subject_name="facecapture")
        assert caught.value.code is Code.NOT_FOUND
        await desk.notes(4)
        done, refused = desk.entries[1], desk.entries[3]
        assert (done.what, done.who, done.level) == ("livelink scale", "anyone", "admin")
        assert 'scale: {"jawOpen": 2.0}' in done.detail
        assert (refused.what, refused.text) == ("livelink zero", "")
        assert "subject 'facecapture' is not known" in refused.refused


async def test_senders_are_accepted_and_revoked_with_a_note_in_the_activity_log(
    tmp_path: Path,
) -> None:
    async with collected(tmp_path) as entries, listening(tmp_path, accept="known") as ears:
        desk = Desk(ears, entries)
        ears.send(CAPTURE[0])
        await ears.refusals(1)
        (waiting,) = (await desk.do("list_senders"))["waiting"]
        ref = {name: waiting[name] for name in ("format", "ip", "subject_name")}
        assert (await desk.do("accept_sender", **ref))["waiting"] == []
        assert (await desk.do("revoke_sender", **ref))["accepted"] == []
        code = (await desk.do("get_sender_code"))["code"]
        assert (await desk.do("renew_sender_code"))["code"] != code
        assert (await desk.do("set_sender_check", accept="all"))["accept"] == "all"
        assert await desk.notes(4) == [
            "Sender FaceCapture-p of 127.0.0.1 (llf) was accepted",
            "Sender FaceCapture-p of 127.0.0.1 (llf) was revoked",
            "The code for LiveLink senders was renewed",
            "LiveLink accepts every sender",
        ]
        assert code not in str(desk.entries)


async def test_recordings_are_made_and_played(tmp_path: Path) -> None:
    async with collected(tmp_path) as entries, listening(tmp_path) as ears:
        desk = Desk(ears, entries)
        assert (await desk.do("record", name="a"))["recording"]
        ears.send(CAPTURE[0])
        await until(lambda: len(ears.samples) == 1)
        assert (await desk.do("stop_recording"))["datagrams"] == 1
        assert (await desk.do("list_recordings"))["recordings"][0]["name"] == "a"
        assert (await desk.do("play", name="a"))["message"] == "Playing a"
        assert "Playback" in (await desk.do("stop_playing"))["message"]
        with pytest.raises(ValueError):
            await desk.do("record", name="../a")
