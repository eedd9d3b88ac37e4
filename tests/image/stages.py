"""How far the robot has come: booted, adopted, updated. Each stage is reached once per session and
kept as a snapshot of both machines, which every test can restore.
"""

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass

from saint_services.lib.api.adoption import NodeState
from saint_services.lib.api.firmware import RolloutState, UpdateVerdict
from tests.image.forge import Forge, change_one_file, die_as_ordered
from tests.image.report import Report
from tests.image.rig import HTTP, SAINT, SSH, Host, Pair, Rig
from tests.image.robot import CLAIM, FirstUpdate, Robot
from tests.image.wire import count_from_now, received_bytes
from tools.vm.machine import Machine
from tools.vm.settings import PATIENCE, Hardware

ADOPTED, UPDATED = "adopted", "updated"
FIRST = "0.1.1"  # the release of the first update; the image is 0.1.0
OFFERED = "0.1.31"  # the server runs it, and offers it to the node, which has been off meanwhile
DYING_FILE = "/data/config/dies-after"  # seconds from the start to the first death of the role
NAME = "Image test"
# A trial's health check takes a Pi a tenth of that. Settings on /data hold in both slots.
_HEALTH_S = 300 * PATIENCE


def boot(rig: Rig) -> Pair:
    """Two fresh cards, started for the first time."""
    pair = _cards(rig)
    if rig.kept(ADOPTED):
        _wake(pair, ADOPTED)
        return pair
    _start(pair)
    return pair


def boot_small(rig: Rig, memory_mib: int) -> Pair:
    """Two more of them with little memory and the oldest processor of all boards, on a cable of
    their own. Nothing of them is kept."""
    pair = _cards(rig, "small-", memory_mib, "cortex-a53")
    _start(pair)
    return pair


def _cards(rig: Rig, prefix: str = "", memory_mib: int = 1024, cpu: str = Hardware.cpu) -> Pair:
    cable = rig.cable(f"{prefix}cable")
    card = rig.card(f"{prefix}server", "server", claim=CLAIM)
    ports = (SSH, HTTP, SAINT)
    server = rig.host(
        f"{prefix}server", card, links=(cable,), forwards=ports, memory_mib=memory_mib, cpu=cpu
    )
    card = rig.card(f"{prefix}node", "node")
    links = (cable.turned(),)
    node = rig.host(f"{prefix}node", card, links=links, memory_mib=memory_mib, cpu=cpu)
    return Pair(server, node)


def _start(pair: Pair) -> None:
    for host in pair.both():
        host.machine.start()
    for host in pair.both():
        host.machine.wait_up()


@dataclass(frozen=True)
class Reboot:
    """What a machine was before and after one more start, and how long that took."""

    before: str
    after: str
    began_s: float
    kernel_after_s: float
    up_after_s: float
    analysis: str


def reboot(host: Host) -> Reboot:
    """Switched off and on, with nothing unwritten."""
    identity = "cat /etc/machine-id; ssh-keygen -lf /data/ssh/ssh_host_ed25519_key.pub; hostname"
    machine = host.machine
    before = host.sh(identity)
    host.sh("sync")
    since, began = machine.serial.end, time.monotonic()
    machine.reset()
    machine.serial.wait_for(r"Starting kernel", since, 120)
    kernel_after_s = time.monotonic() - began
    machine.wait_up(since)
    up_after_s = time.monotonic() - began
    analysis = host.sh("systemd-analyze time | head -1")
    return Reboot(before, host.sh(identity), began, kernel_after_s, up_after_s, analysis)


def reboot_node(robot: Robot, report: Report) -> Reboot:
    """The same of the adopted node, until its role is back."""
    found = reboot(robot.node)
    robot.wait_node(
        "active again after its boot",
        lambda n: n.state is NodeState.ACTIVE and n.uptime_s < time.monotonic() - found.began_s,
        300,
    )
    report.number("node: power to ACTIVE again (TCG)", time.monotonic() - found.began_s, "s")
    return found


def adopt(rig: Rig, pair: Pair, report: Report) -> Robot:
    """The node gets the head's role with saintctl, over ssh."""
    robot = Robot(pair)
    if rig.kept(ADOPTED):
        robot.node_id = rig.kept(ADOPTED)
        return robot
    began = time.monotonic()
    make_head(robot)
    report.number("discovery, adoption, ACTIVE (TCG)", time.monotonic() - began, "s")
    _keep(rig, robot, ADOPTED)
    return robot


