"""A role obeys a router only while both have the same outputs: whatever limits, units or names a
change of the robot gives to one of them first, no output moves by the other's numbers.
"""

from pathlib import Path

import pytest

from saint_services.lib.role.gate import CommandGate, Refusal
from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.role_config.outputs_mark import outputs_mark
from tests.unit.role.parts.parts_rig import FIELDS, PINS, PartsRig, config

ROUTER = "router"
OURS, OTHER = 7, 8


def gate(mark: int = OURS) -> CommandGate:
    found = CommandGate(150, mark=mark)
    found.prove(ROUTER, 1)
    return found


@pytest.mark.parametrize(
    ("mark", "marks", "refusal"),
    [
        (OURS, (OURS,), None),
        (OURS, (OTHER, OURS), None),
        (OURS, (OTHER,), Refusal.OTHER_ROBOT),
        (OURS, (), None),  # a router of an older release
        (0, (OTHER,), None),  # a configuration of an older release
    ],
)
def test_router_is_obeyed_with_the_same_outputs_alone(
    mark: int, marks: tuple[int, ...], refusal: Refusal | None
) -> None:
    found = gate(mark)
    found.heartbeat(ROUTER, 1, False, 1, 0.0, marks)
    assert found.refusal(ROUTER, 0.0, 0.0) is refusal


def test_stop_of_a_router_with_another_robot_is_obeyed() -> None:
    found = gate()
    found.heartbeat(ROUTER, 1, True, 1, 0.0, (OTHER,))
    assert found.latched


def test_router_that_has_come_to_the_same_outputs_is_obeyed_again() -> None:
    found = gate()
    found.heartbeat(ROUTER, 1, False, 1, 0.0, (OTHER,))
    found.heartbeat(ROUTER, 2, False, 1, 0.05, (OURS,))
    assert found.refusal(ROUTER, 0.05, 0.05) is None


def with_field(**change: object) -> RoleConfig:
    return config(FIELDS | {"brow": FIELDS["brow"] | change})


@pytest.mark.parametrize(
    "change", [{"limits": [-30, 31]}, {"unit": "ratio"}, {"max_rate": 299}, {"on_loss": "hold"}]
)
def test_mark_changes_with_what_the_router_knows(change: dict[str, object]) -> None:
    assert outputs_mark(with_field(**change)) != outputs_mark(config())


def test_mark_does_not_change_with_pins() -> None:
    moved = config(FIELDS, PINS | {"fan": PINS["fan"] | {"frequency": 500}})
    assert outputs_mark(moved) == outputs_mark(config())


def marked() -> RoleConfig:
    """The configuration as the server serves it."""
    plain = config()
    return plain.model_copy(update={"outputs_mark": outputs_mark(plain)})


def test_role_cut_off_from_its_server_stops_within_its_deadline_when_the_robot_changes(
    tmp_path: Path,
) -> None:
    """The server changes the robot while the node is cut off from it and a motor turns: the router
    starts again with other limits, and its commands still reach the role."""
    role = marked()
    rig = PartsRig(tmp_path, role)
    rig.router_outputs = (role.outputs_mark,)
    rig.hold(0.3, motor=1.0, relay=1.0, brow=10.0)
    assert {"motor", "relay"} <= set(rig.live_outputs)
    rig.router_outputs = (outputs_mark(with_field(limits=[-90, 90])),)
    rig.hold(0.25, motor=1.0, relay=1.0, brow=90.0)
    assert rig.live_outputs == []
    assert rig.session.is_safe
    assert "router has other limits" in rig.session.condition.reason
    brow = rig.state()["brow"]
    rig.hold(0.5, brow=-90.0, motor=1.0)
    assert (rig.state()["brow"], rig.live_outputs) == (brow, [])
    rig.router_outputs = (role.outputs_mark,)
    rig.hold(0.3, motor=1.0)
    assert rig.live_outputs == ["motor"]
    assert rig.session.condition.reason == ""
    rig.close()
