"""Every shipped robot opens on a simulated board by the real drivers, is driven, stops, is safe."""

import re
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.generated.saint_msgs import HeadCommand, HeadExpression, PartCommand
from saint_services.lib.generated.topics import HEAD_CMD, HEAD_EXPRESSION_CMD, PARTS_CMD
from saint_services.lib.robot.source import checked, template_text
from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.role_config.resources import conflict
from tests.unit.role.role_rig import Rig

MANIFESTS = Path(__file__).resolve().parents[4] / "manifests"
PI_4 = {12: 0, 13: 1}
NAMES = sorted(path.stem for path in (MANIFESTS / "robots").glob("*.yaml"))


def roles(name: str) -> dict[str, RoleConfig]:
    return checked(MANIFESTS, template_text(MANIFESTS, name), name).roles


@pytest.mark.parametrize("name", NAMES)
def test_template_is_sound_and_works_on_a_pi_4(name: str) -> None:
    for role in roles(name).values():
        assert conflict([], role, PI_4) == ""


@pytest.mark.parametrize("name", NAMES)
def test_template_says_what_it_is_in_its_first_line(name: str) -> None:
    assert template_text(MANIFESTS, name).startswith("# ")


def rig_of(directory: Path, role: RoleConfig) -> Rig:
    rig = Rig(directory, role.target.replace(".", "_"), role)
    rig.beat()
    return rig


def halved(field: Any) -> float:
    return float(field.neutral + (field.limits[1] - field.neutral) / 2)


@pytest.mark.parametrize("name", ["head", "inmoov_head"])
def test_head_turns_and_stays_where_it_was_stopped(tmp_path: Path, name: str) -> None:
    role = roles(name)["head"]
    rig = rig_of(tmp_path, role)
    pan = halved(role.fields["pan"])

    def say() -> None:
        rig.send(HEAD_CMD, HeadCommand(pan=pan, speed=1.0))
        rig.send(HEAD_EXPRESSION_CMD, HeadExpression(jaw=0.5))

    rig.live(3.0, say)
    joints = rig.session.joints.by_name
    assert joints["pan"].place == pytest.approx(pan, abs=0.5)
    assert joints["jaw"].place == pytest.approx(0.5, abs=0.02)
    rig.estop(True, 1)
    assert rig.session.is_safe
    assert joints["pan"].place == pytest.approx(pan, abs=0.5)
    rig.close()


@pytest.mark.parametrize(("name", "target"), [("face", "parts.face"), ("eyemech", "parts.eyes")])
def test_face_moves_every_servo_and_stops(tmp_path: Path, name: str, target: str) -> None:
    role = roles(name)[target]
    rig = rig_of(tmp_path, role)
    names = tuple(role.fields)
    values = tuple(field.limits[1] for field in role.fields.values())
    topic = PARTS_CMD.at(instance=role.instance)
    rig.live(2.0, lambda: rig.send(topic, PartCommand(names=names, values=values)))
    places = [rig.session.joints.by_name[each].place for each in names]
    assert places == pytest.approx(values, abs=0.5)
    rig.estop(True, 1)
    assert rig.session.is_safe
    rig.close()


@pytest.mark.parametrize("name", ["rover", "rover_l298n"])
def test_rover_drives_with_both_motors_and_stands_after_a_stop(tmp_path: Path, name: str) -> None:
    rig = rig_of(tmp_path, roles(name)["tracks"])
    rig.live(1.0, lambda: rig.drive(0.4))
    left, right = rig.duties()
    assert left > 0.1 and right > 0.1
    rig.estop(True, 1)
    assert rig.duties() == (0.0, 0.0)
    assert rig.session.is_safe
    rig.close()


def test_wagon_has_the_size_and_the_mass_of_its_reference() -> None:
    robot = checked(MANIFESTS, template_text(MANIFESTS, "saul_tee"), "saul_tee")
    model = robot.figure.model
    edges: list[tuple[float, ...]] = []
    for link, shapes in model.shapes.items():
        joint = next((each for each in model.joints.values() if each.child == link), None)
        at = joint.xyz if joint else (0.0, 0.0, 0.0)
        for shape in shapes:
            size = shape.size
            if shape.kind == "cylinder":  # lies along y
                size = (2 * size[0], size[1], 2 * size[0])
            centre = [a + b for a, b in zip(at, shape.xyz, strict=True)]
            for sign in (-0.5, 0.5):
                edges.append(tuple(c + sign * e for c, e in zip(centre, size, strict=True)))
    spans = [max(axis) - min(axis) for axis in zip(*edges, strict=True)]
    assert spans == pytest.approx([0.87, 0.51, 0.55])
    assert min(edge[2] for edge in edges) == pytest.approx(0.0)
    mass = sum(map(float, re.findall(r'mass value="([\d.]+)"', robot.figure.text)))
    assert mass == pytest.approx(23.0)
