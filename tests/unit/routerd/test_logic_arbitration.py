"""Which claim is in control, and the reasons of the others."""

import pytest

from tests.unit.routerd.rig import DIRECT, DRIVE, FACE, Rig, route


def test_highest_live_priority_wins() -> None:
    rig = Rig(DRIVE, DIRECT)
    rig.send("websocket:1", "tracks", linear=0.05)
    rig.send("rc", stick=-0.02)
    assert rig.output("tracks.linear").winner == "rc_drive"
    rig.send("websocket:1", "tracks", linear=0.04)
    output = rig.output("tracks.linear")
    assert output.winner == "rc_drive"
    assert [(r.route, r.reason) for r in output.rivals] == [("web", "lower priority")]


def test_lower_priority_takes_over_when_the_winner_is_lost() -> None:
    rig = Rig(DRIVE, DIRECT)
    rig.send("rc", stick=0.0)
    rig.send("websocket:1", "tracks", linear=0.05)
    rig.wait(0.119)
    assert rig.output("tracks.linear").winner == "rc_drive"
    rig.wait(0.002)
    output = rig.output("tracks.linear")
    assert (output.winner, output.source) == ("web", "websocket:1")
    assert [(r.route, r.reason) for r in output.rivals] == [("rc_drive", "timed out")]


def test_equal_priority_keeps_the_one_in_control() -> None:
    rig = Rig(DIRECT)
    rig.send("websocket:1", "head", pan=1.0)
    rig.send("websocket:2", "head", pan=2.0)
    output = rig.output("head.pan")
    assert (output.source, output.value) == ("websocket:1", 1.0)
    assert [(r.source, r.reason) for r in output.rivals] == [("websocket:2", "came later")]
    rig.send("websocket:2", "head", pan=2.5)
    assert rig.output("head.pan").source == "websocket:1"
    rig.wait(0.2)
    rig.send("websocket:2", "head", pan=2.0)
    rig.wait(0.2)
    assert rig.output("head.pan").source == "websocket:2"


def test_same_source_newest_command_counts() -> None:
    rig = Rig(DIRECT)
    rig.send("websocket:1", "tracks", linear=0.03, angular=0.0)
    rig.send("websocket:1", "tracks", linear=0.0)
    rig.wait(0.02)
    assert rig.value("tracks.linear") == 0.0


def test_same_command_again_after_another_counts() -> None:
    rig = Rig(DIRECT)
    for _ in range(3):
        rig.send("websocket:1", "tracks", linear=0.03, angular=0.0)
        rig.wait(0.02)
        assert rig.value("tracks.linear") == pytest.approx(0.03)
        rig.send("websocket:1", "tracks", linear=0.0)
        rig.wait(0.02)
        assert rig.value("tracks.linear") == 0.0


def test_field_left_out_times_out_alone() -> None:
    rig = Rig(DIRECT)
    rig.stream(0.5, "websocket:1", "tracks", linear=0.5, angular=1.0)
    assert rig.value("tracks.angular") == 1.0
    rig.stream(0.4, "websocket:1", "tracks", linear=0.5)
    assert (rig.value("tracks.linear"), rig.value("tracks.angular")) == (0.5, 0.0)


def test_samples_for_another_target_do_not_keep_a_field_alive() -> None:
    rig = Rig(DIRECT)
    rig.stream(0.3, "websocket:1", "tracks", linear=0.5)
    rig.stream(0.4, "websocket:1", "head", pan=0.0)
    assert rig.value("tracks.linear") == 0.0


def test_route_timeout_overrides_the_class() -> None:
    slow = DRIVE.model_copy(update={"timeout_ms": 400})
    rig = Rig(slow)
    rig.stream(0.5, "rc", stick=1.0)
    rig.wait(0.3)
    assert rig.value("tracks.linear") == 1.5
    rig.wait(0.2)
    assert rig.value("tracks.linear") == 0.0


def test_priority_of_the_route_overrides_the_class() -> None:
    rig = Rig(DRIVE, DIRECT.model_copy(update={"priority": 400}))
    rig.send("rc", stick=0.0)
    rig.send("websocket:1", "tracks", linear=0.01)
    assert rig.output("tracks.linear").winner == "web"


def test_several_mappings_of_a_route_add_up() -> None:
    looks = route(
        "eyes",
        "livelink",
        "head",
        [
            {"from": "out", "to": "eye_pan", "scale": 35},
            {"from": "in", "to": "eye_pan", "scale": -35},
        ],
    )
    rig = Rig(looks)
    rig.send("livelink:a", **{"out": 0.5, "in": 0.1})
    assert rig.value("head.eye_pan") == pytest.approx(14.0)
    rig.stream(0.2, "livelink:a", **{"out": 1.5, "in": 0.0})
    output = rig.output("head.eye_pan")
    assert (output.value, output.clamped) == (35.0, True)
    rig.stream(0.2, "livelink:a", **{"in": 0.4})
    assert rig.value("head.eye_pan") == pytest.approx(-14.0)


