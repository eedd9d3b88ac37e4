"""One machine of each role boots: everything is up, nothing is writable that should not be."""

import os
import re

import pytest

from tests.image import stages
from tests.image.report import Report
from tests.image.rig import Host, Pair
from tests.image.stages import Reboot
from tools.vm.settings import HAS_REAL_TIME

NEW_NAME = "robi"  # the server gets it before its next start
_EXPOSURE_MOST = 2.5
_SETTLE_S = 120
# Not in Debian's kernel (CONFIG_DMABUF_HEAPS): ribbon cameras are for Raspberry Pi OS.
_ELSEWHERE = {"dma_heap"}


@pytest.fixture(scope="module", params=["server", "node"])
def booted(fresh: Pair, request: pytest.FixtureRequest) -> Host:
    return fresh.role(request.param)


def role_of(host: Host) -> str:
    return host.machine.hardware.name


@pytest.fixture(scope="module")
def rebooted(booted: Host, request: pytest.FixtureRequest) -> Reboot:
    """The next tests look at what one more start did."""
    if role_of(booted) == "node":
        found: Reboot = request.getfixturevalue("node_reboot")
        return found
    assert booted.ssh is not None
    booted.sh("systemctl start saint-webd.service", 300)  # here slower than saintctl waits
    assert NEW_NAME in booted.ssh.check(f"saintctl system hostname {NEW_NAME}", 120)
    return stages.reboot(booted)


def test_no_unit_has_failed(booted: Host) -> None:
    assert booted.sh("systemctl --failed --plain --no-legend") == ""


def test_no_ordering_cycle(booted: Host) -> None:
    assert booted.machine.shell.run("journalctl -b | grep -i 'ordering cycle'").text == ""


def test_targets_of_the_role_and_no_others_are_up(booted: Host) -> None:
    role = role_of(booted)
    other = {"server": "node", "node": "server"}[role]
    booted.sh(f"timeout {_SETTLE_S} sh -c 'until systemctl -q is-active saint-{role}.target; do"
              " sleep 1; done'", _SETTLE_S + 10)  # fmt: skip
    assert (
        booted.machine.shell.run(f"systemctl is-active saint-{other}.target").text.strip()
        == "inactive"
    )


def test_no_unit_of_ours_had_to_start_again(booted: Host) -> None:
    """A daemon that ends and is started again is no failed unit: systemd only waits for it."""
    assert booted.sh("ls /data/system/crashes") == ""
    wanted = "--property=Id,NRestarts 'saint-*.service'"
    shown = booted.sh(f"systemctl show {wanted}").split()
    assert [each for each in shown if each.startswith("NRestarts=")]
    assert not [each for each in shown if re.fullmatch(r"NRestarts=[1-9]\d*", each)]


def test_owner_sees_the_state_of_the_clock(booted: Host) -> None:
    """Of chrony's two ways the socket is root's alone; doctor runs as the owner."""
    assert "Leap status" in booted.sh("setpriv --reuid=saint --clear-groups chronyc -n tracking")
    change = booted.machine.shell.run("setpriv --reuid=saint --clear-groups chronyc -n makestep")
    assert "501 Not authorised" in change.text


def test_root_is_read_only(booted: Host) -> None:
    assert booted.machine.shell.run("touch /usr/x /etc/x /x").code != 0
    assert "ro" in booted.sh("findmnt -no OPTIONS /").split(",")
    assert "ro" in booted.sh("findmnt -no OPTIONS /boot/firmware").split(",")


def test_root_cannot_be_made_writable(booted: Host) -> None:
    """Not even by root: the device below it is mapped through its hash tree, read-only for good."""
    shell = booted.machine.shell
    assert shell.run("mount -o remount,rw /").code != 0
    device = booted.sh("findmnt -no SOURCE /").strip()
    assert booted.sh("dmsetup table saint-slot").split()[2] == "verity"
    shell.run(f"blockdev --setrw {device}")
    assert shell.run("mount -o remount,rw /").code != 0
    assert shell.run(f"dd if=/dev/zero of={device} bs=4096 count=1 conv=fsync").code != 0
    assert shell.run("touch /usr/x").code != 0
    slot = "/dev/" + booted.sh("ls /sys/class/block/dm-0/slaves").strip()
    assert booted.sh(f"blockdev --getro {slot}").strip() == "1"
    assert shell.run(f"dd if=/dev/zero of={slot} bs=4096 count=1").code != 0


def test_no_program_runs_as_anybody_but_who_starts_it(booted: Host) -> None:
    assert booted.sh("find / -xdev -type f -perm /6000", 600) == ""
    assert {"nosuid", "nodev"} <= set(booted.sh("findmnt -no OPTIONS /").strip().split(","))


def test_data_partition_has_grown_to_the_whole_card(booted: Host) -> None:
    size = int(booted.sh("findmnt -bno SIZE /data"))
    assert size > 2 << 30, f"/data has {size >> 20} MiB on a card of 4 GiB"


def test_identity_outlives_a_reboot(rebooted: Reboot) -> None:
    assert re.match(r"[0-9a-f]{32}\n", rebooted.before)
    assert rebooted.after == rebooted.before


