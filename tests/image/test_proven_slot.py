"""A proven slot stays, whatever its settings and its hardware do: no reboot by the dead-man, the
same slot after three power cuts, and it says what is wrong.
"""

import pytest

from tests.image.rig import Host
from tests.image.robot import Robot
from tests.image.test_update import shorten_deadman
from tools.vm.settings import PATIENCE

# Longer than the dead-man of these machines; on a quiet computer a boot takes half of that.
_DEADMAN_S = int(150 * PATIENCE)
SERVER = ("webd", "adoptiond", "routerd", "livelinkd", "rcd", "otad")
NODE = ("noded", "role-headd")

pytestmark = pytest.mark.image_all


def boot_thrice(host: Host) -> int:
    """Three power cuts, each as soon as systemd runs; the fourth boot is left to come up."""
    for _ in range(3):
        since = host.machine.serial.end
        host.machine.reset()
        host.machine.wait_shell(since)
    since = host.machine.serial.end
    host.machine.reset()
    host.machine.wait_up(since)
    return since


def expect_no_reboot(host: Host, since: int, slot: str = "A") -> None:
    """Until the dead-man would have ended it, a minute later than that; then the boot loader has
    given the tries back."""
    ends_s = _DEADMAN_S + 60
    wait = f"while [ $(cut -d. -f1 /proc/uptime) -lt {ends_s} ]; do sleep 1; done"
    host.sh(wait, 2 * ends_s)
    said = host.machine.serial.text(since)
    # After three cuts no try is left: the boot loader gives them all back and resets itself once.
    assert said.count("Starting kernel") == 1
    assert f"slot {slot} is not on trial" in said
    host.sh("systemctl is-active saint-proven.service")
    environment = dict(line.split("=", 1) for line in host.sh("fw_printenv").splitlines())
    assert environment[f"BOOT_{slot}_LEFT"] == "3"
    # A slot that was rejected, or is not whole, keeps no tries to be led to.
    unnamed = set("AB") - set(environment["BOOT_ORDER"])
    assert {environment[f"BOOT_{letter}_LEFT"] for letter in unnamed} <= {"0"}
    assert f"rauc.slot={slot}" in host.sh("cat /proc/cmdline")


@pytest.mark.parametrize("daemons", [SERVER, NODE], ids=["server", "node"])
def test_typo_in_each_settings_file_is_shown_and_reboots_nothing(
    robot: Robot, daemons: tuple[str, ...]
) -> None:
    host = robot.node if daemons is NODE else robot.server
    shorten_deadman(host)
    for daemon in daemons:
        host.sh(f"echo 'reset_pinn: 1' >>/data/config/{daemon}.yaml")
    host.sh("sync")
    since = host.machine.serial.end
    host.machine.reset()
    host.machine.wait_up(since)
    units = " ".join(f"saint-{daemon}.service" for daemon in daemons)
    host.sh(f"systemctl start {units}", 300)
    host.sh(f"systemctl is-active {units}")
    greeting = host.sh("run-parts /etc/update-motd.d")
    lines = [line for line in greeting.splitlines() if line.endswith(" in force.")]
    for daemon in daemons:
        assert any(f"/etc/saint/{daemon}.yaml, line " in line for line in lines), greeting
    if daemons is SERVER:
        found = " ".join(robot.saintctl("doctor", "--all").text.split())
        # A web interface that works says so itself; doctor names what the others report.
        missing = [each for each in SERVER if f"/etc/saint/{each}.yaml" not in found]
        assert missing in ([], ["webd"]), found
    assert host.sh("systemctl --failed --plain --no-legend") == ""
    expect_no_reboot(host, since)


def test_node_without_ethernet_is_left_alone(robot: Robot) -> None:
    shorten_deadman(robot.node)
    # Nobody takes the frames from a cable without a card: it fills, and the server's QEMU stands.
    robot.server.machine.unplug()
    since = boot_without_card(robot.node)
    expect_no_reboot(robot.node, since)
    assert robot.node.machine.shell.run("ip link show eth0").code != 0


def boot_without_card(host: Host) -> int:
    """As if the board had none: the kernel's line keeps its driver away."""
    file = "/boot/firmware/boot.env"
    host.sh(
        "mount -o remount,rw /boot/firmware &&"
        f" sed -i 's/^extraargs=/extraargs=module_blacklist=virtio_net /' {file} &&"
        " sync && mount -o remount,ro /boot/firmware"
    )
    return boot_thrice(host)