def test_passthrough_to_one_target_takes_only_its_commands() -> None:
    rig = Rig(route("web_head", "websocket", "head"))
    rig.send("websocket:1", "tracks", linear=1.0)
    rig.send("websocket:1", "head", pan=5.0)
    rig.send("websocket:1", tilt=3.0)
    assert rig.value("tracks.linear") == 0.0
    assert (rig.value("head.pan"), rig.value("head.tilt")) == (5.0, 3.0)


def test_command_types_let_only_their_fields_through() -> None:
    rig = Rig(route("web", "websocket", "*", input={"command_types": ["move", "home"]}))
    rig.send("websocket:1", "tracks", linear=1.0)
    rig.send("websocket:1", "arms.left", joint_0=10.0, gripper=1.0)
    assert rig.value("tracks.linear") == 0.0
    assert rig.value("arms.left.joint_0") == 10.0
    assert rig.value("arms.left.gripper") is None


def test_subject_and_type_select_samples() -> None:
    one = FACE.model_copy(update={"input": FACE.input.model_copy(update={"subject": "Ann"})})
    rig = Rig(one)
    rig.send("livelink:Bob", headYaw=1.0)
    assert rig.value("head.pan") is None
    rig.send("livelink:Ann", headYaw=1.0)
    assert rig.value("head.pan") == pytest.approx(57.2958)
    face = FACE.model_copy(update={"input": FACE.input.model_copy(update={"type": "face"})})
    rig = Rig(face)
    rig.send("livelink:UE", **{"headYaw": 1.0, "LeftArm.elbow": 5.0, "bone": 0.0})
    assert rig.value("head.pan") == pytest.approx(57.2958)  # a face with bones is a face
    rig = Rig(face)
    rig.send("livelink:UE", headYaw=1.0)
    assert rig.value("head.pan") == pytest.approx(57.2958)


def test_type_animation_takes_bones_and_no_face() -> None:
    arm = route(
        "arm",
        "livelink",
        "arms.left",
        [{"from": "LeftArm.elbow", "to": "joint_2"}, {"from": "jawOpen", "to": "joint_0"}],
        input={"type": "animation"},
    )
    rig = Rig(arm)
    rig.send("livelink:phone", jawOpen=1.0, headYaw=0.1)
    assert rig.value("arms.left.joint_0") is None
    rig.send("livelink:UE", **{"LeftArm.elbow": 30.0})
    assert rig.value("arms.left.joint_2") == 30.0


def test_type_face_takes_no_bones() -> None:
    arm = route(
        "a", "livelink", "head", [{"from": "Head.yaw", "to": "pan"}], input={"type": "face"}
    )
    rig = Rig(arm)
    rig.send("livelink:UE", **{"Head.yaw": 30.0})
    assert rig.value("head.pan") is None


def test_state_is_idle_routing_or_blending() -> None:
    rig = Rig(DRIVE, DIRECT)
    assert rig.status().state == "idle"
    rig.send("rc", stick=0.0)
    assert rig.status().state == "routing"
    rig.send("websocket:1", "tracks", linear=0.0)
    assert rig.status().state == "blending"
    rig.wait(1.0)
    assert rig.status().state == "idle"


def test_slow_field_says_that_it_is_limited() -> None:
    rig = Rig(DRIVE)
    rig.send("rc", stick=1.0)
    output = rig.output("tracks.linear")
    assert output.clamped
    assert output.policy == "live"
    rig.stream(0.4, "rc", stick=1.0)
    assert not rig.output("tracks.linear").clamped


def test_equal_priority_stays_in_control_when_all_is_decided_again() -> None:
    second = route("second", "websocket", "*")
    rig = Rig(DIRECT, second)
    rig.send("websocket:2", "head", pan=2.0)
    assert rig.output("head.pan").winner == "web"
    rig.router.set_routes([second, DIRECT], rig.now)
    rig.send("websocket:1", "head", pan=1.0)
    output = rig.output("head.pan")
    assert (output.winner, output.source, output.value) == ("web", "websocket:2", 2.0)
    rig.router.take_control("tracks", "rc", 1.0, rig.now)  # this decides every field again
    assert rig.output("head.pan").source == "websocket:2"


def test_of_newcomers_of_equal_priority_the_first_in_the_file_wins() -> None:
    for order in (("a", "b"), ("b", "a")):
        rig = Rig(*(route(name, "rc", "head", [{"from": "x", "to": "pan"}]) for name in order))
        rig.send("rc", x=1.0)
        assert rig.output("head.pan").winner == order[0]


def test_commands_that_changed_are_dirty_and_no_others() -> None:
    rig = Rig(DRIVE, DIRECT)
    tracks = rig.router.by_name["tracks", "linear"].command
    head = rig.router.by_name["head", "pan"].command
    rig.send("rc", stick=0.0)
    assert rig.router.dirty == {tracks}
    rig.router.dirty.clear()
    rig.send("rc", stick=0.0)
    assert rig.router.dirty == set()
    rig.send("rc", stick=0.01)
    rig.send("websocket:1", "head", pan=0.0)
    assert rig.router.dirty == {tracks, head}
    rig.router.dirty.clear()
    rig.wait(0.2)  # the rc is lost
    assert rig.router.dirty == {tracks}
