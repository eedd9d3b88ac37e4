"""Updates of robots that have a power switch: cut thrice while the slot is written, and offered
when the node is switched on, before its outputs open.
"""

import re

import pytest

from saint_services.lib.api.adoption import NodeState
from saint_services.lib.api.firmware import UpdateVerdict
from tests.image.rig import Host
from tests.image.robot import Robot
from tests.image.stages import OFFERED, restart_held, switch_on, wait_installed

_ROLE = "saint-role-headd.service"
_SLOT_A = "/dev/disk/by-partuuid/20240001-02"
_EMPTIED_MIB = 256
_WRITTEN_SECTORS = 8192  # of the other slot, 4 MiB: its writing is under way

pytestmark = pytest.mark.image_all


@pytest.fixture
def robot(offered_robot: Robot) -> Robot:
    """A release is offered to the node, which is off."""
    return offered_robot


def empty_other_slot(node: Host) -> None:
    """Of a release with one changed file most blocks are in that slot already, and not written."""
    assert "rauc.slot=B" in node.sh("cat /proc/cmdline")
    zeros = f"dd if=/dev/zero of={_SLOT_A} bs=1M count={_EMPTIED_MIB} conv=fsync"
    node.sh(f"blockdev --setrw $(readlink -f {_SLOT_A}); {zeros}", 600)


def wait_written(node: Host) -> None:
    """Until this boot has begun to write the slot that does not run."""
    assert "rauc.slot=B" in node.sh("cat /proc/cmdline")
    count = (
        f"until [ -e {_SLOT_A} ]; do sleep 1; done;"  # udev comes later than this shell
        f" s=/sys/class/block/$(basename $(readlink -f {_SLOT_A}))/stat;"
        f" until [ $(awk '{{print $7}}' $s) -gt {_WRITTEN_SECTORS} ]; do sleep 1; done"
    )
    node.sh(count, 900)


def test_three_power_cuts_while_a_slot_is_written_delay_the_update_only(robot: Robot) -> None:
    node = robot.node
    # After the third cut the node declines one offer, and takes that of the next rest.
    # The server counts a rest of the whole robot, which is longer.
    for line in ("offer_rest_s: 60", "offer_again_s: 60"):
        node.sh(f"echo {line} >>/data/config/noded.yaml")
    empty_other_slot(node)
    since = switch_on(node)
    for _ in range(3):
        node.machine.wait_shell(since)
        wait_written(node)
        since = node.machine.serial.end
        node.machine.reset()

    def is_done() -> bool:
        found = robot.firmware()
        return found.version == OFFERED and found.verdict is UpdateVerdict.HEALTHY

    robot.until("the update has succeeded", is_done, 3600)
    robot.wait_node("active", lambda n: n.state is NodeState.ACTIVE, 300)


def test_offer_at_boot_is_taken_before_outputs_open(robot: Robot) -> None:
    node = robot.node
    since = switch_on(node)
    node.machine.wait_shell(since)
    with restart_held(node):
        wait_installed(node)
        assert "rauc.slot=B" in node.sh("cat /proc/cmdline")  # still the release before
        started = node.sh(f"systemctl show -P ActiveEnterTimestampMonotonic {_ROLE}")
        assert started.strip() == "0", started
        log = node.sh("journalctl -b -u saint-noded --no-pager")
        assert re.search(r"installing the server's release.*", log), log
    verdict = robot.wait_verdict(OFFERED, 1800)
    assert verdict.verdict is UpdateVerdict.HEALTHY, verdict
