"""A release reaches the whole robot through otad; broken ones do not stay on it.

The node is updated once, to a release with one changed file (bytes on the wire are measured).
From the snapshot behind that it gets every kind of broken one.
"""

import re
import time
from collections.abc import Callable

import pytest

from saint_services.lib.api.adoption import NodeState
from saint_services.lib.api.firmware import (
    MachineFirmware,
    RolloutState,
    UpdateState,
    UpdateVerdict,
)
from tests.image.admin_page import admin_page
from tests.image.forge import (
    Forge,
    Slot,
    change_one_file,
    crash_role,
    fail_health,
    hang_init,
    lose_kernel,
)
from tests.image.report import Report
from tests.image.rig import Host
from tests.image.robot import Robot
from tests.image.server_settings import change
from tests.image.stages import FIRST, restart_held, wait_installed
from tools.vm.settings import PATIENCE

SMALL = "0.1.2"
_WIRE_SHARE_MOST = 0.05
# On a quiet computer the healthy slot is up, and says so, within half of that.
_DEADMAN_S = int(150 * PATIENCE)


@pytest.fixture
def robot(newer_robot: Robot) -> Robot:
    """These tests all start from the updated robot."""
    return newer_robot


# -- a good release --------------------------------------------------------------------------------


def test_node_runs_the_new_release(robot: Robot) -> None:
    found = robot.firmware()
    assert (found.version, found.slot, found.verdict) == (FIRST, "B", UpdateVerdict.HEALTHY)
    assert found.spare_version == "0.1.0"
    plan = robot.report().plan
    assert plan is not None
    assert plan.state is RolloutState.DONE


def test_new_slot_is_marked_good(robot: Robot) -> None:
    expect_good_slot(robot.node, "B")


def expect_good_slot(host: Host, letter: str) -> None:
    """The boot loader takes it first, with all its tries, and nothing in it has failed."""
    said = host.sh("fw_printenv").splitlines()
    environment = dict(line.split("=", 1) for line in said if "=" in line)
    assert environment["BOOT_ORDER"].split()[0] == letter
    assert environment[f"BOOT_{letter}_LEFT"] == "3"
    assert f"rauc.slot={letter}" in host.sh("cat /proc/cmdline")
    assert host.sh("systemctl --failed --plain --no-legend") == ""


@pytest.mark.image_all
def test_roll_out_reaches_the_whole_robot(robot: Robot, forge: Forge, report: Report) -> None:
    """The owner says so once: node first, then the server, which restarts itself."""
    named = change(robot, "set_hostname", hostname="robi")
    assert named.state == "done", named
    status, said = robot.upload(forge.release(SMALL, change_one_file))
    assert status == 200, said
    began = time.monotonic()
    started = robot.saintctl("firmware", "rollout", SMALL, "--detach")
    assert started.code == 0, started.text
    robot.until(
        "the roll-out has ended",
        lambda: (plan := robot.report().plan) and plan.state is not RolloutState.RUNNING,
        3600,
    )
    report.number("update of node and server in turn (TCG)", time.monotonic() - began, "s")
    found = robot.report()
    assert found.plan is not None
    assert found.plan.state is RolloutState.DONE, found.plan
    assert found.robot_version == SMALL
    robot.server.machine.wait_shell(0)
    expect_good_slot(robot.server, "B")
    assert robot.server.sh("uname -n") == "robi"


def test_role_and_settings_outlive_the_update(robot: Robot) -> None:
    found = robot.wait_node("active", lambda n: n.state is NodeState.ACTIVE, 120)
    assert (found.role, found.display_name) == ("head", "Image test")
    assert found.firmware_version == FIRST


def test_people_see_version_slot_and_verdict(robot: Robot) -> None:
    shown = robot.node_show()
    for word in (FIRST, "healthy", "B"):
        assert word in shown


def test_one_changed_file_costs_little_on_the_wire(robot: Robot, report: Report) -> None:
    update = robot.first_update
    if update is None:
        pytest.skip("that update was made by an earlier run (SAINT_IMAGE_REUSE)")
    report.number("bundle", update.bundle / 1e6, "MB")
    report.number("one-file update: bytes on the wire", update.received / 1e6, "MB")
    report.number("one-file update: share of the bundle", update.received / update.bundle, "",
                  _WIRE_SHARE_MOST)  # fmt: skip


# -- broken releases -------------------------------------------------------------------------------


def install_broken(robot: Robot, forge: Forge, version: str, fault: Callable[[Slot], None]) -> None:
    status, said = robot.upload(forge.release(version, fault))
    assert status == 200, said
    robot.roll_out(version)


