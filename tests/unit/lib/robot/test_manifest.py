"""Robot manifests: valid, or refused with a sentence. SAINT's own fits its roles."""

import contextlib
import math
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.adoptiond.adapters import load_catalog
from saint_services.lib.config import parse
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.robot import manifest, urdf
from saint_services.lib.role_config.model import RoleConfig
from saint_services.webd.robot.roles import load_roles

MANIFESTS = Path(__file__).resolve().parents[4] / "manifests"
SAINT = manifest.load(MANIFESTS, "saint")
ROVER = """
name: ROVER
urdf: robots/rover.urdf
roles:
  - {role: tracks, config: roles/tracks.yaml, joints: {left_motor: wheel}}
"""
MODEL = """<robot name="rover">
  <link name="base_link"/><link name="tyre"/>
  <joint name="wheel" type="continuous">
    <parent link="base_link"/><child link="tyre"/><axis xyz="0 1 0"/>
  </joint>
</robot>"""


@pytest.fixture
def manifests(tmp_path: Path) -> Path:
    """The shipped manifests with another robot beside SAINT."""
    copy = tmp_path / "manifests"
    shutil.copytree(MANIFESTS, copy)
    (copy / "robots" / "rover.yaml").write_text(ROVER)
    (copy / "robots" / "rover.urdf").write_text(MODEL)
    return copy


def shipped_model() -> urdf.UrdfModel:
    assert SAINT.urdf
    return urdf.load(SAINT.urdf)


def test_every_field_that_moves_is_in_the_model() -> None:
    for entry in SAINT.manifest.roles:
        fields = SAINT.roles[entry.target].fields
        shown = {name for name in entry.joints if name in fields}
        assert shown == {name for name, field in fields.items() if field.kind == "position"}


def test_joint_limits_are_the_limits_of_the_roles() -> None:
    joints, compared = shipped_model().joints, 0
    for entry in SAINT.manifest.roles:
        for name, joint in entry.joints.items():
            field = SAINT.roles[entry.target].fields.get(name)
            if field and field.unit == "deg":
                limits = math.degrees(joints[joint].lower), math.degrees(joints[joint].upper)
                assert limits == pytest.approx(field.limits, abs=0.01)
                compared += 1
    assert compared == 3 + 2 + 2 * 6  # neck, eyes, two arms


def test_model_is_what_the_specification_names() -> None:
    model = shipped_model()
    assert model.root == "base_link"
    names = set(model.joints)
    assert {f"arms_{side}_joint_{n}" for side in ("left", "right") for n in range(6)} <= names
    assert {"arms_left_gripper", "arms_right_gripper", "head_jaw"} <= names
    assert {"head_pan", "head_tilt", "head_roll", "head_eye_pan", "head_eye_tilt"} <= names
    assert {"tracks_left_motor", "tracks_right_motor"} <= names
    assert model.joints["head_eye_right_pan"].mimics == "head_eye_pan"


def test_axes_are_rep_103() -> None:
    joints = shipped_model().joints
    assert joints["head_pan"].axis == (0, 0, 1)  # left is positive
    assert joints["head_tilt"].axis == (0, -1, 0)  # up is positive
    assert joints["head_roll"].axis == (1, 0, 0)
    assert joints["tracks_left_motor"].axis == (0, 1, 0)  # forward is positive


def test_left_is_positive_y_and_the_tracks_are_as_far_apart_as_the_role_says() -> None:
    assert SAINT.urdf
    robot = ElementTree.parse(SAINT.urdf).getroot()
    places = {
        joint.get("name"): [float(word) for word in joint.find("origin").get("xyz").split()]  # type: ignore[union-attr]
        for joint in robot.findall("joint")
    }
    geometry = SAINT.roles["tracks"].geometry
    assert geometry
    left, right = places["left_track_mount"][1], places["right_track_mount"][1]
    assert left - right == pytest.approx(geometry.track_width_m)
    assert places["arms_left_joint_0"][1] > 0 > places["arms_right_joint_0"][1]
    cylinder = robot.find(".//link[@name='left_sprocket']/visual/geometry/cylinder")
    assert cylinder is not None
    assert float(cylinder.get("radius", "")) == geometry.wheel_radius_m


def test_every_drawn_material_is_defined_and_every_moving_link_has_mass() -> None:
    assert SAINT.urdf
    robot = ElementTree.parse(SAINT.urdf).getroot()
    defined = {material.get("name") for material in robot.findall("material")}
    used = {material.get("name") for material in robot.findall("link/visual/material")}
    assert used <= defined
    for link in robot.findall("link/visual/.."):
        mass = link.find("inertial/mass")
        assert mass is not None, link.get("name")
        assert float(mass.get("value", "")) > 0.0


def test_another_robot_is_another_file(manifests: Path) -> None:
    rover = manifest.load(manifests, "rover")
    assert list(rover.roles) == ["tracks"]
    assert load_catalog(manifests, "rover").robot == "ROVER"
    assert list(load_roles(manifests.parent, "rover").by_target) == ["tracks"]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("name: ROVER", "nam: ROVER", "'name'"),
        ("role: tracks,", "role: track,", "tracks"),
        ("roles/tracks.yaml", "roles/head.yaml", "is for head, the robot names it for tracks"),
        ("roles/tracks.yaml", "roles/none.yaml", "does not exist"),
        ("roles/tracks.yaml", "../../etc/passwd", "is not below"),
        ("urdf: robots/rover.urdf", "urdf: robots/none.urdf", "cannot be read"),
        ("urdf: robots/rover.urdf", "urdf: ''", "urdf, which has them, is missing"),
        ("left_motor: wheel", "left_motor: whel", "which"),
        ("left_motor: wheel", "middle_motor: wheel", "no such field and no such motor"),
        ("left_motor: wheel", "linear: wheel", "wheel is continuous"),
        ("left_motor: wheel", "left_motor: wheel, right_motor: wheel", "names wheel twice"),
    ],
)
def test_wrong_robot_is_one_sentence(manifests: Path, old: str, new: str, says: str) -> None:
    path = manifests / "robots" / "rover.yaml"
    assert old in ROVER
    path.write_text(ROVER.replace(old, new))
    with pytest.raises(SaintError) as caught:
        manifest.load(manifests, "rover")
    assert caught.value.code in (Code.CONFIG_INVALID, Code.CONFIG_MISSING)
    assert says in caught.value.message


