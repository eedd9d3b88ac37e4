"""A fresh server, to which nobody has uploaded anything, brings a node with an older card to the
release that it runs itself; a factory reset of the node finds that release there.
"""

import shutil
from collections.abc import Iterator

import pytest

from saint_services.lib.api.firmware import MachineFirmware, UpdateVerdict
from tests.image.artefacts import Artefacts
from tests.image.forge import Forge
from tests.image.rig import HTTP, SAINT, SSH, Pair, Rig
from tests.image.robot import CLAIM, NotYetError, Robot
from tools.image.disk import Layout
from tools.vm.disk import Card
from tools.vm.settings import PATIENCE

pytestmark = pytest.mark.image_all

OLDER = "0.0.9"
_HEALTH_S = 300 * PATIENCE  # a trial's health check takes a Pi a tenth of that
_REST_S = 60


def older_card(rig: Rig, forge: Forge, artefacts: Artefacts) -> Card:
    """A node's card that was flashed with an older release."""
    card = rig.card("older", "node")
    folder = forge.folder / "older"
    forge.tree.run(["unsquashfs", "-d", folder, forge.release(OLDER), "rootfs.img"])
    with (folder / "rootfs.img").open("rb") as slot, card.path.open("r+b") as disk:
        disk.seek(Layout.of(artefacts.names).slot_a << 20)
        shutil.copyfileobj(slot, disk)
    shutil.rmtree(folder)
    return card


@pytest.fixture
def robot(rig: Rig, forge: Forge, artefacts: Artefacts) -> Iterator[Robot]:
    """A fresh server, and a node with an older card; both have just booted."""
    cable = rig.cable("older_cable")
    server_card = rig.card("newer_server", "server", claim=CLAIM)
    server = rig.host("newer_server", server_card, links=(cable,), forwards=(SSH, HTTP, SAINT))
    node = rig.host("older", older_card(rig, forge, artefacts), links=(cable.turned(),))
    pair = Pair(server, node)
    with rig.others_paused():
        for host in pair.both():
            host.machine.start()
        for host in pair.both():
            host.machine.wait_up()
        node.sh(f"echo health_timeout_s: {_HEALTH_S:g} >/data/config/noded.yaml")
        node.sh(f"echo offer_rest_s: {_REST_S} >>/data/config/noded.yaml")
        node.sh("systemctl restart saint-noded")
        yield Robot(pair)
        for host in pair.both():
            host.machine.cut()


def node_of(robot: Robot) -> MachineFirmware:
    found = [each for each in robot.report().machines if not each.is_server]
    if not found:
        raise NotYetError("the server does not know the node yet")
    return found[0]


def test_older_node_follows_a_fresh_server_by_itself(robot: Robot, artefacts: Artefacts) -> None:
    version = artefacts.names.version

    def is_offered() -> bool:
        return any(r.version == version and r.is_current for r in robot.report().releases)

    robot.until("the server offers the release of its card", is_offered, 1200)

    def is_updated() -> bool:
        found = node_of(robot)
        return found.version == version and found.verdict is UpdateVerdict.HEALTHY

    robot.until("the node runs it and is healthy", is_updated, 3600)
    assert robot.report().plan is None

    slot = node_of(robot).slot
    robot.node_id = node_of(robot).node_id
    said = robot.saintctl("node", "reset", robot.node_id, "--factory")
    assert said.code == 0, said.text
    robot.until("the release is in the other slot", lambda: node_of(robot).slot != slot, 3600)
    assert node_of(robot).version == version
