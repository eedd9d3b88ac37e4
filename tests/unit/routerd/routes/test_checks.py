"""Which routes are refused, with which words; what an edit does to a moving robot; the presets."""

from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from saint_services.lib.api.routing import Blending, RouteFile
from saint_services.lib.config.validation import faults
from saint_services.lib.errors import Code, SaintError
from saint_services.routerd import adapters
from saint_services.routerd.inputs.sources import InputSource
from saint_services.routerd.routes.checks import (
    MAX_ROUTES,
    applies,
    check,
    check_all,
    check_file,
    fitting,
    missing_targets,
)
from tests.unit.routerd.rig import DIRECT, DRIVE, SHARE, TURN, Rig, preset, robot, route

PAN = {"from": "a", "to": "pan"}
STOP = {"from": "a", "to": "estop", "mode": "switch"}


@pytest.mark.parametrize(
    ("target", "to", "field"), [("head", "eyes", "eye_pan"), ("*", "head.eyes", "head.eye_pan")]
)
def test_eyes_are_the_specifications_name_of_eye_pan(target: str, to: str, field: str) -> None:
    made = route("look", "rc", target, [PAN | {"to": to}])
    check(made, robot())
    assert made == route("look", "rc", target, [PAN | {"to": field}])


@pytest.mark.parametrize(
    ("target", "mapping", "more", "words"),
    [
        ("haed", [PAN], {}, "output.target 'haed' is not known; did you mean 'head'?"),
        ("head", [PAN | {"to": "pam"}], {}, "mapping[0].to 'pam' is not known of head; did you"),
        ("head", [PAN, PAN | {"clamp": [1, -1]}], {}, "mapping[1].clamp must rise"),
        ("*", [PAN], {}, "needs one target"),
        ("head", [PAN | {"to": "estop"}], {}, "the e-stop is a switch"),
        ("head", [PAN], {"input": {"type": "fase"}}, "did you mean 'face'?"),
        ("*", "passthrough", {"input": {"command_types": ["moev"]}}, "did you mean 'move'?"),
        ("head", [PAN] * 129, {}, "more than 128 mappings"),
        (
            "head",
            [PAN | {"curve": "smooth", "points": [(0, 0)]}],
            {},
            "mapping[0].points: the curve smooth needs 2 to 9, not 1",
        ),
        (
            "head",
            [PAN | {"points": [(0, 0), (0.0005, 1)]}],
            {},
            "mapping[0].points: the inputs must rise by at least 0.001, not [0.0, 0.0005]",
        ),
        *(
            ("*", [STOP | more], {}, f"mapping[0].{words}")
            for more, words in (
                ({"filter": "low_pass"}, "filter: the e-stop is never filtered"),
                ({"rate_limit": 1}, "rate_limit: the e-stop has no rate"),
                ({"only_while": [{}]}, "only_while: the e-stop has no condition"),
            )
        ),
        *(
            (
                "head",
                [PAN | {"only_while": [{}, condition]}],
                {},
                f"mapping[0].only_while[1].{what}",
            )
            for condition, what in (
                ({"source": "rcc"}, "source 'rcc' is not known; did you mean 'rc'?"),
                ({"source": "rc:1"}, "source 'rc:1' must be like rc or livelink:Face"),
                ({"input": "channel_7"}, "input 'channel_7' needs one of above and below"),
                ({"input": "a", "above": 0, "below": 1}, "input 'a' needs one of above and below"),
                ({"above": 0.5}, "input: above and below need an input"),
                ({"input": "head.pan", "above": 1}, "input 'head.pan' is an output of the robot"),
            )
        ),
        (
            "head",
            [PAN | {"from": "tracks.linear"}],
            {},
            "'tracks.linear' is an output of the robot",
        ),
    ],
)
def test_unsound_route_is_refused_with_the_nearest_name(
    target: str, mapping: Any, more: dict[str, Any], words: str
) -> None:
    with pytest.raises(SaintError) as caught:
        check(route("x", "websocket", target, mapping, **more), robot())
    assert caught.value.code is Code.REQUEST_INVALID
    assert words in caught.value.message
    assert caught.value.message.startswith("route x: ")


