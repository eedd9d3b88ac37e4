"""A robot of one machine: server and node on the same Pi (`role: both`), from a card that was
flashed with `saintctl image flash --role both`.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from saint_services.lib.api.firmware import UpdateState
from tests.image.artefacts import ROOT
from tests.image.rig import CARD_MIB, HTTP, SAINT, SSH, Pair, Rig
from tests.image.robot import CLAIM, Robot
from tools.vm.disk import MIB, Card
from tools.vm.settings import DEADMAN_S, boot_env

pytestmark = pytest.mark.image_all


def flash(rig: Rig, path: Path) -> Card:
    """A card of 4 GiB, flashed from build/image as owners do; the emulator's own settings are put
    beside the owner's.
    """
    claim = path.with_suffix(".claim")
    claim.write_text(CLAIM)
    with path.open("wb") as file:
        file.truncate(CARD_MIB * MIB)
    words = ["--role", "both", "--ssh-key", rig.key.with_suffix(".pub"), "--claim-file", claim]
    program = Path(sys.executable).with_name("saintctl")
    done = subprocess.run(
        [program, "image", "flash", path, *words, "--simulated", "--yes"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    card = Card(path, rig.programs)
    card.put({"boot.env": boot_env(DEADMAN_S)})
    return card


@pytest.fixture(scope="module")
def alone(rig: Rig) -> Iterator[Robot]:
    """It is switched off again afterwards: two machines are enough for a small computer."""
    card = flash(rig, rig.folder / "both.img")
    host = rig.host("both", card, links=(rig.cable("loose"),), forwards=(SSH, HTTP, SAINT))
    with rig.others_paused():
        host.machine.start()
        host.machine.wait_up()
        yield Robot(Pair(host, host))
        host.machine.cut()


def test_all_units_of_both_roles_are_up(alone: Robot) -> None:
    assert alone.server.sh("systemctl --failed --plain --no-legend") == ""
    for target in ("saint-server.target", "saint-node.target"):
        assert alone.server.sh(f"systemctl is-active {target}").strip() == "active"


def test_machine_is_adopted_by_itself(alone: Robot) -> None:
    found = alone.wait_node("itself is discovered", lambda n: bool(n.node_id), 600)
    assert alone.adopt(found.node_id, "tracks").role == "tracks"


def test_machine_is_one_in_the_roll_out(alone: Robot) -> None:
    """Node and server share the slot: one line, one update."""
    machines = alone.until("its firmware is reported", lambda: alone.report().machines, 120)
    assert len(machines) == 1
    assert machines[0].state is UpdateState.IDLE
    assert machines[0].version == alone.report().robot_version
