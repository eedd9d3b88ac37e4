"""Recorded bytes in, motion out: through real processes, seen at the nodes' simulated pins."""

from collections.abc import Iterator

import pytest

from saint_services.lib.api.rc import RcStatus
from tests.integration.robot import Robot
from tests.integration.senders import RECORDED_FACE, RECORDED_RC, phone, stick, transmitter
from tests.integration.tracks import Tracks
from tests.waiting import block_until, block_while, let_pass
from tools.sim.observe import read_pca9685, read_pins

PAN, TILT, ROLL = 12, 13, 3  # manifests/roles/head.yaml; roll is a channel of its servo chip
MIDDLE_US = 1500.0


@pytest.fixture
def tracks(robot: Robot) -> Iterator[Tracks]:
    watch = Tracks(robot)
    yield watch
    watch.close()


def test_captured_crsf_turns_the_tracks(robot: Robot, tracks: Tracks) -> None:
    # The capture holds channel 1 at its lower end: a full turn on the spot, and channel 2 centred.
    with transmitter(robot, RECORDED_RC):
        block_until(tracks.is_turning, 5.0, robot.diagnosis)
    assert tracks.seconds_until_stopped(1.0) < 0.25


async def test_captured_crsf_is_read_without_loss(robot: Robot) -> None:
    with transmitter(robot, RECORDED_RC):
        await let_pass(0.5)  # the recording plays meanwhile
        async with robot.client("rcd") as client:
            status = await client.get("/status", RcStatus)
    assert status.connected
    assert (status.rejected, status.discarded_bytes) == (0, 0)
    assert status.channels[0].raw == 172


def test_captured_face_moves_the_head(robot: Robot) -> None:
    with phone(robot, RECORDED_FACE):
        # headYaw 0.132, headPitch 0.289 of a radian: the servos leave the middle by that.
        block_until(lambda: _pulse(robot, TILT) > MIDDLE_US + 100, 5.0, robot.diagnosis)
        block_until(lambda: abs(_pulse(robot, PAN) - MIDDLE_US) > 20, 5.0, robot.diagnosis)
        # headRoll is next to nothing, and another test may have left it there already.
        block_until(lambda: read_pca9685(robot.hw("head"), 1, 0x40)[ROLL].writes > 0, 5.0)


def test_captured_face_moves_the_jaw_over_i2c(robot: Robot) -> None:
    with phone(robot, RECORDED_FACE):
        block_until(lambda: read_pca9685(robot.hw("head"), 1, 0x40)[0].value > 1000, 5.0)


def test_head_holds_its_pose_when_the_face_is_gone(robot: Robot) -> None:
    with phone(robot, RECORDED_FACE):
        block_until(lambda: _pulse(robot, TILT) > MIDDLE_US + 100, 5.0, robot.diagnosis)
    block_while(lambda: _pulse(robot, TILT) > MIDDLE_US + 100, 1.0)


def test_stick_forward_drives_both_tracks_forward(robot: Robot, tracks: Tracks) -> None:
    with transmitter(robot, [stick(forward=1.0)]):
        block_until(lambda: min(tracks.duties()) > 0.9, 5.0, robot.diagnosis)
        assert len(set(tracks.directions())) == 1


def _pulse(robot: Robot, pin: int) -> float:
    return read_pins(robot.hw("head"))[pin].value
