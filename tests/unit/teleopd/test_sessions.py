"""Sessions over real WebRTC links with plain aiortc peers, against a fake router."""

import asyncio
from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from tests.teleop_peer import TeleopPeer, teleop_peer
from tests.unit.teleopd.rig import ADAM, OLGA, OTTO, VERA, RemoteRobot, remote_robot
from tests.waiting import stays, until

pytestmark = pytest.mark.slow


async def test_operator_is_a_source_with_the_lock_of_what_it_drives(robot: RemoteRobot) -> None:
    async with teleop_peer(robot.signalling(OLGA)) as peer:
        await peer.release()
        peer.send(tracks={"linear": 0.3}, head={"pan": 10.0})
        await until(lambda: len(robot.driven) >= 2 and len(robot.locks) == 2)
        name = f"websocket:teleop-{peer.session}"
        assert {each.source for each in robot.driven} == {name}
        assert {(each.target, each.names) for each in robot.driven} == {
            ("tracks", ("linear",)), ("head", ("pan",)),
        }  # fmt: skip
        assert {(each.target, each.holder) for each in robot.locks} == {
            ("tracks", name), ("head", name),
        }  # fmt: skip
    await until(lambda: robot.samples[-1].failsafe and len(robot.released) == 2)
    assert robot.samples[-1].source == name


async def test_viewer_moves_nothing_and_may_stop(robot: RemoteRobot) -> None:
    async with teleop_peer(robot.signalling(VERA), wants_control=False) as peer:
        async with peer.beating(tracks={"linear": 0.3}):
            report = await peer.report(lambda each: each["refused"] > 2)
        assert report["why"] == "You watch. Request control to move the robot."
        peer.command(0.5, stop=1)
        await until(lambda: robot.stops)
        assert robot.driven == []
        assert robot.counters["commands_not_operator"] > 2


async def test_viewer_gets_every_fifth_report_and_what_has_changed_at_once(
    robot: RemoteRobot,
) -> None:
    async with (
        teleop_peer(robot.signalling(OLGA)) as olga,
        teleop_peer(robot.signalling(VERA), wants_control=False) as vera,
    ):
        for change in (1, 0):
            await olga.until(lambda: olga.reports and vera.reports)
            olga.reports.clear()
            vera.reports.clear()
            await olga.until(lambda: len(olga.reports) >= 40)
            assert 7 <= len(vera.reports) <= 9 + change  # it may not know yet who has control
        raw: list[str] = []
        olga.fields.on("message", raw.append)
        await olga.until(lambda: len(raw) >= 20)
        assert 8 <= sum('"seat"' in each for each in raw[:20]) <= 12  # the others: signs of life
        olga.reports.clear()
        await robot.signalling(OLGA)("release_control", session=olga.session)
        await vera.report(lambda each: not each["operator"])
        assert len(olga.reports) <= 3


async def test_viewer_cannot_connect_as_operator(robot: RemoteRobot) -> None:
    with pytest.raises(SaintError) as refused:
        async with teleop_peer(robot.signalling(VERA)):
            pass
    assert refused.value.code is Code.FORBIDDEN
    assert (await robot.sessions()).sessions == []


async def test_program_of_the_owner_watches_only(robot: RemoteRobot) -> None:
    program = type(ADAM)("dance", "operator", source="autonomous:dance")
    with pytest.raises(SaintError) as refused:
        async with teleop_peer(robot.signalling(program)):
            pass
    assert refused.value.code is Code.FORBIDDEN


async def test_sessions_of_others_are_not_touched(robot: RemoteRobot) -> None:
    async with teleop_peer(robot.signalling(OLGA)) as peer:
        for action in ("renew", "request_control", "release_control"):
            with pytest.raises(SaintError) as refused:
                await robot.signalling(OTTO)(action, session=peer.session)
            assert refused.value.code is Code.FORBIDDEN


async def test_operator_grants_and_admin_takes_by_force(robot: RemoteRobot) -> None:
    olga, otto, adam = map(robot.signalling, (OLGA, OTTO, ADAM))
    async with (
        teleop_peer(olga) as first,
        teleop_peer(otto, wants_control=False) as second,
        teleop_peer(adam, wants_control=False) as third,
        first.beating(),
    ):
        assert not (await otto("request_control", session=second.session))["is_granted"]
        with pytest.raises(SaintError, match="admin role"):
            await otto("request_control", session=second.session, force=True)
        with pytest.raises(SaintError, match="only the operator"):
            await otto("grant_control", session=second.session)
        await olga("grant_control", session=second.session)
        assert (await robot.sessions()).operator == second.session
        await adam("request_control", session=third.session, force=True)
        assert (await robot.sessions()).operator == third.session
        await second.report(lambda each: each["operator"] == "adam")


async def test_kicked_session_is_not_replaced_by_itself(robot: RemoteRobot) -> None:
    async with teleop_peer(robot.signalling(OLGA)) as peer:
        await robot.signalling(ADAM)("kick", session=peer.session)
        with pytest.raises(SaintError, match="ended by an admin"):
            async with teleop_peer(robot.signalling(OLGA), replaces=peer.session):
                pass


