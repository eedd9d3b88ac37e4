"""Which roles have confirmed a stop, as routerd collects, reports and publishes it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from saint_services.lib.api import Done, routing
from saint_services.lib.api.adoption import (
    WATCH_NODES,
    NodeInfo,
    NodeRoleInfo,
    NodeState,
    RobotNodes,
    RoleList,
)
from saint_services.lib.api.credentials import ROLE_PROOF, RoleProof
from saint_services.lib.api.endpoint import WatchRequest
from saint_services.lib.api.routing import EStopInfo, EStopRequest
from saint_services.lib.daemon import bind
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import RoleCredential, StopReport
from saint_services.lib.ipc import Api, Call
from saint_services.lib.machine.service_manager import Directories
from saint_services.routerd.estop.confirmations import holders
from tests.unit.routerd.daemon_rig import RunningRouter, alive, places
from tests.waiting import turns, until

PRESS = EStopRequest(source="web", reason="test")


@contextlib.asynccontextmanager
async def adoptiond(directories: Directories, *targets: str) -> AsyncIterator[list[str]]:
    """One node, pi_5, holds these; every credential is genuine. Yields the requests to it."""
    requests: list[str] = []
    roles = [NodeRoleInfo(role=each) for each in targets]
    node = NodeInfo(node_id="pi_5", display_name="", state=NodeState.ACTIVE, roles=roles)

    async def nodes(_: Call[WatchRequest]) -> AsyncIterator[RobotNodes]:
        requests.append("nodes")
        yield RobotNodes(nodes=[node], roles=RoleList(robot="", roles=[]))
        await asyncio.Event().wait()

    async def check(call: Call[RoleProof]) -> Done:
        requests.append(call.body.role)
        return Done()

    api = Api()
    api.bind_stream(WATCH_NODES, nodes)
    api.bind(ROLE_PROOF, check)
    server = await api.serve([bind(directories.runtime, "adoptiond")])
    try:
        yield requests
    finally:
        await server.close()


@contextlib.asynccontextmanager
async def robot_with(tmp_path: Path, *targets: str) -> AsyncIterator[RunningRouter]:
    """Its roles are the participant of the test; `others` may say what it likes."""
    directories = places(tmp_path)
    async with adoptiond(directories, *targets) as requests, alive(directories) as robot:
        for target in targets:
            said = RoleCredential("pi_5", robot.bus.origin, target, "0" * 128)
            robot.bus.publisher(topics.ROLE_CREDENTIAL).publish(said)
        await until(lambda: {"nodes", *targets} <= set(requests))
        await turns()
        yield robot


def report(robot: RunningRouter, outcome: str = "stopped", **changes: object) -> None:
    facts = {"node_id": "pi_5", "target": "tracks", "generation": 1, "is_known": True, **changes}
    message = StopReport(outcome=outcome, **facts)  # type: ignore[arg-type]
    robot.bus.publisher(topics.ESTOP_REPORTS).publish(message)


async def pressed(robot: RunningRouter) -> EStopInfo:
    return await robot.client.request(routing.ESTOP, PRESS)


def known(info: EStopInfo) -> dict[str, str]:
    return {each.target: each.state for each in info.outcomes if each.state != "absent"}


async def test_press_answers_with_who_confirmed_it(tmp_path: Path) -> None:
    async with robot_with(tmp_path, "tracks") as robot:
        robot.bus.subscribe(
            topics.ESTOP,
            lambda sample: (
                report(robot, generation=sample.message.generation)
                if sample.message.active
                else None
            ),
        )
        info = await pressed(robot)
        assert info.confirmed and known(info) == {"tracks": "stopped"}
        outcome = next(each for each in info.outcomes if each.target == "tracks")
        assert outcome.after_ms is not None and outcome.node_id == "pi_5"


async def test_press_that_nobody_confirms_answers_all_the_same(tmp_path: Path) -> None:
    async with robot_with(tmp_path, "tracks") as robot:
        info = await pressed(robot)
        assert info.active and not info.confirmed and known(info) == {"tracks": "silent"}


async def test_press_without_an_answer_of_adoptiond_expects_every_role(tmp_path: Path) -> None:
    async with alive(places(tmp_path)) as robot:
        info = await pressed(robot)
        assert not info.confirmed and {each.state for each in info.outcomes} == {"silent"}


async def test_report_of_an_unknown_participant_confirms_nothing(tmp_path: Path) -> None:
    async with robot_with(tmp_path, "tracks") as robot:
        generation = (await pressed(robot)).generation
        said = StopReport(node_id="pi_5", target="tracks", generation=generation, outcome="stopped")
        robot.unknown.publisher(topics.ESTOP_REPORTS).publish(said)
        await turns()
        assert known(await robot.latch()) == {"tracks": "silent"}
        report(robot, generation=generation)
        await turns()
        assert known(await robot.latch()) == {"tracks": "stopped"}


async def test_role_that_is_stopped_unseen_raises_the_latch(tmp_path: Path) -> None:
    async with robot_with(tmp_path, "tracks") as robot:
        report(robot, generation=0, is_known=False, detail="a participant pressed")
        await turns()
        latch = await robot.latch()
        assert latch.active and latch.source == "tracks"
        assert latch.reason == "its role reports that it has stopped: a participant pressed"


async def test_role_of_another_robot_does_not_raise_the_latch(tmp_path: Path) -> None:
    async with robot_with(tmp_path, "tracks") as robot:
        said = StopReport(node_id="elsewhere", target="tracks", outcome="stopped")
        robot.unknown.publisher(topics.ESTOP_REPORTS).publish(said)
        await turns()
        assert not (await robot.latch()).active


async def test_late_report_of_a_cleared_stop_does_not_raise_the_latch(tmp_path: Path) -> None:
    async with robot_with(tmp_path, "tracks") as robot:
        generation = (await pressed(robot)).generation
        await robot.clear()
        report(robot, generation=generation)
        await turns()
        assert not (await robot.latch()).active


async def test_outcomes_are_published_for_everyone(tmp_path: Path) -> None:
    async with robot_with(tmp_path, "tracks") as robot:
        robot.record(topics.ESTOP_OUTCOME)
        generation = (await pressed(robot)).generation
        report(robot, generation=generation)
        await turns()
        newest = robot.all_of(topics.ESTOP_OUTCOME)[-1]
        assert newest.active and newest.confirmed and newest.generation == generation
        states = {each.target: each.state for each in newest.outcomes}
        assert states["tracks"] == "stopped" and states["head"] == "absent"


def test_node_of_another_robot_holds_no_target_of_this_one() -> None:
    role = NodeRoleInfo(role="tracks")
    theirs = NodeInfo(
        node_id="pi_9", display_name="", state=NodeState.ACTIVE, roles=[role], server="OTHER"
    )
    ours = theirs.model_copy(update={"node_id": "pi_5", "server": "SAINT", "is_ours": True})
    assert holders([ours, theirs]) == {"tracks": "pi_5"}
