"""Bad networks between a plain aiortc peer and a running teleopd, by a relay of datagrams: never
two operators, no motion without a living one, no command that is late.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from itertools import pairwise

import pytest

from saint_services.lib.clock import monotonic_s
from saint_services.lib.generated import topics
from tests.teleop_peer import TeleopPeer, teleop_peer
from tests.udp_relay import NetworkFaults, udp_relay
from tests.unit.teleopd.rig import OLGA, OTTO, RemoteRobot
from tests.waiting import every, let_pass, stays, until

pytestmark = [pytest.mark.slow, pytest.mark.timed]

STALE_S = 0.2  # later than the quickest by more: such a command is dropped
BUSY_S = 0.1  # what a busy computer adds
STEP = 1 / 4096  # exact in binary


class Driven:
    """Which commands have reached the bus, and how late: a value is the number of its command."""

    def __init__(self, robot: RemoteRobot, peer: TeleopPeer) -> None:
        self.sent: list[float] = []
        self.arrived: list[tuple[float, int]] = []
        self._peer = peer
        robot.bus.subscribe(topics.INPUT_TELEOP, lambda sample: self._note(sample.message))

    def _note(self, message: object) -> None:
        values = getattr(message, "values", ())
        if values and values[0] > 0:
            self.arrived.append((monotonic_s(), round(values[0] / STEP)))

    @contextlib.asynccontextmanager
    async def driving(self) -> AsyncIterator[None]:
        """Hold the stick meanwhile: 50 commands per second."""

        async def beat() -> None:
            async for _ in every(0.02):
                self.sent.append(monotonic_s())
                self._peer.send(tracks={"linear": len(self.sent) * STEP})

        task = asyncio.create_task(beat())
        try:
            yield
        finally:
            task.cancel()

    def latest_s(self) -> float:
        """The longest time that a command was on its way."""
        return max(at - self.sent[number - 1] for at, number in self.arrived)

    def longest_pause_s(self) -> float:
        times = [at for at, _ in self.arrived]
        return max(b - a for a, b in pairwise(times))

    async def moves(self, limit_s: float = 5.0) -> None:
        """Wait until a command arrives that was sent from now on."""
        count = len(self.sent)
        await until(lambda: self.arrived and self.arrived[-1][1] > count, limit_s)


@contextlib.asynccontextmanager
async def operated(
    robot: RemoteRobot, loss: float = 0.0, delay_s: float = 0.0
) -> AsyncIterator[tuple[TeleopPeer, Driven, NetworkFaults]]:
    """An operator behind a relay, who has connected over a network like this."""
    async with contextlib.AsyncExitStack() as stack:
        relay = await stack.enter_async_context(udp_relay())
        relay.faults.loss, relay.faults.delay_s = loss, delay_s
        signalling = relay.between(robot.signalling(OLGA))
        peer = await stack.enter_async_context(teleop_peer(signalling, video=True))
        peer.answers = True
        async with peer.beating():
            await peer.report(lambda each: each["seat"] == "operator")
            await peer.report(lambda each: each["delay_ms"] is not None)
            await peer.release()
        yield peer, Driven(robot, peer), relay.faults
        relay.faults.loss, relay.faults.delay_s = 0.0, 0.0  # saying goodbye takes its turns
        assert relay.count > 30  # nothing has found a way round


async def test_cut_of_50_ms_is_not_noticed(robot: RemoteRobot) -> None:
    async with operated(robot) as (_, driven, faults), driven.driving():
        await driven.moves()
        faults.is_cut = True
        await let_pass(0.05)
        faults.is_cut = False
        await driven.moves()
        await let_pass(0.3)
    assert driven.longest_pause_s() < 0.3
    assert driven.latest_s() < STALE_S + BUSY_S


async def test_cut_of_500_ms_needs_a_release_before_it_moves_again(robot: RemoteRobot) -> None:
    async with operated(robot) as (peer, driven, faults):
        async with driven.driving():
            await driven.moves()
            faults.is_cut = True
            await let_pass(0.5)
            count = len(driven.arrived)
            faults.is_cut = False
            report = await peer.report(lambda each: "Release the control" in each["why"])
            assert report["seat"] == "operator"
            await stays(lambda: len(driven.arrived) == count, 0.3)
        await peer.release()  # released
        async with driven.driving():
            await driven.moves()
    assert driven.latest_s() < STALE_S + BUSY_S


async def test_after_a_cut_of_5_s_there_is_one_operator_and_not_the_first(
    robot: RemoteRobot,
) -> None:
    async with (
        operated(robot) as (peer, driven, faults),
        driven.driving(),
        teleop_peer(robot.signalling(OTTO), wants_control=False) as other,
    ):
        await driven.moves()
        faults.is_cut = True
        otto = robot.signalling(OTTO)
        assert not (await otto("request_control", session=other.session))["is_granted"]
        await let_pass(3.2)  # nobody living has control
        assert (await otto("request_control", session=other.session))["is_granted"]
        await other.release()
        async with other.beating(tracks={"linear": -0.5}):
            await let_pass(1.8)
            before = len(driven.arrived)
            faults.is_cut = False
            # The link may have ended meanwhile; if not, it watches.
            await stays(lambda: len(driven.arrived) == before, 1.0)
        sessions = (await robot.sessions()).sessions
        assert [each.who for each in sessions if each.seat == "operator"] == ["otto"]
        assert peer.reports[-1]["seat"] == "viewer" or len(sessions) == 1


@pytest.mark.parametrize(
    ("loss", "delay_s", "share"),
    [
        (0.05, 0.0, (0.99, 1.0)),
        # 200 ms each way: 400 of delay, 1 - 0.6 * (400 - 250) / 350 of the top speed
        (0.0, 0.2, (0.55, 0.8)),
    ],
)
async def test_bad_network_makes_slow_and_never_late(
    robot: RemoteRobot, loss: float, delay_s: float, share: tuple[float, float]
) -> None:
    async with operated(robot, loss, delay_s) as (peer, driven, _):
        await peer.release()
        async with driven.driving():
            await driven.moves()
            await let_pass(1.0)
            low, high = share
            await peer.report(lambda each: low <= each["speed_share"] <= high)
    assert driven.latest_s() < delay_s + STALE_S + BUSY_S


async def test_network_that_becomes_too_slow_drives_nothing(robot: RemoteRobot) -> None:
    async with operated(robot) as (peer, driven, faults):
        faults.delay_s = 0.6
        await let_pass(2.5)
        await peer.release()
        async with driven.driving():
            await let_pass(1.0)
            await peer.report(lambda each: each["speed_share"] == 0.0)
    assert not [each for each in driven.arrived if each[0] > driven.sent[0] + 1.5]


async def test_narrow_link_gets_fewer_bits_and_the_picture_comes_back(robot: RemoteRobot) -> None:
    async with robot.filming((640, 480)), operated(robot) as (peer, driven, faults):
        await until(lambda: len(peer.frames) > 20)
        faults.kbps = 300
        async with driven.driving():
            await let_pass(5.0)
            kbps = peer.reports[-1]["picture"]["kbps"]
            assert kbps <= 300, "the stream does not follow the link"
            faults.kbps = None
            count = len(peer.frames)
            await until(lambda: len(peer.frames) > count + 10, 2.0)  # no freeze
        assert driven.latest_s() < 0.3 + STALE_S + BUSY_S


async def test_peer_with_another_address_replaces_its_session(robot: RemoteRobot) -> None:
    olga = robot.signalling(OLGA)
    async with operated(robot) as (peer, driven, faults), driven.driving():
        await driven.moves()
        faults.is_cut = True  # the old address is gone for good
        with pytest.raises(Exception, match="belongs to olga"):
            async with teleop_peer(robot.signalling(OTTO), replaces=peer.session):
                pass
        async with teleop_peer(olga, replaces=peer.session) as again:
            await again.report(lambda each: each["seat"] == "operator")
            sessions = (await robot.sessions()).sessions
            assert [each.session for each in sessions] == [again.session]
            count = len(robot.driven)
            async with again.beating(tracks={"linear": 0.5}):
                # whatever was held before has to be released first
                await again.report(lambda each: "Release the control" in each["why"])
                assert len(robot.driven) == count
            await again.release()
            async with again.beating(tracks={"linear": 0.5}):
                await until(lambda: len(robot.driven) > count)
