"""What an owner does with releases later: roll back, reset a node, change the maker's key."""

import time

import pytest

from saint_services.lib.api.adoption import NodeState
from saint_services.lib.api.firmware import UpdateVerdict
from tests.image.forge import Forge, Signer, Slot
from tests.image.robot import NotYetError, Robot
from tests.image.stages import FIRST

OLD, ROLLOVER, RENEWED = "0.0.9", "0.1.7", "0.1.8"


@pytest.fixture
def robot(newer_robot: Robot) -> Robot:
    """These tests all start from the updated robot."""
    return newer_robot


def test_older_release_is_refused_unless_forced(robot: Robot, forge: Forge) -> None:
    status, said = robot.upload(forge.husk(OLD))
    assert status == 200, said
    with pytest.raises(NotYetError, match=rf"{OLD}.*older|older.*{OLD}"):
        robot.roll_out(OLD)
    robot.roll_out(OLD, force=True)  # whether a husk could run is another question
    robot.until("it was begun", lambda: robot.firmware().target_version == OLD, 300)


@pytest.mark.image_all
def test_older_release_runs_when_forced(robot: Robot, forge: Forge) -> None:
    status, said = robot.upload(forge.release("0.0.8"))
    assert status == 200, said
    robot.roll_out("0.0.8", force=True)
    assert robot.wait_verdict("0.0.8").verdict is UpdateVerdict.HEALTHY
    assert robot.firmware().version == "0.0.8"


@pytest.mark.image_all
def test_rollback_by_hand_starts_the_other_slot(robot: Robot) -> None:
    """Nothing is downloaded: the release before is still in its slot."""
    began = time.monotonic()
    robot.control("rollback")
    robot.until("the node runs 0.1.0", lambda: robot.firmware().version == "0.1.0", 900)
    found = robot.until("a verdict", lambda: robot.firmware().verdict and robot.firmware(), 600)
    assert (found.slot, found.verdict) == ("A", UpdateVerdict.HEALTHY)
    assert time.monotonic() > began


@pytest.mark.image_all
def test_factory_reset_downloads_the_release_again(robot: Robot) -> None:
    """That of the robot, which the server's card brought; the node alone had got a newer one."""
    offered = next(each.version for each in robot.report().releases if each.is_current)
    assert offered != FIRST
    said = robot.saintctl("node", "reset", robot.node_id, "--factory")
    assert said.code == 0, said.text
    robot.wait_node("free again", lambda n: n.state is NodeState.UNADOPTED, 600)
    robot.until("the release is in the other slot", lambda: robot.firmware().slot == "A", 1800)
    found = robot.until("a verdict", lambda: robot.firmware().verdict and robot.firmware(), 600)
    assert (found.version, found.slot, found.verdict) == (offered, "A", UpdateVerdict.HEALTHY)


@pytest.mark.image_all
def test_maker_may_change_the_key(robot: Robot, forge: Forge) -> None:
    """A release of the old key brings the new authority; then one of the new key is taken."""
    new = forge.foreign_key()
    refused, _ = robot.upload(forge.release(RENEWED, signer=new))
    assert refused != 200
    status, said = robot.upload(forge.release(ROLLOVER, lambda slot: _trust(slot, new)))
    assert status == 200, said
    robot.request("management", "firmware_rollout", version=ROLLOVER)
    robot.until("all run it", lambda: robot.report().robot_version == ROLLOVER, 3600)
    status, said = robot.upload(forge.release(RENEWED, signer=new))
    assert status == 200, said
    robot.roll_out(RENEWED)
    assert robot.wait_verdict(RENEWED).verdict is UpdateVerdict.HEALTHY


def _trust(slot: Slot, maker: Signer) -> None:
    path = "/etc/rauc/keyring.pem"
    slot.write(path, slot.read(path) + maker.authority.decode())
