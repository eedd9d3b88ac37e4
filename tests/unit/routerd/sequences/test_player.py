"""A sequence as a master: lock, soft start, ends; and the recording of any master."""

import pytest

from saint_services.lib.api.sequences import JointSequence, PlaySequence
from saint_services.lib.errors import Code, SaintError
from saint_services.routerd.sequences.player import SequencePlayer
from saint_services.routerd.sequences.recorder import SequenceRecorder
from tests.unit.routerd.rig import DIRECT, Rig, route

ARM, JOINT = "arms.left", "arms.left.joint_0"  # 120 degrees a second
PLAY = route("autonomous", "autonomous", "*")
WAVE = JointSequence(
    joints=["joint_0"], units=["deg"], frames=[[0.0, 30.0], [0.5, 60.0], [1.0, 30.0]]
)


def rig() -> Rig:
    made = Rig(PLAY, DIRECT, route("leader", "leader", "*"))
    made.router.masters.places_of = lambda _: {"joint_0": 0.0}
    return made


def begin(rig: Rig, **more: object) -> SequencePlayer:
    request = PlaySequence.model_validate({"sequence_name": "wave", "target": ARM} | more)
    return SequencePlayer.begin(rig.router, WAVE, request, rig.now)


def turns(rig: Rig, player: SequencePlayer, seconds: float) -> list[float]:
    """Play for a while; return where the joint was commanded to."""
    found = []
    for _ in range(round(seconds / 0.02)):
        rig.wait(0.02)
        if not player.reason:
            player.step(rig.now)
        found.append(rig.value(JOINT) or 0.0)
    return found


def test_sequence_approaches_slowly_then_plays_to_its_end_and_releases() -> None:
    arm = rig()
    player = begin(arm)
    assert [each.holder for each in arm.status().control] == ["autonomous:sequence_arms_left"]
    approach = turns(arm, player, 0.5)
    assert approach[-1] == pytest.approx(0.5 * 0.25 * 120.0, abs=1.5)
    assert player.info().state == "approaching"
    places = turns(arm, player, 2.5)
    assert max(places) == pytest.approx(60.0, abs=1.0)
    assert (player.info().state, player.reason) == ("ended", "played to the end")
    assert arm.status().control == []
    assert places[-1] == pytest.approx(30.0, abs=0.5)


def test_loop_goes_on_until_it_is_stopped() -> None:
    arm = rig()
    player = begin(arm, loop=True)
    turns(arm, player, 5.0)
    assert player.info().rounds >= 2
    player.end("stopped", arm.now)
    assert (player.reason, arm.output(JOINT).policy) == ("stopped", "hold")


def test_locked_target_is_played_after_a_takeover_alone() -> None:
    arm = rig()
    arm.router.take_control(ARM, "websocket:page", 5.0, arm.now)
    with pytest.raises(SaintError) as err:
        begin(arm)
    assert err.value.code is Code.CONFLICT
    assert begin(arm, takeover=True).reason == ""


def test_person_who_takes_over_ends_it() -> None:
    arm = rig()
    player = begin(arm)
    turns(arm, player, 0.2)
    arm.router.take_control(ARM, "websocket:page", 5.0, arm.now, takes_over=True)
    turns(arm, player, 0.1)
    assert player.reason == "websocket:page has the lock"
    assert [each.holder for each in arm.status().control] == ["websocket:page"]


def test_estop_ends_it_and_it_plays_again_after_a_clear() -> None:
    arm = rig()
    player = begin(arm)
    turns(arm, player, 0.2)
    arm.router.raise_estop("a person", "", arm.now)
    turns(arm, player, 0.1)
    assert player.reason == "the e-stop was pressed"
    with pytest.raises(SaintError, match="the e-stop is active"):
        begin(arm)
    arm.clear("a person", arm.now)
    again = begin(arm)
    turns(arm, again, 0.5)
    assert arm.is_driven(JOINT)


def test_without_a_route_it_is_refused_and_nothing_is_locked() -> None:
    arm = Rig(DIRECT)
    with pytest.raises(SaintError, match="no route lets a sequence drive"):
        begin(arm)
    assert arm.status().control == []


def test_router_that_stands_still_ends_it_by_its_time_out() -> None:
    arm = rig()
    player = begin(arm)
    turns(arm, player, 0.2)
    arm.wait(0.31)
    assert arm.status().control == []
    player.step(arm.now)
    assert player.reason == "nobody has the lock"


def test_recording_of_a_leader_is_what_was_commanded() -> None:
    arm = rig()
    outputs = [each for each in arm.router.outputs if each.target == ARM]
    recorder = SequenceRecorder("wave", ARM, outputs)
    recorder.look(arm.now, is_stopped=False)
    assert recorder.frames == []
    arm.send("leader:left", clutch=0.0)
    for at in range(100):
        arm.send("leader:left", ARM, joint_0=at / 10)
        arm.send("leader:left", clutch=1.0)
        arm.wait(0.02)
        recorder.look(arm.now, is_stopped=False)
    found = recorder.result()
    assert (found.joints, found.source) == (["joint_0"], "recorded from leader:left")
    assert found.frames[0][0] == 0.0
    assert found.frames[-1][1] == pytest.approx(9.9, abs=0.3)
    recorder.look(arm.now, is_stopped=True)
    assert recorder.is_over


def test_recording_without_motion_is_refused() -> None:
    recorder = SequenceRecorder("wave", ARM, [])
    with pytest.raises(SaintError, match="was not driven"):
        recorder.result()
