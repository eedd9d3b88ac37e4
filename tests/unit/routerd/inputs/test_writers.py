"""Under which source samples count: of registered writers, and of all others."""

import asyncio
import math
import os
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import cast

import pytest

from saint_services.lib.access.person import check_daemon
from saint_services.lib.api import routing
from saint_services.lib.api.credentials import WriterReply, WriterRequest
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.routing import EStopRequest
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import ConsoleOverride, EStop, InputSample, RoleFault
from saint_services.lib.ipc import Call
from saint_services.lib.machine.service_manager import Directories
from saint_services.routerd.inputs.writers import AdmittedSource, InputWriters, WriterRegistration
from tests.unit.routerd.daemon_rig import RunningRouter, alive, places, registered, vouching
from tests.unit.routerd.rig import Rig, route
from tests.waiting import turns, until

OURS, OTHER = "0a" * 12, "0b" * 12


@pytest.fixture
def directories(tmp_path: Path) -> Directories:
    return places(tmp_path)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A router that drops no sample because this computer let it wait for 100 ms: that is the
    subject of test_input_topics.py, and a busy computer does it at any moment."""
    monkeypatch.setattr("saint_services.routerd.wiring.STALL_S", math.inf)


def test_registered_writer_keeps_its_name_until_its_last_connection_ends() -> None:
    writers = InputWriters()
    writers.add("rcd", OURS)
    writers.add("rcd", OURS)
    writers.remove("rcd", OURS)
    assert writers.admit("rcd", "rc", OURS, 0.0) == AdmittedSource("rc", is_known=True)
    writers.remove("rcd", OURS)
    assert writers.admit("rcd", "rc", OURS, 0.0) is None


def test_unregistered_writer_is_a_program_after_two_seconds() -> None:
    writers = InputWriters()
    writers.add("webd", OTHER)  # for another topic
    assert writers.admit("rcd", "rc", OTHER, 10.0) is None
    assert writers.admit("rcd", "rc", OTHER, 11.99) is None
    expected = AdmittedSource(f"autonomous:{OTHER}", is_known=False)
    assert writers.admit("rcd", "rc", OTHER, 12.0) == expected


def test_unregistered_leader_is_a_program_and_safety_device_keeps_its_name() -> None:
    writers = InputWriters()
    assert writers.admit_program("leader:left", OTHER, 0.0) is None
    assert writers.admit_program("leader:left", OTHER, 2.0) == AdmittedSource(
        f"autonomous:{OTHER}", is_known=False
    )
    assert writers.admit_program("safety:mat", OTHER, 0.0) == AdmittedSource(
        "safety:mat", is_known=False
    )
    writers.add("safety", OTHER)
    assert writers.admit_program("safety:mat", OTHER, 0.0) == AdmittedSource(
        "safety:mat", is_known=True
    )


def test_64_unregistered_writers_wait_at_once_and_one_that_is_forgotten_waits_again() -> None:
    writers = InputWriters()
    names = [f"{number:024x}" for number in range(65)]
    for name in names[:64]:
        assert writers.admit("rcd", "rc", name, 10.0) is None
    assert writers.admit("rcd", "rc", names[0], 12.0)
    assert writers.admit("rcd", "rc", names[64], 12.0) is None
    assert writers.admit("rcd", "rc", names[1], 12.0)
    assert writers.admit("rcd", "rc", names[0], 12.0) is None


def test_unregistered_writer_without_a_name_is_a_program_without_one() -> None:
    writers = InputWriters()
    assert writers.admit("rcd", "rc", "", 10.0) is None
    assert writers.admit("rcd", "rc", "", 12.0) == AdmittedSource(
        "autonomous:unnamed", is_known=False
    )


def test_program_keeps_the_name_that_it_gives_itself_but_is_not_known() -> None:
    writers = InputWriters()
    found = writers.admit_program("autonomous:patrol", OTHER, 0.0)
    assert found == AdmittedSource("autonomous:patrol", is_known=False)


def test_writer_without_a_name_is_refused_unless_that_was_accepted() -> None:
    with pytest.raises(SaintError) as caught:
        InputWriters().add("rcd", "")
    assert caught.value.code is Code.REQUEST_INVALID
    with pytest.raises(SaintError):
        InputWriters(is_unnamed_accepted=True).add("rcd", "x")


def test_safety_device_that_names_itself_a_program_is_not_known_as_one() -> None:
    writers = InputWriters()
    writers.add("safety", OTHER)
    found = writers.admit_program("autonomous:patrol", OTHER, 0.0)
    assert found == AdmittedSource("autonomous:patrol", is_known=False)


async def test_registration_beats_every_second_and_ends_with_its_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    class Body:
        daemon, origin = "rcd", OURS

    class Request:
        body, peer_uid = Body, os.getuid()

    monkeypatch.setattr("saint_services.routerd.inputs.writers.check_daemon", lambda *_: None)
    changes: list[tuple[str, str, bool]] = []
    held = InputWriters()
    registration = WriterRegistration(held, lambda *change: changes.append(change))
    stream = cast(
        AsyncGenerator[WriterReply],
        registration.register_writer(cast(Call[WriterRequest], Request)),
    )
    await anext(stream)
    assert changes == [("rcd", OURS, True)]
    assert held.admit("rcd", "rc", OURS, 0.0) == AdmittedSource("rc", is_known=True)
    monkeypatch.setattr(asyncio, "sleep", sleep)
    await anext(stream)
    assert slept == [1.0]
    await stream.aclose()
    assert changes == [("rcd", OURS, True), ("rcd", OURS, False)]
    assert held.admit("rcd", "rc", OURS, 0.0) is None


@pytest.mark.parametrize("origin", ["", "x", OURS.upper(), OURS + "0"])
def test_writer_that_names_no_participant_is_refused(origin: str) -> None:
    with pytest.raises(SaintError):
        InputWriters().add("rcd", origin)


def test_unnamed_writer_only_where_that_was_accepted() -> None:
    writers = InputWriters(is_unnamed_accepted=True)
    writers.add("rcd", "")
    assert writers.admit("rcd", "rc", "", 0.0) == AdmittedSource("rc", is_known=True)


@pytest.mark.parametrize("uid", [None, -1, 4_000_000])
def test_request_for_a_daemon_of_another_user_is_refused(uid: int | None) -> None:
    with pytest.raises(SaintError) as caught:
        check_daemon(uid, "routerd")
    assert caught.value.code is Code.FORBIDDEN


def test_unknown_safety_device_stops_and_never_drives() -> None:
    mappings = [{"from": "x", "to": "linear"}, {"from": "stop", "to": "estop", "mode": "switch"}]
    rig = Rig(route("guard", "safety", "tracks", mappings))
    unknown = AdmittedSource("safety:mat", is_known=False)

    def send(sequence: int, x: float, stop: float) -> None:
        sample = InputSample(
            source="safety:mat", sequence=sequence, names=("x", "stop"), values=(x, stop)
        )
        rig.router.sample(sample, OTHER, rig.now, unknown)

    send(1, 0.0, 0.0)
    send(2, 1.0, 0.0)
    assert rig.router.by_name["tracks", "linear"].want == 0.0
    assert not rig.router.latch.active
    send(3, 0.0, 1.0)
    assert rig.router.latch.active


def test_unknown_writer_does_not_touch_the_source_of_a_registered_one() -> None:
    rig = Rig()
    name = "safety:mat"
    sample = InputSample(source=name, sequence=5, names=("x",), values=(0.0,))
    assert rig.router.sample(sample, OURS, rig.now, AdmittedSource(name, is_known=True))
    forged = InputSample(source=name, sequence=1 << 40, names=("x",), values=(1.0,))
    assert not rig.router.sample(forged, OTHER, rig.now, AdmittedSource(name, is_known=False))
    source = rig.router.sources[name]
    assert (source.sequence, source.origin, source.is_known) == (5, OURS, True)


def test_registered_writer_takes_its_name_from_an_unknown_one() -> None:
    rig = Rig()
    name = "safety:mat"
    forged = InputSample(source=name, sequence=1 << 40, names=("x",), values=(1.0,))
    rig.router.sample(forged, OTHER, rig.now, AdmittedSource(name, is_known=False))
    sample = InputSample(source=name, sequence=5, names=("x",), values=(0.0,))
    assert rig.router.sample(sample, OURS, rig.now, AdmittedSource(name, is_known=True))
    assert rig.router.sources[name].sequence == 5


def test_unknown_writers_are_bounded_and_push_out_nobody_else() -> None:
    rig = Rig()
    rig.router.sample(InputSample(source="rc", sequence=1), OURS, rig.now)
    for number in range(200):
        name = f"autonomous:{number}"
        sample = InputSample(source=name, sequence=1, names=("x",), values=(1.0,))
        rig.router.sample(sample, OTHER, rig.now + number, AdmittedSource(name, is_known=False))
    unknown = [each for each in rig.router.sources.values() if not each.is_known]
    assert len(unknown) == 16
    assert "rc" in rig.router.sources


async def _drive_as_unknown(robot: RunningRouter, sequence: int) -> None:
    sample = InputSample(source="rc", sequence=sequence, names=("channel_2",), values=(1.0,))
    robot.unknown.publisher(topics.INPUT_RC).publish(sample)
    await turns()


@pytest.mark.usefixtures("patient")
async def test_unregistered_rc_sample_is_no_rc_and_registered_one_is(
    directories: Directories,
) -> None:
    async with alive(directories) as robot:
        await _drive_as_unknown(robot, 1)
        status = await robot.client.request(routing.GET_STATUS, Nothing())
        assert status.refused == {"unregistered writer": 1}
        assert status.sources == []
        async with registered(robot.client, robot.unknown.origin, "rcd"):
            await _drive_as_unknown(robot, 2)
            status = await robot.client.request(routing.GET_STATUS, Nothing())
            assert [each.source for each in status.sources] == ["rc"]


async def test_writer_is_forgotten_when_its_connection_ends(directories: Directories) -> None:
    async with alive(directories) as robot:
        async with registered(robot.client, robot.unknown.origin, "rcd"):
            pass
        async with asyncio.timeout(5.0):
            while True:
                await _drive_as_unknown(robot, 1)
                status = await robot.client.request(routing.GET_STATUS, Nothing())
                if status.refused.get("unregistered writer"):
                    return


async def test_foreign_estop_raises_the_latch(directories: Directories) -> None:
    async with alive(directories) as robot:
        foreign = robot.unknown.publisher(topics.ESTOP)
        foreign.publish(EStop(active=False, generation=1 << 40))
        await turns()
        assert not (await robot.client.request(routing.GET_STATUS, Nothing())).estop.active
        foreign.publish(EStop(active=True, reason="smoke"))
        await turns()
        latch = (await robot.client.request(routing.GET_STATUS, Nothing())).estop
        assert latch.active and "smoke" in latch.reason


async def test_reason_of_200_characters_is_kept_whole(directories: Directories) -> None:
    async with alive(directories) as robot:
        reason = "x" * 199 + "Z"
        robot.unknown.publisher(topics.ESTOP).publish(EStop(active=True, reason=reason))
        robot.unknown.publisher(topics.ROLE_FAULTS).publish(
            RoleFault(node_id="pi_" + "5" * 61, target="tracks", stops_robot=True, text=reason)
        )
        await turns()
        presses = (await robot.client.request(routing.GET_STATUS, Nothing())).estop.presses
        assert [each.reason for each in presses] == [
            f"/saint/estop: {reason}",
            f"{reason} (pi_{'5' * 61})",
        ]


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("action", ["clear", "home", "release"])
async def test_unproven_console_stops_but_does_nothing_else(
    directories: Directories, action: str
) -> None:
    async with alive(directories) as robot, vouching(directories, robot):
        robot.record(topics.CONSOLE_ALERTS, topics.HEAD_CMD)
        unknown = robot.unknown.publisher(topics.CONSOLE_OVERRIDE)
        if action == "clear":
            unknown.publish(ConsoleOverride(action="stop"))
            await turns()
        before = (await robot.client.request(routing.GET_STATUS, Nothing())).estop.active
        unknown.publish(ConsoleOverride(action=action))
        await turns()
        assert (await robot.client.request(routing.GET_STATUS, Nothing())).estop.active == before
        (alert,) = robot.all_of(topics.CONSOLE_ALERTS)
        assert "no node of this robot has signed for this console" in alert.text
        assert robot.all_of(topics.HEAD_CMD) == []


@pytest.mark.usefixtures("patient")
async def test_proven_console_clears(directories: Directories) -> None:
    async with alive(directories) as robot, vouching(directories, robot):
        stop = EStopRequest(source="web")
        seen = (await robot.client.request(routing.ESTOP, stop)).generation
        clear = ConsoleOverride(action="clear", generation=seen)
        robot.bus.publisher(topics.CONSOLE_OVERRIDE).publish(clear)
        await until(robot.is_released)


@pytest.mark.usefixtures("patient")
async def test_route_for_leaders_ignores_an_unregistered_one(directories: Directories) -> None:
    async with alive(directories) as robot:
        lead = route("lead", "leader", "arms.left", [{"from": "j0", "to": "joint_0"}])
        await robot.client.request(routing.SET_ROUTE, routing.SetRoute(route=lead))
        sample = InputSample(source="leader:left", sequence=1, names=("j0",), values=(5.0,))
        robot.unknown.publisher(topics.INPUT_AUTONOMOUS).publish(sample)
        await turns()
        status = await robot.client.request(routing.GET_STATUS, Nothing())
        assert [each.source for each in status.sources] == []


def test_leader_that_a_node_has_signed_for_leads_under_its_own_name_alone() -> None:
    writers = InputWriters()
    writers.is_role = lambda origin, target, _: (origin, target) == (OTHER, "leader.left")
    assert writers.admit_program("leader:left", OTHER, 0.0) == AdmittedSource("leader:left", True)
    assert writers.admit_program("leader:right", OTHER, 0.0) is None