def test_name_that_the_owner_chose_outlives_a_reboot(booted: Host, rebooted: Reboot) -> None:
    if role_of(booted) == "node":
        pytest.skip("only a server is renamed")
    assert rebooted.after.splitlines()[-1] == NEW_NAME


def test_two_cards_of_one_image_become_two_machines(fresh: Pair) -> None:
    ask = "cat /etc/machine-id; cut -d' ' -f2 /data/ssh/ssh_host_ed25519_key.pub"
    assert not set(fresh.server.sh(ask).split()) & set(fresh.node.sh(ask).split())


def test_exposure_of_every_unit_of_ours_is_low(booted: Host, report: Report) -> None:
    said = booted.sh("systemd-analyze security --no-pager 2>/dev/null | grep ' *saint-'", 180)
    scores = {line.split()[0]: float(line.split()[1]) for line in said.splitlines()}
    assert scores, said
    report.number(f"{role_of(booted)}: worst exposure of a saint unit", max(scores.values()), "")
    high = {name: score for name, score in scores.items() if score > _EXPOSURE_MOST}
    assert high == {}, f"exposed above {_EXPOSURE_MOST}: {high}"


def test_kernel_knows_every_class_of_devices_that_a_unit_allows(booted: Host) -> None:
    """Nothing is plugged in here: each name is there because its driver was loaded at the start."""
    ask = "grep -rhoP '^DeviceAllow=char-\\K\\w+' /usr/lib/systemd/system/saint-* | sort -u"
    known = booted.sh("awk '{print $2}' /proc/devices").split()
    allowed = booted.sh(ask).split()
    assert "ttyUSB" in allowed
    assert {name for name in allowed if name not in known} <= _ELSEWHERE


@pytest.mark.skipif(not HAS_REAL_TIME, reason="not on a busy computer: SAINT_VM_PATIENCE")
def test_control_goes_before_everything_else(booted: Host) -> None:
    """The kernel's own word: the sandbox and the limits let it take its priority."""
    wanted = {"rcd": 2, "routerd": 2} if role_of(booted) == "server" else {"noded": 3}
    for name, priority in wanted.items():
        pid = f"$(systemctl show -p MainPID --value saint-{name})"
        said = booted.sh(f"cut -d' ' -f40,41 /proc/{pid}/stat").split()
        assert said == [str(priority), str(os.SCHED_RR)], f"{name}: {said}"


def test_nobody_gets_in_without_a_key(booted: Host) -> None:
    said = booted.sh(
        "sshd -T 2>/dev/null | grep -iE '^(passwordauthentication|kbdinteractive|permitroot)'"
    )
    assert "passwordauthentication no" in said
    assert "yes" not in said.replace("permitrootlogin without-password", "")
    assert booted.sh("awk -F: '$2 !~ /^[!*]/ {print $1}' /etc/shadow") == ""


def test_owner_gets_in_with_the_key_of_the_card(fresh: Pair) -> None:
    assert fresh.server.ssh is not None
    assert "saint" in fresh.server.ssh.check("id -un; saintctl --help | head -3")


def test_stages_of_the_boot_are_measured(booted: Host, rebooted: Reboot, report: Report) -> None:
    role = role_of(booted)
    report.number(f"{role}: U-Boot to kernel (TCG)", rebooted.kernel_after_s, "s")
    report.number(f"{role}: power to all units up (TCG)", rebooted.up_after_s, "s")
    for stage in ("kernel", "userspace"):
        found = re.search(rf"([\dmins. ]+) \({stage}\)", rebooted.analysis)
        assert found, rebooted.analysis
        report.number(f"{role}: {stage} (TCG)", _seconds(found[1]), "s")


def _seconds(text: str) -> float:
    """systemd's "1min 2.345s" or "912ms"."""
    units = {"min": 60.0, "s": 1.0, "ms": 0.001}
    return sum(float(n) * units[unit] for n, unit in re.findall(r"([\d.]+)(min|ms|s)", text))


def test_idle_memory_is_within_its_budget(booted: Host, report: Report) -> None:
    """PSS of our own processes: what they would give back if they ended. Not of one that does a
    single thing and ends, like the `touch` that remembers the time.
    """
    role = role_of(booted)
    if role == "server":  # as before the first page is opened; their sockets start them again
        booted.sh("systemctl stop saint-webd.service saint-livelinkd.service")
    said = booted.sh(
        "for c in $(systemctl list-units --plain --no-legend 'saint-*.service' | cut -d' ' -f1); do"
        " [ $(systemctl show -P Type $c) = oneshot ] && continue;"
        " p=$(systemctl show -P MainPID $c); [ $p -gt 0 ] &&"
        " echo $c $(awk '/^Pss:/{s+=$2} END{print s}' /proc/$p/smaps_rollup); done; true"
    )
    sizes = {line.split()[0]: int(line.split()[1]) / 1024 for line in said.splitlines()}
    for unit, mib in sizes.items():
        report.number(f"{role}: PSS of {unit}", mib, "MiB")
    # Of the node's, the guard is 15: a process of its own, so that it outlives the others.
    most = {"server": 180.0, "node": 104.0}[role]
    report.number(f"{role}: PSS of all daemons", sum(sizes.values()), "MiB", most)