async def test_withdrawn_role_ends_control(robot: RemoteRobot) -> None:
    async with teleop_peer(robot.signalling(OLGA)) as peer:
        await peer.report(lambda each: each["seat"] == "operator")
        demoted = type(OLGA)("olga", "viewer")
        await robot.signalling(demoted)("renew", session=peer.session)
        await peer.report(lambda each: each["seat"] == "viewer")
        async with peer.beating(tracks={"linear": 0.3}):
            await stays(lambda: not robot.driven, 0.3)


async def test_pictures_are_encoded_once_for_all_viewers(robot: RemoteRobot) -> None:
    async with (
        robot.filming(),
        teleop_peer(robot.signalling(OLGA), video=True) as first,
        teleop_peer(robot.signalling(VERA), wants_control=False, video=True) as second,
        teleop_peer(robot.signalling(ADAM), wants_control=False, video=True) as third,
    ):
        peers = (first, second, third)
        await until(lambda: all(len(each.frames) > 30 for each in peers))
        encoded = robot.counters["pictures_encoded"]
        received = sum(len(each.frames) for each in peers)
        assert received > 2 * encoded  # three viewers, one encoder
        frame = first.frames[-1]
        assert (frame.width, frame.height) == (320, 240)
        report = await first.report(lambda each: each["picture"]["state"] == "live")
        assert 0 <= report["picture"]["age_ms"] < 500


async def test_first_two_sessions_at_once_share_the_camera(robot: RemoteRobot) -> None:
    """The first session loads what pictures need, which takes a while."""
    first, second = (TeleopPeer(robot.signalling(who)) for who in (OLGA, VERA))
    async with robot.filming():
        await asyncio.gather(
            first.connect(wants_control=True, video=True),
            second.connect(wants_control=False, video=True),
        )
        await until(lambda: min(len(first.frames), len(second.frames)) > 10)
        before = robot.counters["pictures_encoded"], robot.counters["pictures_sent"]
        await until(lambda: robot.counters["pictures_sent"] > before[1] + 40)
        encoded = robot.counters["pictures_encoded"] - before[0]
        assert robot.counters["pictures_sent"] - before[1] > 1.5 * encoded
    await first.close()
    await second.close()


async def test_missing_picture_is_reported(robot: RemoteRobot) -> None:
    async with teleop_peer(robot.signalling(OLGA), video=True) as peer:
        await peer.report(lambda each: each["picture"]["state"] == "none")
        async with robot.filming():
            await peer.report(lambda each: each["picture"]["state"] == "live")
        await peer.report(lambda each: each["picture"]["state"] == "none")


async def test_who_drives_by_a_picture_that_ends_has_to_release_first(robot: RemoteRobot) -> None:
    async with teleop_peer(robot.signalling(OLGA), video=True) as peer:
        peer.answers, peer.picture_ms = True, 50.0
        await peer.release()
        async with peer.beating(tracks={"linear": 0.5}):
            async with robot.filming():
                await until(lambda: len(peer.frames) > 3 and robot.driven)
            await peer.report(lambda each: "Release the control" in each["why"])
            count = len(robot.driven)
            await stays(lambda: len(robot.driven) == count, 0.3)
        peer.picture_ms = None  # there is none
        await peer.release()
        async with peer.beating(tracks={"linear": 0.5}):
            await until(lambda: len(robot.driven) > count)


async def test_camera_is_read_only_while_it_is_watched(robot: RemoteRobot) -> None:
    async with robot.filming():
        async with teleop_peer(robot.signalling(OLGA), video=True) as peer:
            await until(lambda: len(peer.frames) > 3)
        await until(lambda: robot.counters["pictures_encoded"] > 0)
        await _until_nobody(robot)
        before = robot.counters["pictures_encoded"]
        await stays(lambda: robot.counters["pictures_encoded"] <= before + 1, 0.3)


async def test_offer_that_is_no_sdp_is_refused_and_leaves_nothing(robot: RemoteRobot) -> None:
    data = "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n"
    damaged = ("x", "v=0\r\n", "m=video 9 UDP/TLS/RTP/SAVPF 96\r\n", data, f"v=0\r\ns=-\r\n{data}")
    for sdp in damaged:
        with pytest.raises(SaintError) as refused:
            await robot.signalling(OLGA)("connect", sdp=sdp)
        assert refused.value.code is Code.REQUEST_INVALID
    assert (await robot.sessions()).sessions == []


async def test_daemon_ends_when_nobody_was_connected_for_a_while(tmp_path: Path) -> None:
    async with remote_robot(tmp_path, idle_s=1.0) as robot:
        async with teleop_peer(robot.signalling(OLGA)) as peer:
            await peer.report(lambda each: each["seat"] == "operator")
        await _until_unreachable(robot)


async def _until_nobody(robot: RemoteRobot) -> None:
    async def is_empty() -> bool:
        return not (await robot.sessions()).sessions

    await until(is_empty)


async def _until_unreachable(robot: RemoteRobot) -> None:
    async def is_gone() -> bool:
        try:
            await robot.sessions()
        except SaintError as err:
            return err.code is Code.DAEMON_UNREACHABLE
        return False

    await until(is_gone)