def test_two_routes_of_one_name_are_refused() -> None:
    with pytest.raises(SaintError, match="two routes 'rc_drive'"):
        check_all([DRIVE, DRIVE], robot())


def test_too_many_routes_are_refused() -> None:
    many = [DRIVE.model_copy(update={"id": f"r{i}"}) for i in range(MAX_ROUTES + 1)]
    with pytest.raises(SaintError, match="more than the 128"):
        check_all(many, robot())


@pytest.mark.parametrize(
    "name", sorted(path.stem for path in (SHARE / "manifests" / "routes").glob("*.yaml"))
)
def test_preset_is_sound(name: str) -> None:
    check_all(preset(name), adapters.load_robot(SHARE, "asimov") if name == "walk" else robot())


def test_all_presets_are_there() -> None:
    names = {path.stem for path in (SHARE / "manifests" / "routes").glob("*.yaml")}
    assert {"default", "facecap_head", "rc_manual", "manual_override", "ue_fullbody"} <= names


def test_default_lets_rc_drive_and_face_look_at_the_same_time() -> None:
    rig = Rig(*preset())
    channels = {f"channel_{number}": 0.01 for number in range(1, 17)} | {"channel_6": -1.0}
    for _ in range(50):
        rig.send("rc", **(channels | {"channel_2": 0.5}))
        rig.send("livelink:iPhone", headYaw=0.2, headPitch=-0.1, headRoll=0.0, jawOpen=0.4)
        rig.wait(0.01)
    assert rig.value("tracks.linear") == pytest.approx(0.5, abs=0.15)
    assert rig.value("head.pan") == pytest.approx(11.45916)
    assert rig.value("head.jaw") == pytest.approx(0.4)
    assert not rig.router.latch.active


def test_edit_of_a_driving_route_keeps_it_in_control() -> None:
    rig = Rig(DRIVE)
    rig.stream(0.4, "rc", stick=0.8)
    rig.router.set_routes([DRIVE, DIRECT], rig.now)
    assert rig.output("tracks.linear").policy == "live"
    assert rig.value("tracks.linear") == pytest.approx(1.2)
    rig.stream(0.1, "rc", stick=0.5)
    assert rig.value("tracks.linear") == pytest.approx(0.75)


def test_edit_takes_effect_without_a_new_sample() -> None:
    rig = Rig(DRIVE)
    rig.stream(0.4, "rc", stick=0.8)
    half = route("rc_drive", "rc", "tracks", [{"from": "stick", "to": "linear", "scale": 0.5}])
    rig.router.set_routes([half], rig.now)
    rig.wait(0.1)  # half of the cross-fade from 1.2 to 0.4
    assert rig.value("tracks.linear") == pytest.approx(0.8, abs=0.05)
    rig.stream(0.1, "rc", stick=0.8)
    assert rig.value("tracks.linear") == pytest.approx(0.4)


def test_removed_route_releases_its_field() -> None:
    rig = Rig(DRIVE)
    rig.stream(0.4, "rc", stick=1.0)
    rig.router.set_routes([], rig.now)
    assert rig.output("tracks.linear").policy == "ramp_to_zero"
    rig.stream(0.06, "rc", stick=1.0)
    assert rig.value("tracks.linear") == 0.0
    assert list(rig.router.claims) == []


def test_disabled_route_releases_its_field_to_the_next() -> None:
    rig = Rig(DRIVE, DIRECT)
    rig.send("rc", stick=0.0)
    rig.send("websocket:1", "tracks", linear=0.05)
    off = DRIVE.model_copy(update={"enabled": False})
    rig.router.set_routes([off, DIRECT], rig.now)
    assert rig.output("tracks.linear").winner == "web"


def test_new_velocity_route_drives_only_after_its_input_was_moved() -> None:
    rig = Rig(DRIVE)
    rig.stream(0.1, "rc", stick=0.0, wheel=1.0)
    rig.router.set_routes([DRIVE, TURN], rig.now)
    rig.stream(0.3, "rc", stick=0.0, wheel=1.0)
    assert rig.value("tracks.angular") == 0.0
    assert [r.reason for r in rig.output("tracks.angular").rivals] == ["must move first"]
    rig.stream(0.3, "rc", stick=0.0, wheel=0.5)
    assert rig.value("tracks.angular") == 1.5


