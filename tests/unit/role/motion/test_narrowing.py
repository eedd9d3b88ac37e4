"""A joint of the owner's model narrows the range of its part at the role, and never widens it."""

import math
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from saint_services.lib.generated.saint_msgs import HeadCommand
from saint_services.lib.generated.topics import HEAD_CMD
from saint_services.lib.role.motion.body_room import within_body
from saint_services.lib.role.motion.positions import PositionSession
from saint_services.lib.role_config.body import Body, BodyLink, BodyRole
from tests.unit.role.role_rig import Rig, load_role

HEAD = load_role("head")
PAN = HEAD.fields["pan"]  # -180 to 180


def body(low_deg: float, high_deg: float, kind: str = "revolute") -> Body:
    limits = math.radians(low_deg), math.radians(high_deg)
    link = BodyLink.model_validate(
        {"name": "skull", "parent": "base", "joint": "neck", "kind": kind, "limits": limits}
    )
    roles = {"head": BodyRole(angles={"pan": "neck"})}
    return Body(margin_m=0.01, links=[BodyLink(name="base"), link], roles=roles)


@pytest.mark.parametrize(
    ("limits", "wanted"),
    [
        ((-30, 40), (-30, 40)),
        ((-30, 400), (-30, 180)),
        ((-400, 40), (-180, 40)),
        ((-400, 400), (-180, 180)),
        ((-179.997, 179.997), (-180, 180)),  # four digits of radians are no narrower range
    ],
)
def test_limits_are_narrowed_and_never_widened(
    limits: tuple[float, float], wanted: tuple[float, float]
) -> None:
    found = within_body(body(*limits), "head", "pan", PAN)
    assert found.limits == pytest.approx(wanted)
    assert PAN.limits == (-180, 180)


def test_neutral_stays_in_the_narrowed_range() -> None:
    assert within_body(body(20, 40), "head", "pan", PAN).neutral == pytest.approx(20)


def test_joint_without_limits_or_without_a_part_narrows_nothing() -> None:
    assert within_body(body(-1, 1, "continuous"), "head", "pan", PAN) is PAN
    assert within_body(body(-1, 1), "head", "tilt", HEAD.fields["tilt"]).limits == (-90, 90)
    assert within_body(None, "head", "pan", PAN) is PAN


def test_joint_without_a_range_in_common_opens_nothing() -> None:
    with pytest.raises(SaintError, match="no range in common"):
        within_body(body(200, 220), "head", "pan", PAN)


@pytest.mark.parametrize(("given", "wanted"), [(180.0, 45.0), (-180.0, -45.0), (30.0, 30.0)])
def test_role_goes_no_further_than_the_joint_and_its_pulses_keep_their_scale(
    tmp_path: Path, given: float, wanted: float
) -> None:
    rig = Rig(tmp_path, "head", HEAD.model_copy(update={"body": body(-45, 45)}))
    rig.live(2.0, lambda: rig.send(HEAD_CMD, HeadCommand(given, 0.0, 0.0, 1.0)))
    session = rig.session
    assert isinstance(session, PositionSession)
    assert session.joints.by_name["pan"].axis.applied == pytest.approx(wanted)
    pulse_us = rig.pin(12).value  # 500 us at -180 degrees, 2500 us at 180
    assert pulse_us == pytest.approx(1500 + wanted * 2000 / 360, abs=2)
