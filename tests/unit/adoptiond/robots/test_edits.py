"""Edits of single parts in a robot's text: what they change, and that all else stays as written."""

from pathlib import Path

import pytest

from saint_services.adoptiond.robots.edits import with_parts, without_part
from saint_services.adoptiond.robots.parts import parts
from saint_services.lib.api.robot import PartEdit, RemovePart, SetPart
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.robot.source import checked, template_text
from saint_services.lib.role_config.references import named_parts
from saint_services.lib.role_config.sound import Sound

MANIFESTS = Path(__file__).resolve().parents[4] / "manifests"
TEXT = template_text(MANIFESTS, "saint")
SAINT = checked(MANIFESTS, TEXT, "saint")


def edited(target: str, name: str, **settings: object) -> str:
    wanted = SetPart.model_validate({"target": target, "name": name, **settings})
    return with_parts(TEXT, SAINT, [wanted])


def differing(text: str) -> list[tuple[str, str]]:
    pairs = zip(TEXT.splitlines(), text.splitlines(), strict=True)
    return [(before.strip(), after.strip()) for before, after in pairs if before != after]


def test_changed_setting_changes_one_line_and_keeps_every_comment() -> None:
    (found,) = differing(edited("head", "pan", hardware={"pulse_us": [600, 2400]}))
    assert found[0].endswith("pulse_us: [500, 2500]}")
    assert found[1].endswith("pulse_us: [600, 2400]}")


def test_setting_without_a_value_is_removed() -> None:
    text = edited("head", "pan", hardware={"frequency": None})
    assert "pan: {type: servo, pin: 12, pulse_us: [500, 2500]}" in text


def test_part_of_another_role_of_the_same_name_stays() -> None:
    text = edited("arms.right", "joint_0", output={"max_rate": 10})
    robot = checked(MANIFESTS, text, "robot.yaml")
    assert robot.roles["arms.right"].fields["joint_0"].max_rate == 10
    assert robot.roles["arms.left"] == SAINT.roles["arms.left"]


def test_new_device_goes_into_its_group() -> None:
    text = edited("head", "more", hardware={"bus": 1, "address": 0x41, "driver": "pca9685"})
    robot = checked(MANIFESTS, text, "robot.yaml")
    assert robot.roles["head"].i2c_devices["more"].address == 0x41


def test_microphone_and_loudspeaker_are_parts_of_any_role() -> None:
    first = edited(
        "tracks", "microphone", hardware={"driver": "microphone", "alsa_device": "a:1,0"}
    )
    robot = checked(MANIFESTS, first, "robot.yaml")
    assert robot.roles["tracks"].sound == Sound(microphone="a:1,0")
    (part,) = (each for each in parts(robot, {}) if each.kind == "microphone")
    assert (part.target, part.name, part.place) == ("tracks", "microphone", "a:1,0")
    both = with_parts(
        first,
        robot,
        [
            PartEdit(target="tracks", name="microphone", hardware={"alsa_device": "b:0,0"}),
            PartEdit(target="tracks", name="loudspeaker", hardware={
                "driver": "loudspeaker", "alsa_device": "c"}),
        ],
    )  # fmt: skip
    robot = checked(MANIFESTS, both, "robot.yaml")
    assert robot.roles["tracks"].sound == Sound(microphone="b:0,0", loudspeaker="c")
    for name in ("microphone", "loudspeaker"):
        both = without_part(both, robot, RemovePart(target="tracks", name=name))
        robot = checked(MANIFESTS, both, "robot.yaml")
    assert both == TEXT


@pytest.mark.parametrize(
    ("name", "settings", "said"),
    [
        ("ear", {"hardware": {"driver": "microphone", "alsa_device": "a"}}, "named like that"),
        ("microphone", {"hardware": {"driver": "microphone"}}, "needs an alsa_device"),
        ("microphone", {"hardware": {"driver": "microphone", "pin": 4}}, "only an alsa_device"),
        (
            "microphone",
            {"hardware": {"driver": "microphone", "alsa_device": "a"}, "rename": "ear"},
            "named like that",
        ),
    ],
)
def test_sound_device_has_one_name_and_one_setting(
    name: str, settings: dict[str, object], said: str
) -> None:
    with pytest.raises(SaintError, match=said):
        edited("tracks", name, **settings)