def test_new_priority_counts_at_once() -> None:
    rig = Rig(DRIVE, DIRECT)
    rig.send("rc", stick=0.0)
    rig.send("websocket:1", "tracks", linear=0.01)
    rig.router.set_routes([DRIVE, DIRECT.model_copy(update={"priority": 900})], rig.now)
    assert rig.output("tracks.linear").winner == "web"


def test_refused_edit_changes_nothing() -> None:
    rig = Rig(DRIVE)
    with pytest.raises(SaintError):
        rig.router.set_routes([DRIVE, DRIVE], rig.now)
    assert rig.router.routes == (DRIVE,)


def test_most_routes_and_most_mappings() -> None:
    check_all([DRIVE.model_copy(update={"id": f"r{i}"}) for i in range(128)], robot())
    check(route("x", "rc", "head", [PAN] * 128), robot())
    assert MAX_ROUTES == 128


def test_subject_must_be_one_that_a_source_can_have() -> None:
    for subject in ("", "x" * 120):
        with pytest.raises(SaintError, match=r"input\.subject must be"):
            check(route("x", "livelink", "head", [PAN], input={"subject": subject}), robot())
    check(route("x", "livelink", "head", [PAN], input={"subject": "x" * 100}), robot())
    check(route("x", "rc", "head", [PAN], input={"subject": ""}), robot())


def test_target_and_field_may_stand_in_the_mapping() -> None:
    arrows = [{"from": "a", "to": "head.pan"}, {"from": "a", "to": "arms.left.joint_0"}]
    rig = Rig(route("x", "rc", "*", arrows))
    rig.send("rc", a=5.0)
    assert (rig.value("head.pan"), rig.value("arms.left.joint_0")) == (5.0, 5.0)
    with pytest.raises(SaintError, match=r"'head.pam' is not known; did you mean 'head.pan'\?"):
        check(route("x", "rc", "*", [{"from": "a", "to": "head.pam"}]), robot())


def test_order_of_the_file_counts_after_an_edit_too() -> None:
    first, second = (route(name, "rc", "head", [{"from": "x", "to": "pan"}]) for name in "ab")
    rig = Rig(first, second)
    rig.send("rc", x=1.0)
    rig.router.set_routes([second, first], rig.now)
    assert rig.output("head.pan").winner == "a"
    rig.wait(0.2)
    rig.send("rc", x=1.0)
    assert rig.output("head.pan").winner == "b"


def test_route_for_another_target_takes_no_direct_command() -> None:
    rig = Rig(route("m", "websocket", "head", [{"from": "x", "to": "pan"}]))
    rig.send("websocket:1", "tracks", x=1.0)
    assert rig.output("head.pan").winner == ""
    rig.send("websocket:1", "head", x=1.0)
    assert rig.output("head.pan").winner == "m"
    rig.send("websocket:2", x=1.0)
    assert {r.source for r in rig.output("head.pan").rivals} == {"websocket:2"}


def test_command_types_distinguish_positions_grippers_and_velocities() -> None:
    allowed = {
        "move": {"arms.left.joint_0"},
        "home": {"arms.left.joint_0"},
        "gripper": {"arms.left.gripper"},
        "drive": {"tracks.linear"},
        "stop": {"tracks.linear"},
    }
    for word, fields in allowed.items():
        rig = Rig(route("w", "websocket", "*", input={"command_types": [word]}))
        rig.send("websocket:1", "tracks", linear=0.0)
        rig.send("websocket:1", "arms.left", joint_0=1.0, gripper=1.0)
        outputs = rig.status().outputs
        assert {f"{each.target}.{each.field}" for each in outputs if each.winner} == fields


def test_full_body_preset_looks_where_the_character_looks() -> None:
    rig = Rig(*preset("ue_fullbody"))
    bones = {"Head.yaw": 10.0, "Head.pitch": -20.0, "Head.roll": 5.0, "LeftArm.elbow": 30.0}
    rig.send("livelink:UE_Character", **bones)
    assert (rig.value("head.pan"), rig.value("head.tilt")) == (10.0, 20.0)  # left and up
    assert rig.value("head.roll") == 5.0
    assert rig.value("arms.left.joint_2") == 30.0


