"""The body that nodes get, made of manifest, model and roles; and shapes that are refused."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from saint_services.lib.config import parse
from saint_services.lib.errors import SaintError
from saint_services.lib.robot import manifest, urdf
from saint_services.lib.robot.body import body_of, load_body
from saint_services.lib.robot.source import checked, template_text
from saint_services.lib.role_config.body import Body, BodyLink

MANIFESTS = Path(__file__).resolve().parents[4] / "manifests"
ROBOT = manifest.load(MANIFESTS, "saint")
PART = '<robot name="r"><link name="a"><collision>{}</collision></link></robot>'


def saint() -> Body:
    assert ROBOT.urdf
    return body_of(ROBOT.manifest, urdf.load(ROBOT.urdf), ROBOT.roles)


def test_body_has_every_link_and_joint_of_the_model() -> None:
    assert ROBOT.urdf
    model, body = urdf.load(ROBOT.urdf), saint()
    assert {link.name for link in body.links} == model.links
    assert {link.joint for link in body.links if link.joint} == set(model.joints)
    assert body.roles["arms.left"].angles["joint_0"] == "arms_left_joint_0"
    assert body.roles["arms.left"].shares == {"gripper": "arms_left_gripper"}
    assert body.roles["tracks"].angles == {}  # motors have no position
    assert (body.margin_m, body.floor_m) == (0.01, 0.0)


def test_body_survives_its_way_to_a_node() -> None:
    body = saint()
    assert Body.model_validate_json(body.model_dump_json(exclude_defaults=True)) == body


def test_loading_gives_the_same_body_and_parses_the_model_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parsed: list[str] = []
    parse_model = urdf.parse

    def counted(data: bytes, name: str) -> urdf.UrdfModel:
        parsed.append(name)
        return parse_model(data, name)

    monkeypatch.setattr(urdf, "parse", counted)
    robot = manifest.load(MANIFESTS, "saint")
    assert load_body(robot) == load_body(robot)
    assert len(parsed) == 1
    assert load_body(robot) == saint()


@pytest.mark.parametrize(
    ("geometry", "says"),
    [
        ('<geometry><cone radius="1"/></geometry>', "one of box, cylinder"),
        ("<geometry/>", "one of box, cylinder"),
        ('<geometry><box size="1 2"/></geometry>', "3 finite numbers"),
        ('<geometry><box size="1 2 -1"/></geometry>', "must be positive"),
        ('<geometry><sphere radius="nan"/></geometry>', "1 finite number"),
        ("<geometry><sphere/></geometry>", "must be positive"),
    ],
)
def test_shape_that_is_none_is_refused_by_link(geometry: str, says: str) -> None:
    with pytest.raises(SaintError, match=says) as err:
        urdf.parse(PART.format(geometry).encode(), "r.urdf")
    assert "link a, collision" in err.value.message


def test_mesh_is_known_and_has_no_shape() -> None:
    mesh = '<geometry><mesh filename="package://r/a.stl"/></geometry>'
    model = urdf.parse(PART.format(mesh).encode(), "r.urdf")
    assert model.shapes["a"][0].kind == "mesh"
    robot = parse(manifest.RobotManifest, "name: R\nroles: [{role: head, config: x}]", "r")
    assert body_of(robot, model, {}).links == [BodyLink(name="a")]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"links": [BodyLink(name="a"), BodyLink(name="b")]}, "before its parent"),
        ({"links": [BodyLink(name="a"), BodyLink(name="a", parent="a")]}, "names a twice"),
        ({"links": [BodyLink(name="a", joint="j", mimics="k")]}, "mimics k, unknown"),
        ({"roles": {"head": {"angles": {"pan": "none"}}}}, "the joint none, unknown"),
        ({"roles": {"head": {"hand": {"link": "none"}}}}, "the link none, unknown"),
    ],
)
def test_body_that_contradicts_itself_is_refused(change: dict[str, object], says: str) -> None:
    data = {"margin_m": 0.01, "links": [BodyLink(name="a")]} | change
    with pytest.raises(ValidationError, match=says):
        Body.model_validate(data)


def test_hand_on_a_link_that_the_model_has_not_is_refused() -> None:
    text = template_text(MANIFESTS, "saint").replace("link: left_arm_hand", "link: claw")
    with pytest.raises(SaintError, match=r"the hand of arms.left is claw"):
        checked(MANIFESTS, text, "robot.yaml")