def make_head(robot: Robot) -> None:
    """The new node is found and becomes the head."""
    for host in robot.pair.both():
        for daemon in ("noded", "otad"):
            host.sh(f"echo health_timeout_s: {_HEALTH_S:g} >/data/config/{daemon}.yaml")
    robot.node_id = robot.wait_node("a node is discovered", lambda n: bool(n.node_id), 600).node_id
    robot.adopt(robot.node_id, "head", "--name", NAME)


def update(rig: Rig, robot: Robot, forge: Forge, report: Report) -> Robot:
    """The node gets its first update from the server: a release with one changed file."""
    if rig.kept(UPDATED):
        return robot
    restore(robot.pair, ADOPTED)
    bundle = forge.release(FIRST, change_one_file)
    status, said = robot.upload(bundle)
    assert status == 200, said
    node = robot.node
    count_from_now(node)
    began, since = time.monotonic(), node.machine.serial.end
    with restart_held(node):
        robot.roll_out(FIRST)
        wait_installed(node)
        robot.first_update = FirstUpdate(received_bytes(node), bundle.stat().st_size)
        report.number("one-file update: installation (TCG)", time.monotonic() - began, "s")
    verdict = robot.wait_verdict(FIRST)
    assert verdict.verdict is UpdateVerdict.HEALTHY, verdict
    report.number("one-file update of a node (TCG)", time.monotonic() - began, "s")
    node.machine.wait_shell(since)
    robot.wait_node("active", lambda n: n.state is NodeState.ACTIVE, 300)
    _keep(rig, robot, UPDATED)
    return robot


def offer(rig: Rig, robot: Robot, forge: Forge) -> Robot:
    """The node is off while a roll-out brings the server to the next release."""
    if rig.kept(OFFERED):
        return robot
    restore(robot.pair, UPDATED)
    status, said = robot.upload(forge.release(OFFERED, die_as_ordered(DYING_FILE)))
    assert status == 200, said
    # Emulated, all is slow: the longest that a node waits for the server's answer.
    robot.node.sh("echo offer_wait_s: 45 >>/data/config/noded.yaml; sync")
    robot.node.machine.unplug()
    robot.until("the node is away", lambda: not robot.firmware().is_online, 120)
    started = robot.saintctl("firmware", "rollout", OFFERED, "--detach")
    assert started.code == 0, started.text
    robot.until(
        "the roll-out has ended",
        lambda: (plan := robot.report().plan) and plan.state is not RolloutState.RUNNING,
        3600,
    )
    plan = robot.report().plan
    assert plan is not None
    assert plan.state is RolloutState.DONE, plan
    robot.server.machine.wait_shell(0)
    _keep(rig, robot, OFFERED)
    return robot


def switch_on(node: Host) -> int:
    """The node that was off; returns from where its boot is on the serial console."""
    node.sh("sync")
    since = node.machine.serial.end
    node.machine.plug()
    node.machine.reset()
    return since


@contextlib.contextmanager
def restart_held(node: Host) -> Iterator[None]:
    """An installation ends with a restart: here it waits until the test has looked."""
    node.sh("systemctl stop saint-reboot.path")
    yield
    node.sh("systemctl start --no-block saint-reboot.path")


def wait_installed(node: Host) -> None:
    """Until the new release is in its slot and the machine wants to restart."""
    node.sh("until [ -s /run/saint-reboot/request ]; do sleep 1; done", 1200)


def restore(pair: Pair, tag: str) -> None:
    """Both machines are again what they were when that stage was reached."""
    for step in (Machine.pause, lambda m: m.load(tag), Machine.resume):
        for host in pair.both():
            step(host.machine)
    for host in pair.both():
        host.machine.plug()  # an earlier test may have left it without
        if host.ssh is not None:
            host.ssh.close()


def _keep(rig: Rig, robot: Robot, tag: str) -> None:
    """Both at the same moment, or the one would wait for what the other forgot."""
    for host in robot.pair.both():
        host.sh("sync")
    for step in (Machine.pause, lambda m: m.save(tag), Machine.resume):
        for host in robot.pair.both():
            step(host.machine)
    rig.keep(tag, robot.node_id)


def _wake(pair: Pair, tag: str) -> None:
    """Switch both on in the state of a snapshot of an earlier run."""
    for host in pair.both():
        host.machine.start(paused=True, snapshot=tag)
    for host in pair.both():
        host.machine.resume()
