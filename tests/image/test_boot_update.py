"""An update that a node takes when it is switched on: no role answers yet, and the role of the new
release dies later. The node rolls back to the release before.
"""

import pytest

from saint_services.lib.api.firmware import UpdateVerdict
from tests.image.robot import Robot
from tests.image.stages import DYING_FILE, FIRST, OFFERED, switch_on
from tools.vm.settings import PATIENCE

pytestmark = pytest.mark.image_all


@pytest.mark.parametrize("after_s", [5, 60, 600])
def test_role_that_dies_after_an_update_at_boot_leads_back(
    offered_robot: Robot, after_s: int
) -> None:
    robot = offered_robot
    robot.node.sh(f"echo {after_s} >{DYING_FILE}")
    switch_on(robot.node)

    def is_back() -> bool:
        found = robot.firmware()
        return found.target_version == OFFERED and found.verdict is UpdateVerdict.ROLLED_BACK

    # Three deaths at the latest, and the restarts between them.
    robot.until("the node is back", is_back, 3600 + after_s * PATIENCE)
    found = robot.firmware()
    assert (found.version, found.slot) == (FIRST, "B")
    assert "role" in found.reason, found