def expect_rollback(robot: Robot, version: str, reason: str) -> None:
    """The old slot runs its role again, and everybody can read why."""
    verdict = robot.wait_verdict(version)
    assert verdict.verdict is UpdateVerdict.ROLLED_BACK, verdict
    assert (verdict.version, verdict.slot) == (FIRST, "B")
    assert re.search(reason, f"{verdict.reason}\n{verdict.log_excerpt}"), verdict
    robot.until(
        "the roll-out has halted",
        lambda: (plan := robot.report().plan) and plan.state is RolloutState.HALTED,
        60,
    )
    robot.wait_node("active again", lambda n: n.state is NodeState.ACTIVE, 300)
    shown = robot.node_show()
    for word in ("rolled", version):
        assert word in shown
    assert re.search(reason, " ".join(shown.split())), shown
    with admin_page(robot, "firmware") as page:
        shown = page.locator(f"[data-machine={robot.node_id}] [data-verdict]").inner_text()
        log = page.locator(f"[data-machine={robot.node_id}] .machine-log")
        shown += log.text_content() if log.count() else ""
    assert version in shown
    assert re.search(reason, shown), shown


def test_release_with_a_failing_unit_is_taken_back(robot: Robot, forge: Forge) -> None:
    install_broken(robot, forge, "0.1.3", fail_health)
    expect_rollback(robot, "0.1.3", r"saint-selftest|flux gauge")


@pytest.mark.image_all
def test_release_with_a_crashing_role_is_taken_back(robot: Robot, forge: Forge) -> None:
    install_broken(robot, forge, "0.1.4", crash_role)
    expect_rollback(robot, "0.1.4", r"role[-_]headd|servo table")


@pytest.mark.image_all
def test_release_without_a_kernel_is_left_by_the_boot_script(robot: Robot, forge: Forge) -> None:
    install_broken(robot, forge, "0.1.5", lose_kernel)
    robot.node.machine.serial.wait_for(
        r"slot A cannot be loaded", robot.node.machine.serial.end, 1800 * PATIENCE
    )
    expect_rollback(robot, "0.1.5", r"never reached its health check")


@pytest.mark.parametrize("tries", [1, pytest.param(3, marks=pytest.mark.image_all)])
def test_release_that_hangs_is_left_by_the_dead_man(robot: Robot, forge: Forge, tries: int) -> None:
    """With one try left for the new slot; `--all` waits for all three."""
    shorten_deadman(robot.node)
    serial = robot.node.machine.serial
    since = serial.end
    with restart_held(robot.node):
        install_broken(robot, forge, "0.1.6", hang_init)
        wait_installed(robot.node)
        robot.node.sh(f"fw_setenv BOOT_A_LEFT {tries}; sync")
    for _ in range(tries):
        found = serial.wait_for(r"saint-deadman: nobody called this boot good", since,
                                3 * _DEADMAN_S)  # fmt: skip
        since += found.end()
    expect_rollback(robot, "0.1.6", r"never reached its health check")


@pytest.mark.image_all
def test_server_release_that_hangs_is_left_by_the_dead_man(robot: Robot, forge: Forge) -> None:
    """On a machine that is only a server the record of its updates is otad's."""
    version, server = "0.1.9", robot.server
    own = next(machine.node_id for machine in robot.report().machines if machine.is_server)
    shorten_deadman(server)
    status, said = robot.upload(forge.release(version, hang_init))
    assert status == 200, said
    serial = server.machine.serial
    since = serial.end
    with restart_held(server):
        robot.request("management", "firmware_rollout", version=version, nodes=[own])
        wait_installed(server)
        server.sh("fw_setenv BOOT_B_LEFT 1; sync")
    serial.wait_for(r"saint-deadman: nobody called this boot good", since, 3 * _DEADMAN_S)

    def judged() -> MachineFirmware | None:
        found = robot.machine_firmware(own)
        is_over = found.target_version == version and found.verdict is not UpdateVerdict.NONE
        return found if is_over and found.state is UpdateState.IDLE else None

    verdict = robot.until(f"a verdict on {version}", judged, 1800)
    assert (verdict.verdict, verdict.version, verdict.slot) == (
        UpdateVerdict.ROLLED_BACK, "0.1.0", "A",
    )  # fmt: skip
    assert "never reached its health check" in verdict.reason


def shorten_deadman(host: Host) -> None:
    """The dead-man of the machine's next boots."""
    file = "/boot/firmware/boot.env"
    host.sh(
        "mount -o remount,rw /boot/firmware &&"
        f" sed -i 's/saint.deadman=[0-9]*/saint.deadman={_DEADMAN_S}/' {file} &&"
        " sync && mount -o remount,ro /boot/firmware"
    )
