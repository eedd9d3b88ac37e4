"""How each report of a stop counts, which roles are expected, and how long a reply waits. On a
bus and an adoptiond of the test; numbers are typed by hand.
"""

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator
from typing import Any

import pytest

from saint_services.lib.api.adoption import (
    NodeInfo,
    NodeRoleInfo,
    NodeState,
    RobotNodes,
    RoleList,
)
from saint_services.lib.api.endpoint import Endpoint, WatchRequest
from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import StopOutcomes, StopReport
from saint_services.lib.ipc import ChangeSignal
from saint_services.routerd.estop import confirmations
from saint_services.routerd.estop.confirmations import Confirmations, holders
from saint_services.routerd.estop.latch import Latch
from tests.waiting import every, turns, until

TARGETS = ("head", "tracks")
PRESSED, CLEARED = Latch(True, "web", "r", 7), Latch(False, "web", "", 8)


def node(node_id: str, *roles: tuple[str, str]) -> NodeInfo:
    held = [NodeRoleInfo(role=role, instance=instance) for role, instance in roles]
    return NodeInfo(node_id=node_id, display_name="", state=NodeState.ACTIVE, roles=held)


NODES = [node("pi_1", ("head", "")), node("pi_2", ("tracks", ""))]


class Around:
    """Stands for adoptiond, the proofs and the clock."""

    def __init__(self) -> None:
        self.nodes: list[NodeInfo] | None = NODES
        self.name = "adoptiond"
        self.requests: list[tuple[str, float]] = []
        self.changed = ChangeSignal()
        self.is_proven = True

    async def follow(
        self, row: Endpoint[Any, Any], params: WatchRequest, *, silence_s: float
    ) -> AsyncIterator[RobotNodes]:
        self.requests.append((row.path, params.hold_s))
        while self.nodes is not None:
            change = self.changed.next_change()
            yield RobotNodes(nodes=self.nodes, roles=RoleList(robot="", roles=[]))
            await change
        raise SaintError(Code.DAEMON_UNREACHABLE, "nobody answers")

    async def change(self, nodes: list[NodeInfo] | None) -> None:
        """Report these nodes; None: the connection breaks."""
        self.nodes = nodes
        self.changed.notify()
        await turns()

    def is_reporter(self, origin: str, report: StopReport, now_s: float) -> bool:
        return self.is_proven


class Bench:
    def __init__(self) -> None:
        self.around = Around()
        self.unseen: list[tuple[str, str]] = []
        bus = LocalDomain().bus("routerd")
        self.found = Confirmations(
            bus,
            TARGETS,
            self.around,  # type: ignore[arg-type]
            self.around,  # type: ignore[arg-type]
            lambda report: self.unseen.append((report.target, report.detail)),
        )
        self.published: list[StopOutcomes] = []
        bus.subscribe(topics.ESTOP_OUTCOME, lambda sample: self.published.append(sample.message))
        self._reports = bus.publisher(topics.ESTOP_REPORTS)

    async def says(self, target: str = "tracks", outcome: str = "stopped", **more: object) -> None:
        facts = {"node_id": "pi_2", "generation": 7, "is_known": True, "detail": "d", **more}
        report = StopReport(target=target, outcome=outcome, **facts)  # type: ignore[arg-type]
        self._reports.publish(report)
        await turns()

    def states(self) -> dict[str, str]:
        return {each.target: each.state for each in self.found.listed()}


@contextlib.asynccontextmanager
async def watching(bench: Bench) -> AsyncIterator[Bench]:
    work = asyncio.create_task(bench.found.work())
    await turns()
    yield bench
    work.cancel()


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    async with watching(Bench()) as bench:
        yield bench


def press(bench: Bench, latch: Latch = PRESSED) -> None:
    bench.found.latched(latch, 100.0)


async def test_report_confirms_its_target(bench: Bench) -> None:
    press(bench)
    await bench.says()
    (head, tracks) = bench.found.listed()
    assert (head.target, head.node_id, head.state, head.after_ms) == (
        "head",
        "pi_1",
        "silent",
        None,
    )
    assert (tracks.node_id, tracks.state, tracks.detail) == ("pi_2", "stopped", "d")
    assert tracks.after_ms is not None


async def test_words_of_a_report_are_shortened(bench: Bench) -> None:
    bench.found.outcomes = bench.found.outcomes.held_by(None)
    press(bench)
    await bench.says(detail="x" * 300, node_id="y" * 100)
    tracks = bench.found.listed()[1]
    assert (len(tracks.detail), len(tracks.node_id)) == (200, 64)


@pytest.mark.parametrize("outcome", ["silent", "absent", "nonsense", ""])
async def test_unknown_word_confirms_nothing(bench: Bench, outcome: str) -> None:
    press(bench)
    await bench.says()
    await bench.says(outcome=outcome)
    assert bench.states() == {"head": "silent", "tracks": "stopped"}


async def test_doubt_of_a_role_shows(bench: Bench) -> None:
    press(bench)
    await bench.says(outcome="stopping")
    assert bench.states()["tracks"] == "stopping"
    await bench.says(outcome="guard")
    assert bench.states()["tracks"] == "guard"