def test_manual_override_leaves_control_to_websocket_clients() -> None:
    rig = Rig(*preset("manual_override"))
    rig.stream(0.2, "rc", channel_1=1.0, channel_2=1.0, channel_4=1.0, channel_6=-1.0)
    rig.stream(0.2, "livelink:a", headYaw=1.0, jawOpen=1.0)
    rig.stream(0.2, "autonomous:a", "tracks", linear=1.0)
    assert not any(output.winner for output in rig.status().outputs)
    rig.stream(0.2, "websocket:1", "tracks", linear=0.5)
    assert rig.value("tracks.linear") == 0.5
    rig.send("rc", channel_6=1.0)
    assert rig.router.latch.active


def test_edit_counts_the_newest_values_of_a_source_with_several_sets_of_names() -> None:
    rig = Rig(DIRECT)
    rig.send("websocket:1", "head", pan=1.0, tilt=1.0)
    rig.wait(0.01)
    rig.send("websocket:1", "head", pan=2.0)
    rig.router.set_routes([DIRECT.model_copy(update={"weight": 1.0})], rig.now)
    assert (rig.value("head.pan"), rig.value("head.tilt")) == (2.0, 1.0)
    rig.wait(0.25)
    rig.send("websocket:1", "head", pan=2.0)
    rig.wait(0.1)
    assert rig.output("head.pan").winner == "web"
    assert rig.output("head.tilt").winner == ""


def test_removed_route_no_longer_keeps_the_field_of_a_lost_source() -> None:
    rig = Rig(DRIVE, DIRECT)
    rig.send("rc", stick=0.0)
    rig.send("websocket:1", "tracks", linear=0.05)
    rig.send("rc", failsafe=True, stick=0.0)
    assert rig.output("tracks.linear").winner == ""
    rig.router.set_routes([DIRECT], rig.now)
    assert rig.output("tracks.linear").winner == "web"


def test_edit_of_other_routes_goes_on_keeping_the_field_of_a_lost_source() -> None:
    rig = Rig(DRIVE, DIRECT)
    rig.send("rc", stick=0.0)
    rig.send("websocket:1", "tracks", linear=0.05)
    rig.send("rc", failsafe=True, stick=0.0)
    rig.router.set_routes([DRIVE, DIRECT, TURN], rig.now)
    assert rig.output("tracks.linear").winner == ""


def test_samples_that_were_taken_are_counted() -> None:
    rig = Rig(DRIVE)
    rig.send("rc", stick=0.0)
    rig.send("rc", stick=0.1)
    rig.send("rc", sequence=1, stick=0.2)
    rig.send("rc", sequence=9, failsafe=True)
    assert rig.status().samples == 3
    assert rig.router.sources["rc"].samples == 3


def test_program_that_comes_after_an_edit_drives_at_once() -> None:
    rig = Rig(DRIVE)
    rig.router.set_routes([DRIVE, DIRECT], rig.now)
    rig.stream(0.2, "websocket:7", "tracks", linear=0.5)
    assert rig.value("tracks.linear") == 0.5


def file_of(**fields: str) -> RouteFile:
    """Make a file of two routes, with the blending of these fields."""
    named = {name.replace("__", "."): mode for name, mode in fields.items()}
    blending = Blending.model_validate({"fields": named})
    return RouteFile(routes=[DRIVE, route("pan", "rc", "head", [PAN])], blending=blending)


def test_unknown_field_that_is_to_be_mixed_is_refused() -> None:
    check_file(file_of(tracks__linear="blend"), robot())
    with pytest.raises(SaintError, match=r"fields 'tracks\.liner' is not known") as caught:
        check_file(file_of(tracks__liner="blend"), robot())
    assert caught.value.code is Code.REQUEST_INVALID


def test_preset_for_more_roles_is_cut_to_those_that_there_are() -> None:
    file = file_of(tracks__linear="blend", arms__left__joint_0="additive", wings__flap="blend")
    headless = replace(robot(), fields={"tracks": robot().fields["tracks"]})
    assert missing_targets(file, headless) == {"head", "arms.left", "wings"}
    found = fitting(file, headless, ["head", "arms.left", "tracks"])
    assert [each.id for each in found.routes] == ["rc_drive"]
    assert sorted(found.blending.fields) == ["tracks.linear", "wings.flap"]  # refused by name


