"""A robot of one machine: server and node on the same Pi (`role: both`)."""

from collections.abc import Iterator

import pytest

from saint_services.lib.api.firmware import UpdateState
from tests.image.rig import HTTP, SAINT, SSH, Pair, Rig
from tests.image.robot import CLAIM, Robot

pytestmark = pytest.mark.image_all


@pytest.fixture(scope="module")
def alone(rig: Rig) -> Iterator[Robot]:
    """It is switched off again afterwards: two machines are enough for a small computer."""
    card = rig.card("both", "both", claim=CLAIM)
    host = rig.host("both", card, links=(rig.cable("loose"),), forwards=(SSH, HTTP, SAINT))
    host.machine.start()
    host.machine.wait_up()
    yield Robot(Pair(host, host))
    host.machine.cut()


def test_all_units_of_both_roles_are_up(alone: Robot) -> None:
    assert alone.server.sh("systemctl --failed --plain --no-legend") == ""
    for target in ("saint-server.target", "saint-node.target"):
        assert alone.server.sh(f"systemctl is-active {target}").strip() == "active"


def test_machine_is_adopted_by_itself(alone: Robot) -> None:
    found = alone.wait_node("itself is discovered", lambda n: bool(n.node_id), 600)
    assert alone.adopt(found.node_id, "tracks").role == "tracks"


def test_machine_is_one_in_the_roll_out(alone: Robot) -> None:
    """Node and server share the slot: one line, one update."""
    machines = alone.until("its firmware is reported", lambda: alone.report().machines, 120)
    assert len(machines) == 1
    assert machines[0].state is UpdateState.IDLE
    assert machines[0].version == alone.report().robot_version