class TestUnseenStop:
    """A role has stopped while the latch is not active."""

    async def test_it_is_raised_with_its_reason(self, bench: Bench) -> None:
        await bench.says(is_known=False, detail="a participant pressed")
        assert bench.unseen == [("tracks", "a participant pressed")]

    async def test_an_unknown_outcome_raises_it_too(self, bench: Bench) -> None:
        await bench.says(outcome="nonsense", is_known=False)
        assert bench.unseen == [("tracks", "d")]

    async def test_a_doubtful_report_of_the_holder_raises_it(self, bench: Bench) -> None:
        bench.around.is_proven = False
        await bench.says(is_known=False)
        assert bench.unseen == [("tracks", "d")]

    async def test_of_another_robot_it_is_none_of_ours(self, bench: Bench) -> None:
        bench.around.is_proven = False
        await bench.says(is_known=False, node_id="elsewhere")
        bench.around.is_proven = True
        await bench.says("wings", is_known=False)
        assert bench.unseen == []

    async def test_one_that_was_cleared_is_late(self, bench: Bench) -> None:
        press(bench)
        press(bench, CLEARED)
        await bench.says(generation=7)
        assert bench.unseen == []
        await bench.says(generation=8)
        await bench.says(generation=7, is_known=False)
        assert bench.unseen == [("tracks", "d")] * 2

    async def test_while_the_latch_is_active_nothing_is_unseen(self, bench: Bench) -> None:
        press(bench)
        await bench.says(is_known=False)
        assert bench.unseen == []


class TestWhoIsExpected:
    async def test_adoptiond_reports_every_five_seconds_at_least(self, bench: Bench) -> None:
        assert bench.around.requests == [("/watch", 5.0)]
        assert bench.found.nodes == NODES

    async def test_everyone_before_adoptiond_has_answered(self) -> None:
        bench = Bench()
        bench.around.nodes = None
        async with watching(bench):
            press(bench)
            assert bench.states() == {"head": "silent", "tracks": "silent"}

    async def test_a_change_counts_at_once(self, bench: Bench) -> None:
        press(bench)
        await bench.around.change([NODES[1]])
        assert bench.states() == {"head": "absent", "tracks": "silent"}

    async def test_who_was_known_ten_seconds_longer(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert confirmations.KNOWN_S == 10.0
        monkeypatch.setattr(confirmations, "KNOWN_S", 0.2)
        press(bench)
        await bench.around.change([NODES[1]])
        await bench.around.change(None)
        assert bench.states() == {"head": "absent", "tracks": "silent"}
        await until(lambda: bench.states() == {"head": "silent", "tracks": "silent"})

    async def test_silence_makes_them_unknown_though_the_connection_stands(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(confirmations, "KNOWN_S", 0.1)
        press(bench)
        await bench.around.change([NODES[1]])
        await until(lambda: bench.states() == {"head": "silent", "tracks": "silent"})
        await bench.around.change([NODES[1]])
        assert bench.states() == {"head": "absent", "tracks": "silent"}

    async def test_each_report_counts_from_its_arrival(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(confirmations, "KNOWN_S", 0.5)
        press(bench)
        async for _ in every(0.1, for_s=1.0):
            await bench.around.change([NODES[1]])
            assert bench.states()["head"] == "absent"

    def test_instances_belong_to_their_targets(self) -> None:
        nodes = [node("a", ("arms", "left"), ("head", "")), node("b", ("tracks", ""))]
        assert holders(nodes) == {"arms.left": "a", "head": "a", "tracks": "b"}


class TestPublished:
    async def test_every_change_once(self, bench: Bench) -> None:
        press(bench)
        press(bench)  # the same
        await bench.says()
        await bench.says()
        assert [(each.active, each.generation, each.confirmed) for each in bench.published] == [
            (True, 7, False),
            (True, 7, False),
        ]
        await bench.says("head", node_id="pi_1")
        assert bench.published[-1].confirmed
        press(bench, CLEARED)
        await turns()
        assert [(each.active, each.generation) for each in bench.published[3:]] == [(False, 8)]

    async def test_what_each_target_did(self, bench: Bench) -> None:
        press(bench)
        await bench.says(outcome="guard")
        head, tracks = bench.published[-1].outcomes
        assert (head.target, head.node_id, head.state) == ("head", "pi_1", "silent")
        assert math.isnan(head.after_ms)
        assert (tracks.target, tracks.state, tracks.detail) == ("tracks", "guard", "d")
        assert tracks.after_ms == pytest.approx(bench.found.listed()[1].after_ms)

    async def test_watchers_are_called_after_each_change(self, bench: Bench) -> None:
        seen: list[dict[str, str]] = []
        bench.found.watch(lambda: seen.append(bench.states()))
        bench.found.watch(lambda: seen.append({}))
        press(bench)
        assert seen == []  # later: whatever they do, the stop goes on
        await turns()
        assert seen == [{"head": "silent", "tracks": "silent"}, {}]
        await bench.says(generation=6)
        assert len(seen) == 2


class TestAnswer:
    async def test_it_comes_when_everyone_has_confirmed(self, bench: Bench) -> None:
        press(bench)
        answer = asyncio.create_task(bench.found.settled())
        await bench.says()
        assert not answer.done()
        await bench.says("head", node_id="pi_1")
        assert answer.done()

    async def test_it_comes_when_the_stop_is_over(self, bench: Bench) -> None:
        press(bench)
        answer = asyncio.create_task(bench.found.settled())
        await turns()
        press(bench, CLEARED)
        await turns()
        assert answer.done()

    async def test_it_comes_at_once_without_a_stop(self, bench: Bench) -> None:
        answer = asyncio.create_task(bench.found.settled())
        await turns()
        assert answer.done()

    async def test_it_waits_for_nobody_longer_than_300_ms(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert confirmations.ANSWER_S == 0.3
        monkeypatch.setattr(confirmations, "ANSWER_S", 0.01)
        press(bench)
        await bench.found.settled()
        assert bench.states() == {"head": "silent", "tracks": "silent"}