def test_role_named_twice_is_refused(manifests: Path) -> None:
    path = manifests / "robots" / "rover.yaml"
    path.write_text(ROVER + "  - {role: tracks, config: roles/tracks.yaml}\n")
    with pytest.raises(SaintError, match="roles names tracks twice"):
        manifest.load(manifests, "rover")


def test_limits_beyond_the_model_s_are_reported_with_both(manifests: Path) -> None:
    path = manifests / "roles" / "head.yaml"
    text = path.read_text()
    assert "limits: [-180, 180]" in text
    path.write_text(text.replace("limits: [-180, 180]", "limits: [-190, 180]"))
    with pytest.raises(SaintError, match=r"from -3\.3161 to 3\.1416 rad; head_pan is revolute"):
        manifest.load(manifests, "saint")


def test_limits_inside_of_the_model_s_are_the_owner_s_choice(manifests: Path) -> None:
    path = manifests / "roles" / "head.yaml"
    path.write_text(path.read_text().replace("limits: [-180, 180]", "limits: [-170, 90]"))
    assert manifest.load(manifests, "saint").roles["head"].fields["pan"].limits == (-170, 90)


BAD_MODELS = {
    "is not XML": "<robot",
    "must be a <robot": "<robots name='x'/>",
    "document type": "<!DOCTYPE robot [<!ENTITY a 'b'>]><robot name='x'/>",
    "has a <link> without a name": "<robot name='x'><link/></robot>",
    "names a twice": "<robot name='x'><link name='a'/><link name='a'/></robot>",
    "one link without a parent, has 2": "<robot name='x'><link name='a'/><link name='b'/></robot>",
    "names the link tyre": MODEL.replace('<link name="tyre"/>', ""),
    "known are revolute": MODEL.replace("continuous", "floating"),
    "has no <limit>": MODEL.replace("continuous", "revolute"),
    "of length 1": MODEL.replace("0 1 0", "0 2 0"),
    "3 finite numbers": MODEL.replace("0 1 0", "0 nan 0"),
    "has no child": MODEL.replace('<child link="tyre"/>', ""),
    "mimics other": MODEL.replace("<axis", '<mimic joint="other"/><axis'),
}


@pytest.mark.parametrize("says", BAD_MODELS)
def test_wrong_model_is_one_sentence(says: str) -> None:
    with pytest.raises(SaintError) as caught:
        urdf.parse(BAD_MODELS[says].encode(), "x.urdf")
    assert says in caught.value.message
    assert caught.value.code is Code.CONFIG_INVALID


@pytest.mark.parametrize("encoding", ["utf-16", "utf-7", "cp037", "no-such"])
def test_document_type_does_not_hide_behind_an_encoding(encoding: str) -> None:
    text = f"<?xml version='1.0' encoding='{encoding}'?><!DOCTYPE robot []><robot name='x'/>"
    data = text.encode() if encoding == "no-such" else text.encode(encoding)
    with pytest.raises(SaintError):
        urdf.parse(data, "x.urdf")


@given(st.data())
def test_damaged_model_is_read_or_refused(data: st.DataObject) -> None:
    model = bytearray(MODEL.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(model)))
        model[at : at + data.draw(st.integers(0, 8))] = data.draw(st.binary(max_size=8))
    with contextlib.suppress(SaintError):
        urdf.parse(bytes(model), "x.urdf")


def test_links_in_a_circle_are_refused() -> None:
    circle = """<robot name="x"><link name="root"/><link name="a"/><link name="b"/>
      <joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint>
      <joint name="ba" type="fixed"><parent link="b"/><child link="a"/></joint></robot>"""
    with pytest.raises(SaintError, match="is its own ancestor"):
        urdf.parse(circle.encode(), "x.urdf")


def test_robot_says_where_its_chips_are(manifests: Path) -> None:
    two = manifest.load(manifests, "saint_two")
    addresses = {
        target: role.i2c_devices["servos"].address
        for target, role in two.roles.items()
        if "servos" in role.i2c_devices
    }
    assert addresses == {"arms.left": 0x42, "arms.right": 0x43}
    served = load_catalog(manifests, "saint_two").roles
    for text in served.values():
        config = text.config
        plain = config.model_copy(update={"body": None, "outputs_mark": 0})
        assert plain.model_dump() == two.roles[config.target].model_dump()
        assert parse(RoleConfig, text.text, "served") == config  # what a node reads


def test_address_of_a_chip_that_the_role_does_not_have_is_refused(manifests: Path) -> None:
    path = manifests / "robots" / "rover.yaml"
    path.write_text(ROVER.replace("config:", "i2c_addresses: {motors: 0x44}, config:"))
    with pytest.raises(SaintError, match="names motors"):
        manifest.load(manifests, "rover")


def test_address_that_no_chip_can_have_is_refused(manifests: Path) -> None:
    path = manifests / "robots" / "saint_two.yaml"
    path.write_text(path.read_text().replace("0x42", "0x99"))
    with pytest.raises(SaintError, match="with i2c_addresses of the robot"):
        manifest.load(manifests, "saint_two")
