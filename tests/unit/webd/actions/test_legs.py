"""Commands to a walking robot, and its state as clients get it."""

import math
from types import SimpleNamespace
from typing import Any

import pytest

from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.states import LegsState as LegsReply
from saint_services.lib.api.webd.legs import Walk
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.saint_msgs import LegsAlert, LegsState
from saint_services.webd.actions import legs
from saint_services.webd.topics import legs as view
from saint_services.webd.topics.newest import Newest
from tests.unit.role.role_rig import load_role

DESK = SimpleNamespace(source="websocket:desk")


class Robot:
    """Stands for webd's context: what is sent, and the roles."""

    def __init__(self, *names: str) -> None:
        by_target = {name: load_role(name) for name in names}
        self.roles = SimpleNamespace(by_target=by_target, name="ASIMOV-01")
        self.sent: list[tuple[str, str, dict[str, float]]] = []

    def send(self, source: str, target: str, values: dict[str, float]) -> None:
        self.sent.append((source, target, values))


@pytest.mark.parametrize(
    ("act", "params", "values"),
    [
        (legs.damp, Nothing(), (0, 0, 0, 0)),
        (legs.stand, Nothing(), (1, 0, 0, 0)),
        (legs.balance, Nothing(), (2, 0, 0, 0)),
        (legs.move, Walk(vx=0.2, vy=-0.1, vyaw=0.5), (3, 0.2, -0.1, 0.5)),
    ],
)
def test_act_is_one_sample_of_mode_and_velocity(act: Any, params: Any, values: Any) -> None:
    robot = Robot("legs")
    assert act(robot, DESK, params) == {}
    wanted = dict(zip(("mode", "vx", "vy", "vyaw"), values, strict=True))
    assert robot.sent == [("websocket:desk", "legs", wanted)]


def test_velocity_beyond_its_limit_is_named() -> None:
    reply = legs.move(Robot("legs"), DESK, Walk(vx=5.0))  # type: ignore[arg-type]
    assert reply["limited"][0]["field"] == "vx"  # type: ignore[index]


def test_robot_without_legs_refuses_their_modes() -> None:
    with pytest.raises(SaintError) as raised:
        legs.stand(Robot("tracks"), DESK, Nothing())  # type: ignore[arg-type]
    assert raised.value.code is Code.NOT_FOUND


def test_state_is_what_the_interface_promises() -> None:
    newest = Newest()
    assert view.view(newest) is None
    newest.legs = LegsState(
        mode="move", reported="move", requested="move", vx=0.25, report_age=0.012,
        gravity=(0.0, 0.0, -1.0), battery_percent=math.nan, joints=("left_knee",),
        positions=(0.5,), alerts=("the battery is low",),
    )  # fmt: skip
    found = LegsReply.model_validate(view.view(newest))
    assert (found.mode, found.vx, found.report_age_ms) == ("move", 0.25, 12)
    assert (found.battery_percent, found.joints) == (None, {"left_knee": 0.5})
    assert found.alerts == ["the battery is low"]


def test_state_has_velocities_alerts_and_flags_of_the_controller() -> None:
    newest = Newest()
    newest.legs = LegsState(
        joints=("left_knee",), positions=(0.5,), velocities=(-0.25,), currents=(1.5,),
        temperatures=(math.nan,), angular_velocity=(0.0, 0.1, 0.2),
        orientation=(1.0, 0.0, 0.0, 0.0), battery_current=3.5, hottest_cell=math.nan,
        protection_flags=4, error_flags=3,
        active_alerts=(LegsAlert(id=17, severity=1, value=70, threshold=65),),
    )  # fmt: skip
    found = LegsReply.model_validate(view.view(newest))
    assert (found.velocities, found.currents, found.temperatures) == ([-0.25], [1.5], [None])
    assert (found.angular_velocity, found.orientation) == ([0.0, 0.1, 0.2], [1.0, 0.0, 0.0, 0.0])
    assert (found.battery_current, found.hottest_cell, found.protection_flags) == (3.5, None, 4)
    assert (found.error_flags, found.active_alerts[0].id) == (3, 17)
