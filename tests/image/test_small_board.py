"""Server and node with the memory of a Zero 2 W, 512 MiB of which its firmware keeps 64, and with
its processor: a program that needs later instructions ends here.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from saint_services.lib.api.adoption import NodeState
from saint_services.lib.api.firmware import UpdateVerdict
from tests.image import stages
from tests.image.admin_page import admin_page
from tests.image.forge import Forge, change_one_file
from tests.image.report import Report
from tests.image.rig import Rig
from tests.image.robot import Robot
from tests.image.test_adoption import turn_head

_MEMORY_MIB = 512 - 64
_LEFT_MIB = 64  # what must stay available for whatever comes on top
_RELEASE = "0.1.41"
# The memory of each process in KiB, of file systems in memory, and the kernel's own account.
_WHERE = """
for p in /proc/[0-9]*; do
  echo $(awk '/^Pss:/{print $2}' $p/smaps_rollup 2>&-) $(tr '\\0' ' ' <$p/cmdline | cut -c-80)
done | sort -rn | head -25
df -k -t tmpfs -t devtmpfs
cat /proc/meminfo
"""

pytestmark = pytest.mark.image_all


@pytest.fixture(scope="module")
def small(rig: Rig) -> Iterator[Robot]:
    """A robot of two such boards; they are switched off afterwards."""
    with rig.others_paused():
        robot = Robot(stages.boot_small(rig, _MEMORY_MIB))
        stages.make_head(robot)
        yield robot
        for host in robot.pair.both():
            host.machine.cut()


def expect_enough_memory(robot: Robot, report: Report, when: str) -> None:
    """The kernel had to end nothing, and something is left."""
    for host in robot.pair.both():
        kills = host.machine.shell.run("journalctl -k | grep -iE 'out of memory|oom-kill'")
        assert kills.text == ""
        numbers = dict(
            line.split(":") for line in host.sh("cat /proc/meminfo").splitlines() if ":" in line
        )
        left = int(numbers["MemAvailable"].split()[0]) / 1024
        name = host.machine.hardware.name.removeprefix("small-")
        report.number(f"{name} with {_MEMORY_MIB} MiB, {when}: available", left, "MiB")
        assert left > _LEFT_MIB, f"{name}, {when}: {left:.0f} MiB left\n{host.sh(_WHERE)}"


def test_everything_runs_and_no_unit_has_failed(small: Robot, report: Report) -> None:
    for host in small.pair.both():
        assert host.sh("systemctl --failed --plain --no-legend") == ""
    expect_enough_memory(small, report, "adopted")


def test_control_alone_is_never_swapped_out(small: Robot) -> None:
    """What is seldom used is kept compressed, in half of the memory."""
    for host in small.pair.both():
        assert host.sh("swapon --show=NAME --noheadings") == "/dev/zram0"
    for host, unit in ((small.pair.server, "routerd"), (small.pair.node, "role-headd")):
        folder = host.sh(f"systemctl show -P ControlGroup saint-{unit}.service")
        assert host.sh(f"cat /sys/fs/cgroup{folder}/memory.swap.max") == "0"


def test_head_is_driven_while_the_page_is_open(small: Robot, report: Report) -> None:
    with admin_page(small) as page:
        page.wait_for_selector(f"[data-node={small.node_id}]")
        with ThreadPoolExecutor(1) as beside:  # the page's driver has a loop in this thread
            beside.submit(turn_head, small, 45).result()
        expect_enough_memory(small, report, "page open")


def test_update_fits(small: Robot, forge: Forge, report: Report) -> None:
    """The bundle comes in over the network, block by block."""
    status, said = small.upload(forge.release(_RELEASE, change_one_file))
    assert status == 200, said
    small.roll_out(_RELEASE)
    verdict = small.wait_verdict(_RELEASE)
    assert verdict.verdict is UpdateVerdict.HEALTHY, verdict
    small.node.machine.wait_shell(0)
    small.wait_node("active again", lambda n: n.state is NodeState.ACTIVE, 300)
    expect_enough_memory(small, report, "updated")