def test_renamed_part_is_renamed_wherever_the_robot_names_it() -> None:
    text = edited("tracks", "left_motor", rename="port_motor")
    robot = checked(MANIFESTS, text, "robot.yaml")
    assert "port_motor" in robot.roles["tracks"].gpio_mapping
    joints = next(each.joints for each in robot.manifest.roles if each.role == "tracks")
    assert joints["port_motor"] == "tracks_left_motor"


LIMITED = TEXT.replace(
    "      fields:\n",
    "      collision_limits:\n"
    "        - {when: {pan: [-90, -60]}, then: {tilt: [-10, 10]}}  # a cable\n"
    "      fields:\n",
    1,
)


def test_renamed_part_is_followed_in_collision_limits() -> None:
    assert LIMITED != TEXT
    wanted = SetPart.model_validate({"target": "head", "name": "pan", "rename": "turn"})
    text = with_parts(LIMITED, checked(MANIFESTS, LIMITED, "saint"), [wanted])
    assert "- {when: {turn: [-90, -60]}, then: {tilt: [-10, 10]}} # a cable" in text
    limit = checked(MANIFESTS, text, "robot.yaml").roles["head"].collision_limits[0]
    assert (set(limit.when), set(limit.then)) == ({"turn"}, {"tilt"})


def test_part_that_collision_limits_name_is_not_removed() -> None:
    robot = checked(MANIFESTS, LIMITED, "saint")
    with pytest.raises(SaintError) as caught:
        without_part(LIMITED, robot, RemovePart(target="head", name="tilt"))
    assert caught.value.message == (
        "head.tilt cannot be removed: collision_limits[0].then.tilt of head names it"
    )


@pytest.mark.parametrize(
    ("template", "target", "name", "places"),
    [
        ("saint", "console", "button_a", {"reset_button"}),
        ("saint", "console", "button_b", {"overrides.other"}),
        ("saint", "head", "face", {"gpio_mapping.roll.device", "gpio_mapping.jaw.device"}),
        # A default that the text does not say.
        ("so101_pair", "leader.hand", "gripper", {"lead.shares[0]", "lead.clutch.joint"}),
    ],
)
def test_nothing_names_a_renamed_part_by_its_old_name(
    template: str, target: str, name: str, places: set[str]
) -> None:
    text = template_text(MANIFESTS, template)
    robot = checked(MANIFESTS, text, template)
    wanted = SetPart.model_validate({"target": target, "name": name, "rename": "other"})
    after = checked(MANIFESTS, with_parts(text, robot, [wanted]), "robot.yaml").roles[target]
    assert {each.place for each in named_parts(after) if each.name == "other"} >= places
    assert name not in {each.name for each in named_parts(after)}


def test_renaming_to_a_taken_name_is_a_conflict() -> None:
    with pytest.raises(SaintError) as caught:
        edited("head", "pan", rename="tilt")
    assert caught.value.code is Code.CONFLICT


def test_removed_part_is_gone_with_its_joint() -> None:
    text = without_part(TEXT, SAINT, RemovePart(target="head", name="jaw"))
    robot = checked(MANIFESTS, text, "robot.yaml")
    assert "jaw" not in robot.roles["head"].fields
    assert "jaw" not in robot.roles["head"].gpio_mapping
    assert "jaw" not in robot.manifest.roles[0].joints


@pytest.mark.parametrize(
    ("target", "name", "words"),
    [("head", "nose", "no part 'nose'"), ("legs", "hip", "no role 'legs'")],
)
def test_unknown_part_or_role_is_not_found(target: str, name: str, words: str) -> None:
    with pytest.raises(SaintError) as caught:
        without_part(TEXT, SAINT, RemovePart(target=target, name=name))
    assert caught.value.code is Code.NOT_FOUND
    assert words in caught.value.message


def test_request_without_a_setting_is_refused() -> None:
    with pytest.raises(SaintError) as caught:
        edited("head", "pan")
    assert caught.value.code is Code.REQUEST_INVALID
