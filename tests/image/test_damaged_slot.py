"""A card that no longer returns what was written: the hash tree refuses the block, doctor says so,
and a slot that cannot start is left for the other one.
"""

import pytest

from tests.image.rig import Host
from tests.image.robot import Robot
from tools.vm.settings import PATIENCE

_SELDOM_READ = "/usr/share/common-licenses/GPL-3"
_PARTITIONS = {"A": "20240001-02", "B": "20240001-03"}

pytestmark = pytest.mark.image_all


def damage(host: Host, slot: str, file: str) -> None:
    """Change one byte of the file's first block on the card, below the file system."""
    device = host.sh(f"readlink -f /dev/disk/by-partuuid/{_PARTITIONS[slot]}").strip()
    block = host.sh(f"debugfs -R 'blocks {file}' {device} 2>/dev/null").split()[0]
    host.sh(
        f"blockdev --setrw {device}; printf X |"
        f" dd of={device} bs=1 seek=$(({block} * 4096 + 100)) conv=notrunc,fsync;"
        " sync; echo 3 >/proc/sys/vm/drop_caches"
    )


def test_damaged_block_is_never_read_and_doctor_says_so(robot: Robot) -> None:
    server = robot.server
    before = robot.saintctl("doctor", "--all").text
    assert "the running slot is read-only" in " ".join(before.split())
    damage(server, "A", _SELDOM_READ)
    read = server.machine.shell.run(f"cat {_SELDOM_READ} >/dev/null")
    assert read.code != 0
    assert "Input/output error" in read.text
    server.sh("until [ -e /run/saint-slot-damaged ]; do sleep 1; done", 60)
    assert "the card is failing" in " ".join(robot.saintctl("doctor", "--all").text.split())


def test_slot_that_cannot_start_is_left_for_the_other(newer_robot: Robot) -> None:
    """Slot B runs, and its first program becomes unreadable."""
    node = newer_robot.node
    damage(node, "B", "/usr/lib/systemd/systemd")
    serial = node.machine.serial
    since = serial.end
    node.machine.reset()
    serial.wait_for(r"saint: booting slot A", since, 1200 * PATIENCE)
    node.machine.wait_up(since)  # systemd starts in none of the boots before
    assert "rauc.slot=A" in node.sh("cat /proc/cmdline")
    assert serial.text(since).count("saint: booting slot B") == 3
