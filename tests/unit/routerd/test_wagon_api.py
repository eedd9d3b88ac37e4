"""Requests about the wagon: what the router passes on, and whose answers count."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.api import wagon
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.wagon import WagonGainsRequest
from saint_services.lib.bus import Sample
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import (
    RoleCredential,
    WagonReply,
    WagonRequest,
    WagonState,
)
from saint_services.routerd import wagon_api
from saint_services.routerd.config import Config
from tests.unit.routerd.daemon_rig import RunningRouter, alive, places
from tests.unit.routerd.test_daemon_confirmations import PRESS, adoptiond, routing
from tests.waiting import turns, until


@contextlib.asynccontextmanager
async def wagon_robot(tmp_path: Path) -> AsyncIterator[RunningRouter]:
    """Its role is the participant of the test."""
    directories = places(tmp_path)
    async with (
        adoptiond(directories, "wagon") as requests,
        alive(directories, Config(robot="saul_tee")) as robot,
    ):
        said = RoleCredential("pi_5", robot.bus.origin, "wagon", "0" * 128)
        robot.bus.publisher(topics.ROLE_CREDENTIAL).publish(said)
        await until(lambda: {"nodes", "wagon"} <= set(requests))
        await turns()
        yield robot


def answering(robot: RunningRouter, bus: Any, *, is_done: bool, text: str) -> list[WagonRequest]:
    """Answer every request on that bus."""
    received: list[WagonRequest] = []
    reply = bus.publisher(topics.WAGON_REPLY)

    def answer(sample: Sample[WagonRequest]) -> None:
        received.append(sample.message)
        reply.publish(WagonReply(sample.message.id, is_done, text))

    robot.bus.subscribe(topics.WAGON_REQUEST, answer)
    return received


async def test_arm_reaches_the_role_and_returns_its_answer(tmp_path: Path) -> None:
    async with wagon_robot(tmp_path) as robot:
        received = answering(robot, robot.bus, is_done=True, text="the wagon is armed")
        done = await robot.client.request(wagon.ARM, Nothing())
        assert done.message == "the wagon is armed"
        assert [each.action for each in received] == ["arm"]


async def test_refusal_names_what_prevents_it(tmp_path: Path) -> None:
    async with wagon_robot(tmp_path) as robot:
        answering(robot, robot.bus, is_done=False, text="tilt: 30 degrees, at most 25")
        with pytest.raises(SaintError, match="tilt: 30 degrees") as caught:
            await robot.client.request(wagon.ARM, Nothing())
        assert caught.value.code is Code.REFUSED


async def test_arm_during_a_stop_publishes_nothing(tmp_path: Path) -> None:
    async with wagon_robot(tmp_path) as robot:
        received = answering(robot, robot.bus, is_done=True, text="armed")
        await robot.client.request(routing.ESTOP, PRESS)
        with pytest.raises(SaintError, match="stopped"):
            await robot.client.request(wagon.ARM, Nothing())
        assert received == []
        await robot.client.request(wagon.DISARM, Nothing())
        assert [each.action for each in received] == ["disarm"]


async def test_answer_of_an_unknown_participant_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wagon_api, "ANSWER_S", 0.1)
    async with wagon_robot(tmp_path) as robot:
        answering(robot, robot.unknown, is_done=True, text="the wagon is armed")
        with pytest.raises(SaintError, match="did not answer"):
            await robot.client.request(wagon.ARM, Nothing())


async def test_gains_reach_the_role(tmp_path: Path) -> None:
    async with wagon_robot(tmp_path) as robot:
        received = answering(robot, robot.bus, is_done=True, text="the gains were set")
        gains = WagonGainsRequest(kp=1.5, ki=0.0, kd=0.25)
        await robot.client.request(wagon.SET_GAINS, gains)
        assert (received[0].kp, received[0].ki, received[0].kd) == (1.5, 0.0, 0.25)


async def test_status_is_that_of_the_proven_role_and_gets_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wagon_api, "OLD_S", 0.2)
    async with wagon_robot(tmp_path) as robot:
        robot.unknown.publisher(topics.WAGON_STATE).publish(WagonState(state="armed"))
        await turns()
        assert (await robot.client.request(wagon.GET_STATUS, Nothing())).state == "absent"
        robot.bus.publisher(topics.WAGON_STATE).publish(
            WagonState(state="disarmed", prevents=("stick: held",), pitch=float("nan"))
        )
        await turns()
        found = await robot.client.request(wagon.GET_STATUS, Nothing())
        assert (found.state, found.prevents, found.pitch) == ("disarmed", ["stick: held"], None)

        async def state() -> str:
            return (await robot.client.request(wagon.GET_STATUS, Nothing())).state

        async with asyncio.timeout(5):
            while await state() != "absent":
                await turns()


async def test_robot_without_a_wagon_says_so(tmp_path: Path) -> None:
    async with alive(places(tmp_path)) as robot:
        for row in (wagon.GET_STATUS, wagon.ARM, wagon.DISARM):
            with pytest.raises(SaintError, match="no wagon"):
                await robot.client.request(row, Nothing())