def test_clamp_of_one_value_is_sound() -> None:
    check(route("x", "websocket", "head", [PAN | {"clamp": [1, 1]}]), robot())


def test_mapping_without_a_target_is_answered_with_an_example() -> None:
    with pytest.raises(SaintError) as caught:
        check(route("x", "rc", "*", [PAN]), robot())
    assert caught.value.message.endswith("such as 'head.pan'")
    headless = replace(robot(), fields={"tracks": robot().fields["tracks"]})
    with pytest.raises(SaintError, match=r"such as 'tracks\.linear'"):
        check(route("x", "rc", "*", [PAN]), headless)
    with pytest.raises(SaintError, match=r"such as 'head\.pan'"):
        check(route("x", "rc", "*", [PAN]), replace(robot(), fields={}))


def is_for(
    wanted: dict[str, Any], source: InputSource, target: str = "", *names: str, to: str = "head"
) -> bool:
    more = {"mapping": [PAN]} if wanted.pop("is_mapped", True) else {}
    made = route("r", wanted.pop("source", "livelink"), to, **more, input=wanted)
    return applies(made, source, target, names)


def test_route_is_for_its_source_and_subject() -> None:
    ann = InputSource("livelink:Ann", "livelink", 0.5)
    assert is_for({"subject": "Ann"}, ann) and is_for({"subject": "*"}, ann)
    assert not is_for({"subject": "Bob"}, ann)
    assert not is_for({"subject": "*", "source": "websocket"}, ann)
    rc = InputSource("rc", "rc", 0.12)
    assert is_for({"subject": "other", "source": "rc"}, rc)  # there is only one


def test_route_is_for_its_type_of_subject() -> None:
    ann = InputSource("livelink:Ann", "livelink", 0.5)
    assert is_for({"type": "face"}, ann, "", "jawOpen")
    assert not is_for({"type": "face"}, ann, "", "LeftArm.elbow")


@pytest.mark.parametrize(
    ("target", "to", "is_mapped", "expected"),
    [
        ("head", "head", False, True),
        ("head", "*", False, True),
        ("head", "tracks", False, False),
        ("head", "tracks", True, False),
        ("", "head", False, True),
        ("", "head", True, True),
        ("", "*", True, True),
        ("", "*", False, False),  # nobody says what it drives
    ],
)
def test_route_is_for_samples_of_its_target(
    target: str, to: str, is_mapped: bool, expected: bool
) -> None:
    ann = InputSource("livelink:Ann", "livelink", 0.5)
    assert is_for({"is_mapped": is_mapped}, ann, target, to=to) is expected


def test_route_that_is_off_is_for_nothing() -> None:
    rc = InputSource("rc", "rc", 0.12)
    assert applies(DRIVE, rc, "", ())
    assert not applies(DRIVE.model_copy(update={"enabled": False}), rc, "", ())


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"cutoff_hz": 0.04}, "mapping[0].cutoff_hz must be at least 0.05"),
        ({"cutoff_hz": 51}, "mapping[0].cutoff_hz must be at most 50"),
        ({"beta": -1}, "mapping[0].beta must be at least 0"),
        ({"derivative_hz": 0}, "mapping[0].derivative_hz must be at least 0.05"),
        ({"rate_limit": 0}, "mapping[0].rate_limit must be above 0"),
        ({"points": [(x, 0) for x in range(10)]}, "mapping[0].points must be at most 9 long"),
        ({"points": [(0, "nan")]}, "mapping[0].points[0] must be a number"),
        ({"only_while": [{}] * 5}, "mapping[0].only_while must be at most 4 long"),
        ({"only_while": [{"hysteresis": -1}]}, "mapping[0].only_while[0].hysteresis must be at l"),
    ],
)
def test_number_beyond_its_limit_is_named_with_its_field(more: dict[str, Any], words: str) -> None:
    data = {"routes": [{"id": "x", "input": {"source": "rc"}, "output": {"target": "head"}}]}
    data["routes"][0]["mapping"] = [PAN | more]
    with pytest.raises(ValidationError) as caught:
        RouteFile.model_validate(data)
    assert words in str(faults(caught.value, RouteFile, data)[0])
