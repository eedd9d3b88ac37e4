"""Not a byte is left on the data partition of both machines, through a power cut: the robot starts,
is driven and says what is wrong; nothing is lost when there is room again.
"""

import pytest

from saint_services.lib.api.adoption import NodeState
from tests.image.rig import Host
from tests.image.robot import Robot
from tests.image.test_adoption import turn_head

_BIG, _REST = "/data/owner-film", "/data/owner-film-2"

pytestmark = pytest.mark.image_all


def fill(host: Host) -> None:
    """To the last block, with what root may take too."""
    host.sh(
        f"fallocate -l $(($(stat -f -c '%f * %S' /data) - 1048576)) {_BIG}; "
        f"dd if=/dev/zero of={_REST} bs=4096 2>/dev/null; sync; true",
        300,
    )
    assert host.machine.shell.run("dd if=/dev/zero of=/data/more bs=4096 count=64").code != 0
    host.sh("rm -f /data/more")
    host.sh(f"dd if=/dev/zero of={_REST} bs=4096 oflag=append conv=notrunc 2>/dev/null; sync; true")


def test_robot_starts_and_is_driven_with_full_cards(robot: Robot) -> None:
    for host in robot.pair.both():
        fill(host)
    for host in robot.pair.both():
        since = host.machine.serial.end
        host.machine.reset()
        host.machine.wait_up(since)
    for host in robot.pair.both():
        assert host.sh("systemctl --failed --plain --no-legend") == ""
    found = robot.wait_node("active", lambda n: n.state is NodeState.ACTIVE, 300)
    assert (found.role, found.display_name) == ("head", "Image test")
    turn_head(robot, 25)
    said = " ".join(robot.saintctl("doctor", "--all").text.split())
    assert "has 0% left" in said, said

    for host in robot.pair.both():
        host.sh(f"rm {_BIG} {_REST}; sync")
        since = host.machine.serial.end
        host.machine.reset()
        host.machine.wait_up(since)
    found = robot.wait_node("active", lambda n: n.state is NodeState.ACTIVE, 300)
    assert (found.role, found.display_name) == ("head", "Image test")
    turn_head(robot, -25)
