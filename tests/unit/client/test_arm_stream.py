"""An arm by the client, with the real webd and router: its lock, its limits, what is refused."""

import asyncio
import math
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from saint_services.client import Code, Robot, SaintError
from saint_services.lib.api.webd import routes
from saint_services.webd.config import AuthSettings, Config
from tests.waiting import until
from tests.web.fakes.arms import LEADER, TARGET
from tests.web.fakes.robot import FakeRobot, fake_robot


@pytest.fixture
async def pair(tmp_path: Path) -> AsyncIterator[tuple[FakeRobot, str]]:
    """A leader and its follower, and the address of their robot."""
    config = Config(robot="so101_pair", auth=AuthSettings(required=False))
    async with fake_robot(tmp_path, config=config) as (robot, address, _):
        playing = asyncio.create_task(robot.play())
        yield robot, address
        playing.cancel()


async def test_arm_moves_under_its_lock_within_its_limits(pair: tuple[FakeRobot, str]) -> None:
    fake, address = pair
    async with Robot(address, name="mission") as robot:
        async with robot.arm(TARGET) as arm:
            assert fake.router.holders() == {TARGET: "websocket:mission"}
            assert arm.pose.joints[0] == "shoulder_pan"

            async def has_moved() -> bool:
                sent = await arm.set({"shoulder_pan": 200.0, "gripper": 50.0})
                assert sent == {"shoulder_pan": pytest.approx(110.022), "gripper": 50.0}
                return arm.pose.newest()["gripper"] > 5.0

            await until(has_moved, 20.0)
            assert 0.05 < fake.arm.places["gripper"] <= 0.5
        await until(lambda: fake.router.holders() == {})


async def test_wrong_joint_and_no_number_move_nothing(pair: tuple[FakeRobot, str]) -> None:
    async with Robot(pair[1]) as robot, robot.arm(TARGET) as arm:
        with pytest.raises(SaintError, match="has no joint knee, only shoulder_pan"):
            await arm.set({"knee": 1.0})
        with pytest.raises(SaintError, match="cannot be moved to nan"):
            await arm.set({"shoulder_pan": math.nan})


async def test_arm_that_another_takes_is_refused_with_its_name(
    pair: tuple[FakeRobot, str],
) -> None:
    async with (
        Robot(pair[1], name="one") as one,
        Robot(pair[1], name="two") as two,
        one.arm(TARGET) as arm,
    ):
        with pytest.raises(SaintError, match="websocket:one"):
            await two.arm(TARGET).__aenter__()
        await two.call(routes.TAKE_CONTROL, target=TARGET, takeover=True)

        async def is_refused() -> bool:
            try:
                await arm.set({"shoulder_pan": 0.0})
            except SaintError as err:
                assert err.code is Code.CONFLICT and "websocket:two" in err.message
                return True
            return False

        await until(is_refused, 10.0)


async def test_pose_of_a_leader_is_known_until_it_is_silent(pair: tuple[FakeRobot, str]) -> None:
    fake, address = pair
    fake.arm.leader["gripper"] = 0.25
    async with Robot(address) as robot, robot.pose(LEADER) as pose:
        await until(lambda: pose.newest()["gripper"] == 25.0)
        fake.arm.leader["gripper"] = math.nan

        def is_refused() -> bool:
            try:
                pose.newest()
            except SaintError as err:
                return "gripper of leader.hand is not measured" in err.message
            return False

        await until(is_refused)


async def test_target_without_an_arm_is_refused(
    pair: tuple[FakeRobot, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("saint_services.client.pose.FIRST_S", 1.0)
    async with Robot(pair[1]) as robot:
        with pytest.raises(
            SaintError, match=r"no arm parts.nobody.*within 1 s; here are: .*parts.follower"
        ):
            await robot.pose("parts.nobody").__aenter__()
