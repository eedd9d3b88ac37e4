"""Updates of robots that have a power switch: cut thrice while the slot is written, and offered
when the node is switched on, before its outputs open.
"""

import re

import pytest

from saint_services.lib.api.adoption import NodeState
from saint_services.lib.api.firmware import UpdateState, UpdateVerdict
from tests.image.forge import Forge, change_one_file
from tests.image.robot import Robot
from tests.image.stages import restart_held, wait_installed
from tests.image.test_boot_update import offer_at_boot

_ROLE = "saint-role-headd.service"

pytestmark = pytest.mark.image_all


@pytest.fixture
def robot(newer_robot: Robot) -> Robot:
    """The node runs its first update."""
    return newer_robot


def test_three_power_cuts_while_a_slot_is_written_delay_the_update_only(
    robot: Robot, forge: Forge
) -> None:
    release, machine = "0.1.35", robot.node.machine
    status, said = robot.upload(forge.release(release, change_one_file))
    assert status == 200, said
    robot.roll_out(release)
    for _ in range(3):
        machine.wait_shell()
        # rauc writes the slot that does not run: its share shows in the progress.
        robot.until(
            "the slot is being written",
            lambda: (
                (found := robot.firmware()).state is UpdateState.INSTALLING and found.progress > 10
            ),
            900,
        )
        assert "rauc.slot=B" in robot.node.sh("cat /proc/cmdline")
        machine.reset()
    verdict = robot.wait_verdict(release, 3600)
    assert verdict.verdict is UpdateVerdict.HEALTHY, verdict
    robot.wait_node("active", lambda n: n.state is NodeState.ACTIVE, 300)


def test_offer_at_boot_is_taken_before_outputs_open(robot: Robot, forge: Forge) -> None:
    release = "0.1.36"
    robot.node.sh("echo offer_wait_s: 45 >>/data/config/noded.yaml")  # emulated, all is slow
    status, said = robot.upload(forge.release(release, change_one_file))
    assert status == 200, said
    since = robot.node.machine.serial.end
    offer_at_boot(robot, release)
    robot.node.machine.wait_shell(since)
    with restart_held(robot.node):
        wait_installed(robot.node)
        assert "rauc.slot=B" in robot.node.sh("cat /proc/cmdline")  # still the release before
        started = robot.node.sh(f"systemctl show -P ActiveEnterTimestampMonotonic {_ROLE}")
        assert started.strip() == "0", started
        log = robot.node.sh("journalctl -b -u saint-noded --no-pager")
        assert re.search(r"installing the server's release.*", log), log
    verdict = robot.wait_verdict(release, 1800)
    assert verdict.verdict is UpdateVerdict.HEALTHY, verdict
