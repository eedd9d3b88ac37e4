"""An update that a node takes when it is switched on: no role answers yet, and the role of the new
release dies later. The node rolls back to the release before.
"""

import pytest

from saint_services.lib.api.firmware import RolloutState, UpdateVerdict
from tests.image.forge import Forge, die_after
from tests.image.robot import Robot
from tests.image.stages import FIRST
from tools.vm.settings import PATIENCE

pytestmark = pytest.mark.image_all


@pytest.fixture
def robot(newer_robot: Robot) -> Robot:
    """The node runs its first update."""
    return newer_robot


def offer_at_boot(robot: Robot, version: str) -> None:
    """The roll-out passes the node by, which is off; then it is switched on."""
    robot.node.sh("sync")
    robot.node.machine.unplug()
    started = robot.saintctl("firmware", "rollout", version, "--detach")
    assert started.code == 0, started.text
    robot.until(
        "the roll-out has ended",
        lambda: (plan := robot.report().plan) and plan.state is not RolloutState.RUNNING,
        3600,
    )
    robot.server.machine.wait_shell(0)
    robot.node.machine.plug()
    robot.node.machine.reset()


@pytest.mark.parametrize(("version", "after_s"), [("0.1.31", 5), ("0.1.32", 60), ("0.1.33", 600)])
def test_role_that_dies_after_an_update_at_boot_leads_back(
    robot: Robot, forge: Forge, version: str, after_s: int
) -> None:
    status, said = robot.upload(forge.release(version, die_after(after_s)))
    assert status == 200, said
    offer_at_boot(robot, version)

    def is_back() -> bool:
        found = robot.firmware()
        return found.target_version == version and found.verdict is UpdateVerdict.ROLLED_BACK

    # Three deaths at the latest, and the restarts between them.
    robot.until("the node is back", is_back, 3600 + 3 * after_s * PATIENCE)
    found = robot.firmware()
    assert (found.version, found.slot) == (FIRST, "B")
    assert "role" in found.reason, found
