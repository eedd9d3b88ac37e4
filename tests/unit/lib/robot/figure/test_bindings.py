"""Which joint shows which part: proposals by likeness, ranges that are narrowed, never widened."""

from pathlib import Path

import pytest

from saint_services.lib.robot import manifest, urdf
from saint_services.lib.robot.figure.bindings import misfit, narrowing, proposed
from tests.unit.lib.robot.figure.uploads import URDF

MANIFESTS = Path(__file__).resolve().parents[5] / "manifests"
SAINT = manifest.load(MANIFESTS, "saint")
FACE = manifest.load(MANIFESTS, "face")
MODEL = urdf.parse(URDF.encode(), "mine")


def test_own_model_of_saint_is_bound_as_its_manifest_binds_it() -> None:
    assert proposed(SAINT.figure.model, SAINT.roles) == SAINT.figure.joints


def test_joints_are_proposed_by_words_that_mean_the_same() -> None:
    assert proposed(MODEL, SAINT.roles) == {"head": {"pan": "neck_yaw", "jaw": "mouth"}}
    assert proposed(MODEL, FACE.roles) == {"parts.face": {"jaw": "mouth"}}


@pytest.mark.parametrize(
    ("joint", "part"),
    [
        ("left_shoulder_joint_0", ("arms.left", "joint_0")),
        ("arm_r_joint_3", ("arms.right", "joint_3")),
        ("l_gripper", ("arms.left", "gripper")),
    ],
)
def test_sides_and_numbers_are_kept_apart(joint: str, part: tuple[str, str]) -> None:
    text = URDF.replace("neck_yaw", joint)
    found = proposed(urdf.parse(text.encode(), "x"), SAINT.roles)
    target, name = part
    assert found[target][name] == joint
    assert all(joint not in each.values() for other, each in found.items() if other != target)


def test_narrower_joint_narrows_and_wider_one_changes_nothing() -> None:
    spec = SAINT.roles["head"].fields["pan"]  # -180 to 180
    assert narrowing(spec, MODEL.joints["neck_yaw"]) == (
        "moves only from -57.3 to 180.0 deg: neck_yaw goes no further"
    )
    wide = urdf.parse(URDF.replace('lower="-1"', 'lower="-9"').encode(), "x")
    assert narrowing(spec, wide.joints["neck_yaw"]) == ""


def test_joint_without_a_range_in_common_is_refused() -> None:
    apart = urdf.parse(URDF.replace('lower="-1" upper="4"', 'lower="4" upper="5"').encode(), "mine")
    head = SAINT.roles["head"]
    assert "may go from -3.1416 to 3.1416 rad" in misfit(
        head, "pan", "neck_yaw", apart, "mine", may_narrow=True
    )
    assert not misfit(head, "pan", "neck_yaw", MODEL, "mine", may_narrow=True)
    assert misfit(head, "pan", "neck_yaw", MODEL, "mine", may_narrow=False)
